import type { Id } from '../../contracts/id.ts';

/** How many hash tags the users are spread over, and so into how few calls a page of users can go on a cluster. */
export const BUCKETS = 256;

/**
 * The names of a user's two keys (DESIGN §3): `<prefix>:{b}:<user>:z` and `…:m`.
 *
 * The bucket `b` is the hash tag: all keys of a bucket share a cluster slot, so that many users go into one script
 * call. A hundred neighbouring ids share a bucket, because pages of users are read in the order of their ids; the hash
 * of what is left of the id spreads the hundreds evenly, whatever makes the ids.
 */
export class KeyNames {
  readonly #prefix: string;
  #neighbours: string | undefined;
  #bucket = '';

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  set(user: Id): string {
    return `${this.#both(user)}:z`;
  }

  meta(user: Id): string {
    return `${this.#both(user)}:m`;
  }

  /** A note that the user was forgotten: it keeps a rebuild that was asked for before from undoing that. */
  forgotten(user: Id): string {
    return `${this.#both(user)}:f`;
  }

  /** Neighbours are asked for one after the other: their bucket is remembered. */
  #both(user: Id): string {
    const neighbours = user.slice(0, -2);
    if (neighbours !== this.#neighbours) {
      this.#neighbours = neighbours;
      this.#bucket = `${this.#prefix}:{${bucketOf(user)}}:`;
    }
    return this.#bucket + user;
  }
}

/** For SCAN: both keys of every user, and hardly another. */
export function anyKeyOf(prefix: string): string {
  return `${prefix}:{*}:*:[zm]`;
}

/** Whose key it is; undefined: it is none of an index. */
export function userOf(key: string): string | undefined {
  return /\}:(\d+):[zm]$/.exec(key)?.[1];
}

/** FNV-1a over the id without its last two digits. */
export function bucketOf(user: Id): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < user.length - 2; i++) {
    hash = Math.imul(hash ^ user.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % BUCKETS;
}

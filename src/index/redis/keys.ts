import { type Id, isId } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { BUCKETS } from '../../redis/hash-tags.ts';
import { scanKeys } from '../../redis/masters.ts';

/**
 * The names of a user's keys: `<prefix>:{b}:<user>:z` (a sorted set, the members), `…:m` (a string, the rest: see meta.ts) and
 * `…:f` (a note that the user was forgotten). Those of another kind than contacts begin with `<prefix>:{b}:<kind>:<user>`.
 *
 * The bucket `b` is the hash tag: all keys of a bucket are in one cluster slot, so that one script call can serve many users. A
 * hundred consecutive ids share a bucket, because pages of users are read in the order of their ids; hashing the rest of
 * the id spreads the hundreds evenly, however ids are generated.
 */
export class KeyNames {
  readonly #prefix: string;
  readonly #kind: string;
  #neighbours: string | undefined;
  #bucket = '';

  constructor(prefix: string, kind: Kind = CONTACTS) {
    this.#prefix = prefix;
    this.#kind = partOf(kind);
  }

  set(user: Id): string {
    return `${this.#both(user)}:z`;
  }

  meta(user: Id): string {
    return `${this.#both(user)}:m`;
  }

  /** A note that the user was forgotten. It prevents a rebuild that was requested earlier from undoing that. */
  forgotten(user: Id): string {
    return `${this.#both(user)}:f`;
  }

  /** All keys of the user's index. */
  all(user: Id): string[] {
    return [this.set(user), this.meta(user), this.forgotten(user)];
  }

  /** Consecutive users are asked for one after the other, so the last bucket is cached. */
  #both(user: Id): string {
    const neighbours = user.slice(0, -2);
    if (neighbours !== this.#neighbours) {
      this.#neighbours = neighbours;
      this.#bucket = `${this.#prefix}:{${bucketOf(user)}}:${this.#kind}`;
    }
    return this.#bucket + user;
  }
}

/**
 * The users who have an index of this kind, or part of one, in no order. It scans all of Redis; a user may come several times, and a page
 * may be empty.
 * @throws RedisUnavailable
 */
export async function* indexedUsers(
  client: RedisClient,
  prefix: string,
  kind: Kind = CONTACTS,
): AsyncGenerator<readonly Id[]> {
  const part = partOf(kind);
  const name = new RegExp(`\\}:${part}(\\d+):[zm]$`);
  for await (const keys of scanKeys(client, `${prefix}:{*}:${part}*:[zm]`)) {
    const users = keys.map((key) => name.exec(key)?.[1]);
    yield [...new Set(users.filter((user) => user !== undefined && isId(user)) as Id[])];
  }
}

/** The part of a key that names its kind: none for contacts, whose keys are older than kinds and the most. */
function partOf({ name }: Kind): string {
  return name === CONTACTS.name ? '' : `${name}:`;
}

/** FNV-1a over the id without its last two digits, modulo BUCKETS. */
export function bucketOf(user: Id): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < user.length - 2; i++) {
    hash = Math.imul(hash ^ user.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % BUCKETS;
}

import type { Id } from '../../src/contracts/id.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { nonceIn } from '../../src/index/redis/meta.ts';
import { textOf as contentsOf, type Keyspace, type Value } from '../redis/keyspace.ts';
import { type Renaming, rename } from './nonces.ts';

export interface IndexContents {
  readonly master: Keyspace;
  /** The contents of a lagging replica. */
  readonly replica: Keyspace | undefined;
  /** The fresh nonce of a command whose reply was lost and that will be sent again. */
  readonly resent: string | undefined;
}

/** Equal texts are equal contents. */
export function contentsText({ master, replica, resent }: IndexContents): string {
  return `${contentsOf(master)} ${replica === undefined ? '' : contentsOf(replica)} ${resent ?? ''}`;
}

/** The indexes of some users, as they are in Redis. */
export class IndexKeys {
  readonly #names: KeyNames;
  readonly #users: readonly Id[];

  constructor(prefix: string, users: readonly Id[]) {
    this.#names = new KeyNames(prefix);
    this.#users = users;
  }

  /** Keys of the user's set and its metadata. */
  names(user: Id): readonly [set: string, meta: string] {
    return [this.#names.set(user), this.#names.meta(user)];
  }

  /** Key of the note that the user was forgotten. */
  note(user: Id): string {
    return this.#names.forgotten(user);
  }

  /** The nonce of the user's index, or of its placeholder; '' if there is none. */
  nonce(keyspace: Keyspace, user: Id): string {
    return nonceIn(textOf(keyspace.get(this.#names.meta(user))));
  }

  /** The size recorded for the user's index; undefined: there is no index, or only a placeholder. */
  recordedSize(keyspace: Keyspace, user: Id): number | undefined {
    const size = textOf(keyspace.get(this.#names.meta(user)))?.split(' ')[2];
    return size === undefined ? undefined : Number(size);
  }

  /** Members of the user's set. */
  size(keyspace: Keyspace, user: Id): number {
    const set = keyspace.get(this.#names.set(user));
    return set?.kind === 'zset' ? set.members.length : 0;
  }

  /** Does the user's index differ between these contents? One is a changed copy of the other. */
  differs(before: Keyspace, after: Keyspace, user: Id): boolean {
    return this.names(user).some((name) => before.get(name) !== after.get(name));
  }

  /** Every nonce in Redis, in the order of the users; '' for none. */
  nonces({ master, replica, resent = '' }: IndexContents): string[] {
    const keyspaces = replica === undefined ? [master] : [master, replica];
    const held = keyspaces.flatMap((keyspace) => this.#users.map((user) => this.nonce(keyspace, user)));
    return [...held, resent];
  }

  renamed({ master, replica, resent }: IndexContents, renaming: Renaming): IndexContents {
    return {
      master: this.#renamedIn(master, renaming),
      replica: replica && this.#renamedIn(replica, renaming),
      resent: resent && rename(resent, renaming),
    };
  }

  #renamedIn(keyspace: Keyspace, renaming: Renaming): Keyspace {
    const copy = keyspace.copy();
    for (const user of this.#users) {
      const name = this.#names.meta(user);
      const meta = textOf(keyspace.get(name));
      if (meta === null) continue;
      const nonce = nonceIn(meta);
      copy.put(name, { kind: 'string', text: rename(nonce, renaming) + meta.slice(nonce.length) });
    }
    return copy;
  }
}

function textOf(value: Value | undefined): string | null {
  return value?.kind === 'string' ? value.text : null;
}

import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import { nonceIn } from '../../src/index/redis/index-reader.ts';
import type { KeyNames } from '../../src/index/redis/keys.ts';
import type { Product } from '../load-product.ts';
import { textOf as contentsOf, type Keyspace, type Value } from '../redis/keyspace.ts';
import { kindOf } from '../site/site.ts';
import { type Renaming, rename } from './nonces.ts';

/** Whose index: a user has one of each kind. */
export interface IndexOwner {
  readonly kind: KindName;
  readonly user: Id;
}

/** Every index of a scenario. */
export function ownersOf({ kinds, users }: { kinds: readonly KindName[]; users: readonly Id[] }): IndexOwner[] {
  return kinds.flatMap((kind) => users.map((user) => ({ kind, user })));
}

/** A name for reports. */
export function nameOfOwner({ kind, user }: IndexOwner): string {
  return kind === 'contacts' ? user : `${user} (${kind})`;
}

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
  readonly #names: ReadonlyMap<KindName, KeyNames>;
  readonly #owners: readonly IndexOwner[];

  /** @param code the product's, possibly patched */
  constructor(code: Product['code'], prefix: string, owners: readonly IndexOwner[]) {
    const kinds = new Set(owners.map(({ kind }) => kind));
    this.#names = new Map([...kinds].map((kind) => [kind, new code.KeyNames(prefix, kindOf(kind))]));
    this.#owners = owners;
  }

  #of(kind: KindName): KeyNames {
    return this.#names.get(kind) as KeyNames;
  }

  /** Keys of the user's set and its metadata. */
  names({ kind, user }: IndexOwner): readonly [set: string, meta: string] {
    return [this.#of(kind).set(user), this.#of(kind).meta(user)];
  }

  /** Key of the note that the user was forgotten. */
  note({ kind, user }: IndexOwner): string {
    return this.#of(kind).forgotten(user);
  }

  /** The nonce of the user's index, or of its placeholder; '' if there is none. */
  nonce(keyspace: Keyspace, { kind, user }: IndexOwner): string {
    return nonceIn(textOf(keyspace.get(this.#of(kind).meta(user))));
  }

  /** The size recorded for the user's index; undefined: there is no index, or only a placeholder. */
  recordedSize(keyspace: Keyspace, { kind, user }: IndexOwner): number | undefined {
    const size = textOf(keyspace.get(this.#of(kind).meta(user)))?.split(' ')[2];
    return size === undefined ? undefined : Number(size);
  }

  /** Members of the user's set. */
  size(keyspace: Keyspace, { kind, user }: IndexOwner): number {
    const set = keyspace.get(this.#of(kind).set(user));
    return set?.kind === 'zset' ? set.members.length : 0;
  }

  /** Does the user's index differ between these contents? One is a changed copy of the other. */
  differs(before: Keyspace, after: Keyspace, owner: IndexOwner): boolean {
    return this.names(owner).some((name) => before.get(name) !== after.get(name));
  }

  /** Every nonce in Redis, in the order of their owners; '' for none. */
  nonces({ master, replica, resent = '' }: IndexContents): string[] {
    const keyspaces = replica === undefined ? [master] : [master, replica];
    const held = keyspaces.flatMap((keyspace) => this.#owners.map((owner) => this.nonce(keyspace, owner)));
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
    for (const { kind, user } of this.#owners) {
      const name = this.#of(kind).meta(user);
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

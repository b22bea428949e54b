import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { readOwnersAmong } from '../mysql/users.ts';
import type { Pace } from './pace.ts';
import type { OwnerPages, UserPages } from './user-pages.ts';

/** Every user who has an index, in any order and any number of times. */
export type IndexedUsers = () => AsyncIterable<readonly Id[]>;

export interface StrayStores {
  readonly primary: Database;
  readonly indexedUsers: IndexedUsers;
  /** Looking whether somebody owns a relationship counts like looking at their index. */
  readonly pace: Pace;
}

/** Of the users in the range: those with ids above `after`, up to `to`. */
export interface StrayRange {
  readonly after: Id | '0';
  readonly to: Id;
}

/**
 * First those who own relationships, then the strays: users who have an index and own none, because a site has deleted their
 * rows. The live SQL shows nothing of what is left in such an index; it would only take memory, unseen by everybody.
 */
export class EverybodyPages implements UserPages {
  readonly #owners: OwnerPages;
  readonly #stores: StrayStores;
  readonly #range: StrayRange;
  readonly #size: number;
  readonly #seen = new Set<Id>();
  #indexed: AsyncIterator<readonly Id[]> | undefined;
  #strays: readonly Id[] = [];

  constructor(owners: OwnerPages, stores: StrayStores, range: StrayRange, size: number) {
    this.#owners = owners;
    this.#stores = stores;
    this.#range = range;
    this.#size = size;
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async next(signal?: AbortSignal): Promise<readonly Id[] | undefined> {
    if (this.#indexed === undefined) {
      const page = await this.#owners.next();
      if (page !== undefined) return page;
    }
    while (this.#strays.length < this.#size && (await this.#lookForMore(signal)));
    return this.#strays.length === 0 ? undefined : this.#page();
  }

  /** The strays leave it at the last owner: after a kill they are looked for anew, and those who were mended stay so. */
  get cursor(): Id | '0' {
    return this.#owners.cursor;
  }

  done(): void {
    if (this.#indexed === undefined) this.#owners.done();
    else this.#strays = this.#strays.slice(this.#size);
  }

  total(seen: number): number {
    return this.#indexed === undefined ? this.#owners.total(seen) : seen + this.#strays.length;
  }

  /** False: there are no more. After an error the search begins anew. */
  async #lookForMore(signal?: AbortSignal): Promise<boolean> {
    this.#indexed ??= this.#stores.indexedUsers()[Symbol.asyncIterator]();
    try {
      const { done, value = [] } = await this.#indexed.next();
      const candidates = (value as readonly Id[]).filter((user) => !this.#seen.has(user) && this.#isWanted(user));
      await this.#addStrays(candidates, signal);
      return done !== true;
    } catch (error) {
      this.#indexed = this.#stores.indexedUsers()[Symbol.asyncIterator]();
      throw error;
    }
  }

  async #addStrays(candidates: readonly Id[], signal?: AbortSignal): Promise<void> {
    if (candidates.length === 0) return;
    const { primary, pace } = this.#stores;
    await pace.spend(candidates.length, signal);
    const owners = new Set(await readOwnersAmong(primary, candidates));
    const strays = candidates.filter((user) => !owners.has(user));
    for (const user of strays) this.#seen.add(user);
    this.#strays = [...this.#strays, ...strays];
  }

  #isWanted(user: Id): boolean {
    return BigInt(user) > BigInt(this.#range.after) && BigInt(user) <= BigInt(this.#range.to);
  }

  #page(): readonly Id[] {
    return this.#strays.slice(0, this.#size);
  }
}

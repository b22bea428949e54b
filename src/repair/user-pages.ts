import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import type { UserRange } from '../mysql/statements/users.ts';
import type { RateLimiter } from '../timing/limiter.ts';
import { nextUsers, sampleUsers } from './find-users.ts';
import { findLastUser, findNextUser, findUsersAmong } from './unreadable-users.ts';
import { UserEstimate } from './user-estimate.ts';

/** Maximum users in a page: few enough to redo, and as many as fit into one script call. */
export const PAGE_SIZE = 500;

/** Users by id, page by page. */
export interface UserPages {
  /** The next page; undefined: no pages are left. Returns the same page until `done`. @throws the signal's reason */
  next(signal?: AbortSignal): Promise<readonly Id[] | undefined>;
  /** Save this when the page is done: a later part of the same job continues here. */
  readonly cursor: Id | '0';
  /** Moves on to the next page. */
  done(): void;
  /** The estimated number of users in all when `seen` of them are done. */
  total(seen: number): number;
}

/** Every user who has an index, in any order, possibly more than once. */
export type IndexedUsers = () => AsyncIterable<readonly Id[]>;

interface UserPagesStores {
  readonly primary: KindDatabase;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Maximum users in a page. */
  readonly pageSize: number;
  readonly rateLimiter: RateLimiter;
  /** Given: orphaned indexes come as well, at the end, unless a sample is wanted. */
  readonly indexedUsers?: IndexedUsers | undefined;
}

interface UsersWanted {
  readonly from?: Id | undefined;
  readonly to?: Id | undefined;
  readonly sample?: number | undefined;
  readonly rate?: number | undefined;
}

/** What earlier parts of the same run have done. */
interface DoneBefore {
  readonly cursor: Id | '0';
  readonly users: number;
}

/** @throws DatabaseUnavailable */
export async function createUserPages(
  { primary, random, pageSize, rateLimiter, indexedUsers }: UserPagesStores,
  { from, to = GREATEST_ID, sample, rate }: UsersWanted,
  { cursor, users }: DoneBefore = { cursor: '0', users: 0 },
): Promise<UserPages> {
  const size = Math.max(1, Math.min(pageSize, Math.ceil(rate ?? pageSize))); // at most one second's users
  if (sample !== undefined) return new ListPages(await sampleUsers(primary, Math.max(0, sample - users), random), size);
  const range = { after: from === undefined ? '0' : before(from), to };
  const estimate = new UserEstimate(primary, range);
  const related = new RelatedUserPages(primary, await narrowed(primary, range), size, estimate, cursor);
  if (indexedUsers === undefined) return related;
  return new OrphanedIndexPages(related, { primary, indexedUsers, rateLimiter }, range, size);
}

/** Estimated number of users in pages that are not begun yet. @throws DatabaseUnavailable */
export async function estimateUsers(
  primary: KindDatabase,
  { from, to = GREATEST_ID, sample }: UsersWanted,
): Promise<number> {
  const after = from === undefined ? '0' : before(from);
  const estimate = new UserEstimate(primary, { to });
  await estimate.refresh(after, after, 0);
  return Math.min(sample ?? Number.POSITIVE_INFINITY, estimate.left(0));
}

/** The part of the range that has users, so that ids after the last user are not searched. */
async function narrowed(primary: KindDatabase, range: UserRange): Promise<UserRange> {
  const [first, last] = await Promise.all([findNextUser(primary, range), findLastUser(primary, range)]);
  if (first === undefined || last === undefined) return { after: range.after, to: range.after };
  return { after: before(first), to: last };
}

function before(id: Id): Id | '0' {
  return String(BigInt(id) - 1n);
}

/** The users in a range who have relationships. */
export class RelatedUserPages implements UserPages {
  readonly #database: KindDatabase;
  readonly #to: Id;
  readonly #size: number;
  readonly #start: Id | '0';
  readonly #estimate: UserEstimate;
  #after: Id | '0';
  #done = 0;
  /** The current page, and users already found beyond it. */
  #found: readonly Id[] = [];

  /** @param after where an earlier part of the same job ended; '0': there was none */
  constructor(database: KindDatabase, range: UserRange, size: number, estimate: UserEstimate, after: Id | '0' = '0') {
    this.#database = database;
    this.#to = range.to;
    this.#size = size;
    this.#after = after === '0' ? range.after : after;
    this.#start = this.#after;
    this.#estimate = estimate;
  }

  /** @throws DatabaseUnavailable */
  async next(): Promise<readonly Id[] | undefined> {
    await this.#estimate.refresh(this.#start, this.#after, this.#done);
    if (this.#found.length === 0) {
      this.#found = await nextUsers(this.#database, { after: this.#after, to: this.#to }, this.#size);
    }
    if (this.#found.length > 0) return this.#page();
    this.#estimate.end();
    return undefined;
  }

  get cursor(): Id | '0' {
    return this.#page().at(-1) ?? this.#after;
  }

  done(): void {
    this.#done += this.#page().length;
    this.#after = this.cursor;
    this.#found = this.#found.slice(this.#size);
  }

  total(seen: number): number {
    return seen + this.#estimate.left(this.#done);
  }

  #page(): readonly Id[] {
    return this.#found.slice(0, this.#size);
  }
}

/** A given list of users. */
export class ListPages implements UserPages {
  readonly #size: number;
  #left: readonly Id[];

  constructor(users: readonly Id[], size: number) {
    this.#left = users;
    this.#size = size;
  }

  async next(): Promise<readonly Id[] | undefined> {
    return this.#left.length === 0 ? undefined : this.#left.slice(0, this.#size);
  }

  get cursor(): Id | '0' {
    return this.#left.slice(0, this.#size).at(-1) ?? '0';
  }

  done(): void {
    this.#left = this.#left.slice(this.#size);
  }

  total(seen: number): number {
    return seen + this.#left.length;
  }
}

interface OrphanStores {
  readonly primary: KindDatabase;
  readonly indexedUsers: IndexedUsers;
  /** Checking whether a user has relationships counts like checking an index. */
  readonly rateLimiter: RateLimiter;
}

/**
 * First the users who have relationships, then those with an orphaned index: an index whose user has no relationships any
 * more, because the site deleted the rows. No answer shows what is left in such an index; it only takes up memory.
 */
class OrphanedIndexPages implements UserPages {
  readonly #related: RelatedUserPages;
  readonly #stores: OrphanStores;
  readonly #range: UserRange;
  readonly #size: number;
  readonly #seen = new Set<Id>();
  /** Undefined: there are still pages of users with relationships. */
  #indexed: AsyncIterator<readonly Id[]> | undefined;
  #orphans: readonly Id[] = [];

  constructor(related: RelatedUserPages, stores: OrphanStores, range: UserRange, size: number) {
    this.#related = related;
    this.#stores = stores;
    this.#range = range;
    this.#size = size;
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async next(signal?: AbortSignal): Promise<readonly Id[] | undefined> {
    if (this.#indexed === undefined) {
      const page = await this.#related.next();
      if (page !== undefined) return page;
    }
    while (this.#orphans.length < this.#size && (await this.#findMore(signal)));
    return this.#orphans.length === 0 ? undefined : this.#orphans.slice(0, this.#size);
  }

  /** Orphans leave it at the last related user: after a kill they are searched again, and repaired ones stay repaired. */
  get cursor(): Id | '0' {
    return this.#related.cursor;
  }

  done(): void {
    if (this.#indexed === undefined) this.#related.done();
    else this.#orphans = this.#orphans.slice(this.#size);
  }

  total(seen: number): number {
    return this.#indexed === undefined ? this.#related.total(seen) : seen + this.#orphans.length;
  }

  /** False: there are no more. After an error the search starts again. */
  async #findMore(signal?: AbortSignal): Promise<boolean> {
    this.#indexed ??= this.#stores.indexedUsers()[Symbol.asyncIterator]();
    try {
      const { done, value = [] } = await this.#indexed.next();
      const candidates = (value as readonly Id[]).filter((user) => !this.#seen.has(user) && this.#isInRange(user));
      await this.#addOrphans(candidates, signal);
      return done !== true;
    } catch (error) {
      this.#indexed = this.#stores.indexedUsers()[Symbol.asyncIterator]();
      throw error;
    }
  }

  async #addOrphans(candidates: readonly Id[], signal?: AbortSignal): Promise<void> {
    if (candidates.length === 0) return;
    const { primary, rateLimiter } = this.#stores;
    await rateLimiter.spend(candidates.length, signal);
    const related = new Set(await findUsersAmong(primary, candidates));
    const orphans = candidates.filter((user) => !related.has(user));
    for (const user of orphans) this.#seen.add(user);
    this.#orphans = [...this.#orphans, ...orphans];
  }

  #isInRange(user: Id): boolean {
    return BigInt(user) > BigInt(this.#range.after) && BigInt(user) <= BigInt(this.#range.to);
  }
}

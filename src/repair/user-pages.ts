import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { nextOwners } from './next-owners.ts';
import type { OwnerEstimate, UserRange } from './owner-estimate.ts';

/** Users in a page: few enough to do again, and as many as go into one script call. */
export const PAGE_SIZE = 500;

/** Users by id, page by page. */
export interface UserPages {
  /** The next page; undefined: there are no more. The same one again until it is `done`. @throws the signal's reason */
  next(signal?: AbortSignal): Promise<readonly Id[] | undefined>;
  /** What to keep when this page is done: where a later part of the same job goes on. */
  readonly cursor: Id | '0';
  /** Goes on behind the last user of the page. */
  done(): void;
  /** How many users there are, as far as can be told when `seen` of them are done. */
  total(seen: number): number;
}

/** The users who own relationships. */
export class OwnerPages implements UserPages {
  readonly #database: Database;
  readonly #range: UserRange;
  readonly #size: number;
  readonly #from: Id | '0';
  readonly #estimate: OwnerEstimate;
  #after: Id | '0';
  #done = 0;
  /** The page, and who was found behind it. */
  #found: readonly Id[] = [];

  /** @param after where an earlier part of the same job ended; '0': there was none */
  constructor(database: Database, range: UserRange, size: number, estimate: OwnerEstimate, after: Id | '0' = '0') {
    this.#database = database;
    this.#range = range;
    this.#size = size;
    this.#after = after === '0' ? range.before : after;
    this.#from = this.#after;
    this.#estimate = estimate;
  }

  /** @throws DatabaseUnavailable */
  async next(): Promise<readonly Id[] | undefined> {
    await this.#estimate.look(this.#from, this.#after, this.#done);
    if (this.#found.length === 0) {
      this.#found = await nextOwners(this.#database, { after: this.#after, to: this.#range.to }, this.#size);
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

/** Users named beforehand. */
export class NamedPages implements UserPages {
  readonly #users: readonly Id[];
  readonly #size: number;
  #at = 0;

  constructor(users: readonly Id[], size: number) {
    this.#users = users;
    this.#size = size;
  }

  async next(): Promise<readonly Id[] | undefined> {
    const page = this.#page();
    return page.length === 0 ? undefined : page;
  }

  get cursor(): Id | '0' {
    return this.#page().at(-1) ?? '0';
  }

  done(): void {
    this.#at = Math.min(this.#at + this.#size, this.#users.length);
  }

  total(seen: number): number {
    return seen + this.#users.length - this.#at;
  }

  #page(): readonly Id[] {
    return this.#users.slice(this.#at, this.#at + this.#size);
  }
}

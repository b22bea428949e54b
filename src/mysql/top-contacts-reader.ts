import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import { type ReadOptions, StatementTooSlow } from './database.ts';
import type { KindDatabase } from './statements/kind-statements.ts';
import { readTopContacts, type TopContacts } from './statements/top-contacts.ts';

/** The deadline and urgency of a read. */
export type ReadBy = Pick<ReadOptions, 'deadline' | 'heavy'>;

interface TopContactsReaderOptions {
  readonly database: KindDatabase;
  /** The time limit of a statement about one user, ms. */
  readonly aloneMs: number;
  /** Monotonic ms. */
  readonly now: () => number;
}

/** The intended time of a statement about several users, ms: long enough to be worth a round trip. */
const TARGET_MS = 250;

/** Its time limit, ms, so that a wrong guess does not cost a whole deadline. */
const SEVERAL_MS = 1_000;

const FIRST = 25;
const MOST = 500;

/** The divisor of the number of users after a time limit: from MOST it takes three steps, or seconds, to one user. */
const SHRINK = 8;

/** How long, and for how many users, it is remembered that a user takes too long. */
const HEAVY = { ttl: 600_000, max: 10_000 };

/**
 * Reads top contacts in statements of a suitable size. Their cost is the number of the users' contacts, which is not
 * known without reading them (counting takes half as long as reading). So the duration of the last statement decides
 * the number of users in the next. After a statement that took too long it shrinks, down to one user, who gets more
 * time.
 */
export class TopContactsReader {
  readonly #options: TopContactsReaderOptions;
  readonly #heavy = new LRUCache<Id, true>(HEAVY);
  #size = FIRST;

  constructor(options: TopContactsReaderOptions) {
    this.#options = options;
  }

  /** The time limit of a statement about one user, ms. */
  get aloneMs(): number {
    return this.#options.aloneMs;
  }

  /**
   * The top contacts of as many of the first users as one statement can read, in one snapshot with the epoch. Empty
   * when the first user alone takes too long.
   * @param users at least one
   * @throws DatabaseNotPrimary, DatabaseUnavailable, DeadlineExceeded, RequestCancelled
   */
  async read(users: readonly Id[], count: number, by: ReadBy = {}): Promise<TopContacts> {
    const first = users[0];
    if (first === undefined || this.#heavy.has(first)) return NOBODY;
    for (let some = this.#fitting(users); ; some = some.slice(0, this.#size)) {
      const found = await this.#tryToRead(some, count, by);
      if (found !== undefined) return found;
      if (some.length === 1) {
        this.#heavy.set(first, true);
        return NOBODY;
      }
    }
  }

  #fitting(users: readonly Id[]): readonly Id[] {
    const some = users.slice(0, this.#size);
    const heavy = some.findIndex((user) => this.#heavy.has(user));
    return heavy < 0 ? some : some.slice(0, heavy);
  }

  async #tryToRead(users: readonly Id[], count: number, by: ReadBy): Promise<TopContacts | undefined> {
    const { database, aloneMs, now } = this.#options;
    const begun = now();
    try {
      const withinMs = users.length === 1 ? aloneMs : Math.min(SEVERAL_MS, aloneMs);
      const found = await readTopContacts(database, users, count, { ...by, withinMs });
      const fitting = (users.length * TARGET_MS) / Math.max(now() - begun, 1);
      this.#resize(Math.min(fitting, this.#size * 2));
      return found;
    } catch (error) {
      if (!(error instanceof StatementTooSlow)) throw error;
      this.#resize(users.length / SHRINK);
      return undefined;
    }
  }

  #resize(size: number): void {
    this.#size = Math.max(1, Math.min(MOST, Math.floor(size)));
  }
}

const NOBODY: TopContacts = { epoch: '', tops: [] };

import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import {
  lastUploadOf,
  readShown,
  type ShownContact,
  shownColumns,
  shownContacts,
  shownStatement,
  viewColumns,
} from './contacts.ts';
import { type ColumnValue, type Database, type ReadOptions, StatementTooSlow } from './database.ts';
import { EPOCH, readOwn } from './epoch.ts';
import { BY_KEY, LAST_UPLOAD, topUploads, withUploads } from './last-upload.ts';
import { madeOnce, readLearned } from './learned.ts';

export interface TopContacts {
  readonly epoch: string;
  /**
   * In the order of the users asked for, the keys of each user's top contacts, highest first. A
   * {@link TopContactsReader} may return only those of the first users.
   */
  readonly tops: readonly (readonly Key[])[];
  /** When one user was asked for: the same contacts as an answer shows them. */
  readonly live?: LiveTop;
}

/** A user's top contacts, highest key first. */
export interface LiveTop {
  readonly contacts: readonly ShownContact[];
  /** There are no others. */
  readonly isAll: boolean;
}

// For one user, a sort that keeps only the rows wanted. For several, one pass with a window, because MariaDB has no
// LATERAL.
const OF_ONE = { from: 'recency_contacts AS c', where: 'c.user_id = ?', rows: 'many' } as const;

const TOP_OF_ONE = madeOnce(shownStatement((by) => topUploads(by, OF_ONE, viewColumns(by), shownColumns(by))));

const OF_MANY = {
  from: `JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.id`,
  where: 'TRUE',
  rows: 'many',
} as const;

const TOP_OF_MANY = madeOnce((by) => {
  const { from, where } = withUploads(by, OF_MANY, ['user_id', 'contact_id']);
  return `
  SELECT top.user_id, top.contact_id, top.at, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id, c.contact_id, ${LAST_UPLOAD} AS at,
           ROW_NUMBER() OVER (PARTITION BY c.user_id ORDER BY ${BY_KEY}) AS place
    FROM ${from}
    WHERE ${where}
  ) AS top ON top.place <= ?`;
});

/**
 * The top `count` contacts of each user by key, in one snapshot together with the epoch.
 * @throws DatabaseNotPrimary, DatabaseUnavailable, StatementTooSlow
 */
export async function readTopContacts(
  database: Database,
  users: readonly Id[],
  count: number,
  options: ReadOptions = {},
): Promise<TopContacts> {
  const asked = { heavy: 'background', ...options } as const;
  const [only] = users;
  if (users.length === 1 && only !== undefined) {
    const found = await readShown(database, TOP_OF_ONE, (statement) =>
      readOwn(database, statement, [only, String(count)], asked),
    );
    const live = shownContacts(found);
    live.sort(byKeyDescending); // a derived table has no order of its own
    return {
      epoch: found.epoch,
      tops: [live.map(({ id, at }) => ({ id, at }))],
      live: { contacts: live, isAll: live.length < count },
    };
  }
  const { epoch, rows } = await readLearned(database, TOP_OF_MANY, (text) =>
    readOwn(database, text, [JSON.stringify(users), String(count)], asked),
  );
  return { epoch, tops: group(users, rows) };
}

/** The deadline and urgency of a read. */
export type ReadBy = Pick<ReadOptions, 'deadline' | 'heavy'>;

export interface TopContactsReaderOptions {
  readonly database: Database;
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

function group(users: readonly Id[], rows: readonly (readonly ColumnValue[])[]): Key[][] {
  const tops = new Map<Id, Key[]>(users.map((user) => [user, []]));
  for (const [user, contact, at] of rows) {
    if (user !== null && contact !== null) tops.get(String(user))?.push({ id: String(contact), at: lastUploadOf(at) });
  }
  // A derived table has no order of its own.
  return users.map((user) => (tops.get(user) ?? []).sort(byKeyDescending));
}

import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import { isAbove, type Key } from '../contracts/key.ts';
import type { ContactIndex, Reading, WarmReading } from '../index/contact-index.ts';
import type { Database } from '../mysql/database.ts';
import { type LiveContact, readCandidates, readPlain } from '../mysql/live-contacts.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { certainRows, countAboveFloor, type Page } from './narrow.ts';
import { Stopwatch } from './stopwatch.ts';

export interface RecentQuery extends Page {
  readonly user: Id;
  /** Contacts wanted, 1 to 100. */
  readonly limit: number;
}

export interface RecentAnswer {
  /** Highest key first. */
  readonly contacts: readonly LiveContact[];
  /** There may be more below the last of them. */
  readonly more: boolean;
  /** `index`: the narrowed query; `database`: the plain one. */
  readonly source: 'index' | 'database';
  /** Every row is in its right place as of the moment the index was read, but for changes whose tasks are on their way. */
  readonly exact: boolean;
  /** Every contact of the user was considered: the plain query, or an index that left nobody out. */
  readonly complete: boolean;
  readonly floor: Key | undefined;
  readonly reason: Reason | undefined;
  /** ms spent waiting for Redis and for MySQL. */
  readonly timing: { readonly index: number; readonly db: number };
}

export interface RecentContactsOptions {
  readonly index: Pick<ContactIndex, 'read'>;
  /** Where the rows are read. */
  readonly database: Database;
  /** The rows come from a replica, which may lag. */
  readonly fromReplica: boolean;
  /** Below so many candidates above the floor a rebuild would help. */
  readonly min: number;
  /** Bounds how many plain queries run at once. @throws when too many wait already */
  readonly limitPlain: <T>(query: () => Promise<T>) => Promise<T>;
  /** Called when the user has no index: start to build one, once. */
  readonly onCold: (user: Id) => void;
  /** Called when the user was answered from the index. */
  readonly onServed?: (user: Id) => void;
  /** Called when an index has run low, and a rebuild would help: schedule one. */
  readonly onLow: (user: Id) => void;
  /** Reading counts as use, which keeps an index from being dropped. */
  readonly touch: boolean;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** Beyond the limit, so that a candidate or two that fell do not cost a second query. */
const SPARE_CANDIDATES = 2;

/**
 * Answers "which of my contacts were active most recently?": the head of the user's index narrows the live query, and
 * what comes back is certified against the floor. What the index cannot certify, the plain query over all contacts answers.
 */
export class RecentContacts {
  readonly #options: RecentContactsOptions;

  constructor(options: RecentContactsOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, and what `limitPlain` throws */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const clock = new Stopwatch(this.#options.now);
    let reading: Reading;
    try {
      reading = await clock.time('index', () => this.#options.index.read(query.user, 0, this.#options.touch));
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      return await this.#plain(query, 'redis_unavailable', clock);
    }
    if (reading.state !== 'warm') return await this.#cold(query, clock);
    return await this.#narrowed(query, reading, clock);
  }

  async #narrowed(query: RecentQuery, reading: WarmReading, clock: Stopwatch): Promise<RecentAnswer> {
    const { head, floor } = reading;
    if (isBeyondIndex(query, reading)) return await this.#beyond(query, reading, clock);
    const few = query.below === undefined ? query.limit + SPARE_CANDIDATES : head.length;
    for (const count of few < head.length ? [few, head.length] : [head.length]) {
      const candidates = head.slice(0, count).map((key) => key.id);
      const live = await clock.time('db', () => readCandidates(this.#options.database, query.user, candidates));
      if (live.epoch !== reading.epoch) return await this.#cold(query, clock);
      const certain = certainRows(live.contacts, query, head[count] ?? floor);
      const all = count === head.length;
      if (certain.length >= query.limit || (all && floor === undefined)) {
        this.#options.onServed?.(query.user);
        const more = certain.length > query.limit || (certain.length === query.limit && !(all && floor === undefined));
        const contacts = certain.slice(0, query.limit);
        const { isReplica } = live;
        return this.#answer({ contacts, more, source: 'index', floor, isReplica }, undefined, clock);
      }
      if (all && countAboveFloor(live.contacts, floor) < this.#options.min) this.#options.onLow(query.user);
    }
    return await this.#plain(query, 'below_floor', clock);
  }

  async #beyond(query: RecentQuery, reading: WarmReading, clock: Stopwatch): Promise<RecentAnswer> {
    if (reading.size < this.#options.min) this.#options.onLow(query.user);
    return await this.#plain(query, 'below_floor', clock);
  }

  async #cold(query: RecentQuery, clock: Stopwatch): Promise<RecentAnswer> {
    this.#options.onCold(query.user);
    return await this.#plain(query, 'cold', clock);
  }

  async #plain(query: RecentQuery, reason: Reason, clock: Stopwatch): Promise<RecentAnswer> {
    const { database, limitPlain } = this.#options;
    const { contacts: rows, isReplica } = await clock.time('db', () =>
      limitPlain(() => readPlain(database, { ...query, limit: query.limit + 1 })),
    );
    const contacts = rows.slice(0, query.limit);
    const more = rows.length > query.limit;
    return this.#answer({ contacts, more, source: 'database', floor: undefined, isReplica }, reason, clock);
  }

  #answer(
    { isReplica, ...found }: Pick<RecentAnswer, 'contacts' | 'more' | 'source' | 'floor'> & { isReplica: boolean },
    reason: Reason | undefined,
    clock: Stopwatch,
  ): RecentAnswer {
    const fromReplica = this.#options.fromReplica || isReplica;
    return {
      ...found,
      exact: !fromReplica,
      complete: found.floor === undefined,
      reason: fromReplica ? 'replica' : reason,
      timing: clock.spent,
    };
  }
}

/** No index of these entries could answer, whatever MySQL says of them: the narrowed query would be for nothing. */
function isBeyondIndex({ limit, below }: RecentQuery, { head, floor }: WarmReading): boolean {
  return floor !== undefined && (head.length < limit || (below !== undefined && !isAbove(below, floor)));
}

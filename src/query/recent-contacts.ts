import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import { isAbove, type Key } from '../contracts/key.ts';
import type { ContactIndex, Reading, WarmReading } from '../index/contact-index.ts';
import { type LiveContact, readCandidates, readPlain } from '../mysql/contacts.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import type { ColdAnswer } from './cold-builds.ts';
import { candidatesFor, certifiedPage, countAboveFloor, type PageWanted, pageOfTop } from './narrow.ts';
import { Stopwatch } from './stopwatch.ts';

export interface RecentQuery extends PageWanted {
  /** `limit` is 1 to 100. */
  readonly user: Id;
  /** Of the request: all of its waits end then. */
  readonly deadline?: Deadline | undefined;
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
  /** Why the database answered; undefined: the index did. */
  readonly reason: Reason | undefined;
  /** The rows are a replica's, which may lag. */
  readonly replica: boolean;
  /** ms spent waiting for Redis and for MySQL. */
  readonly timing: { readonly index: number; readonly db: number };
}

export interface RecentContactsOptions {
  readonly index: Pick<ContactIndex, 'read'>;
  /** Where the rows are read. */
  readonly database: Database;
  /** Below so many candidates above the floor a rebuild would help. */
  readonly min: number;
  /** As many as an index keeps: a rebuild helps a page of up to so many. */
  readonly max: number;
  /** Builds the index of a cold user for an answer out of the same rows. Left out: cold answers are plain ones. */
  readonly coldAnswers?: (user: Id, deadline?: Deadline) => Promise<ColdAnswer>;
  /** Called when the user has no index, and none is built for the answer: start to build one, once. */
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

type ColdAnswers = RecentContactsOptions['coldAnswers'];

/**
 * Answers "which of my contacts were active most recently?": the head of the user's index narrows the live query, and
 * what comes back is certified against the floor. What the index cannot certify, the plain query over all contacts answers.
 */
export class RecentContacts {
  readonly #options: RecentContactsOptions;

  constructor(options: RecentContactsOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    return await this.#find(query, new Stopwatch(this.#options.now), this.#options.coldAnswers);
  }

  async #find(query: RecentQuery, clock: Stopwatch, coldAnswers: ColdAnswers): Promise<RecentAnswer> {
    let reading: Reading;
    try {
      const asked = () => this.#options.index.read(query.user, 0, this.#options.touch);
      reading = await clock.time('index', () => withinDeadline(query.deadline, asked()));
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      return await this.#plain(query, 'redis_unavailable', clock);
    }
    if (reading.state === 'warm') {
      const answer = await this.#narrowed(query, reading, clock);
      if (answer !== 'other_epoch') return answer;
    }
    return await this.#cold(query, clock, coldAnswers);
  }

  async #narrowed(query: RecentQuery, reading: WarmReading, clock: Stopwatch): Promise<RecentAnswer | 'other_epoch'> {
    const { floor } = reading;
    const { user, deadline } = query;
    if (isBeyondIndex(query, reading)) return await this.#beyond(query, reading, clock);
    for (const { keys, horizon, isAll } of candidatesFor(reading, query)) {
      const ids = keys.map((key) => key.id);
      const live = await clock.time('db', () => readCandidates(this.#options.database, user, ids, deadline));
      if (live.epoch !== reading.epoch) return 'other_epoch';
      const page = certifiedPage(live.contacts, horizon, query);
      if (page !== undefined) {
        this.#options.onServed?.(user);
        return this.#answer({ ...page, source: 'index', floor, isReplica: live.isReplica }, undefined, clock);
      }
      if (isAll && countAboveFloor(live.contacts, floor) < this.#leastFor(query)) this.#options.onLow(user);
    }
    return await this.#plain(query, 'below_floor', clock);
  }

  async #beyond(query: RecentQuery, reading: WarmReading, clock: Stopwatch): Promise<RecentAnswer> {
    if (reading.size < this.#leastFor(query)) this.#options.onLow(query.user);
    return await this.#plain(query, 'below_floor', clock);
  }

  /**
   * The fewest candidates that an index must have for this page to come from it. A rebuild leaves `max`, or everybody: so it
   * helps a first page of up to `max`, whatever a trim has left, and is not asked for again by a user who has fewer contacts.
   */
  #leastFor({ limit, relation, below }: RecentQuery): number {
    const { min, max } = this.#options;
    return relation === 'any' && below === undefined && limit <= max ? Math.max(min, limit) : min;
  }

  /**
   * Where the index can hold the page, one statement does for both: the rows that it is built from are the top of the
   * same truth, in one snapshot that was taken after the request had come. Whoever finds it being built for somebody else
   * cannot have those rows, which may be from before; but the index is there then.
   */
  async #cold(query: RecentQuery, clock: Stopwatch, coldAnswers: ColdAnswers): Promise<RecentAnswer> {
    const { user, limit, deadline } = query;
    if (coldAnswers === undefined || limit > this.#options.max) {
      this.#options.onCold(user);
      return await this.#plain(query, 'cold', clock);
    }
    const found = await clock
      .time('db', () => coldAnswers(user, deadline))
      .catch((error: unknown) => {
        // No index can be written now, from the rows of that server or in that Redis. The plain query answers all the same.
        if (error instanceof DatabaseNotPrimary || error instanceof RedisUnavailable) return undefined;
        throw error;
      });
    if (found === 'built') return await this.#find(query, clock, undefined);
    const page = found === undefined ? undefined : pageOfTop(found.contacts, found.isAll, query);
    if (page === undefined) return await this.#plain(query, 'cold', clock);
    return this.#answer(
      { ...page, source: 'database', floor: undefined, isReplica: this.#options.database.isReplica },
      'cold',
      clock,
    );
  }

  async #plain(query: RecentQuery, reason: Reason, clock: Stopwatch): Promise<RecentAnswer> {
    const { database } = this.#options;
    const wanted = { ...query, limit: query.limit + 1 };
    const { contacts: rows, isReplica } = await clock.time('db', () => readPlain(database, wanted, query.deadline));
    const contacts = rows.slice(0, query.limit);
    const more = rows.length > query.limit;
    return this.#answer({ contacts, more, source: 'database', floor: undefined, isReplica }, reason, clock);
  }

  #answer(
    { isReplica, ...found }: Pick<RecentAnswer, 'contacts' | 'more' | 'source' | 'floor'> & { isReplica: boolean },
    reason: Reason | undefined,
    clock: Stopwatch,
  ): RecentAnswer {
    return {
      ...found,
      exact: !isReplica,
      complete: found.floor === undefined,
      reason,
      replica: isReplica,
      timing: clock.spent,
    };
  }
}

/** No index of these entries could answer, whatever MySQL says of them: the narrowed query would be for nothing. */
function isBeyondIndex({ limit, below }: RecentQuery, { head, floor }: WarmReading): boolean {
  return floor !== undefined && (head.length < limit || (below !== undefined && !isAbove(below, floor)));
}

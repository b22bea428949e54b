import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, Reading, WarmReading } from '../index/contact-index.ts';
import { type AnswerDatabase, DatabaseNotPrimary } from '../mysql/database.ts';
import { readCandidates } from '../mysql/statements/candidates.ts';
import type { LiveContacts } from '../mysql/statements/contacts.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { readPlain } from '../mysql/statements/plain-contacts.ts';
import { isWithoutRedis } from '../redis/unavailable.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { annotate, isTracing } from '../tracing/tracing.ts';
import { candidateReads, type LiveRows } from './candidate-reads.ts';
import type { ColdAnswer } from './cold-builds.ts';
import { type ContactPage, candidatesFor, certifiedPage, countAboveFloor, isBeyondIndex, pageOfTop } from './narrow.ts';
import { mayHaveWindow, PageWindows } from './page-windows.ts';
import {
  answerOf,
  asCommitted,
  type Beginning,
  beginningAt,
  type IndexLag,
  isTooFarBehind,
  mayNotLag,
  ofPrimary,
  type RecentAnswer,
  type RecentQuery,
} from './recent-answer.ts';
import type { SmallUsers } from './small-users.ts';
import { Stopwatch } from './stopwatch.ts';

export interface RecentContactsOptions extends IndexLag {
  readonly index: Pick<ContactIndex, 'read'>;
  /** The server that the rows are read from. */
  readonly database: KindDatabase;
  /** Answers what must not lag. Left out: `database`. */
  readonly primary?: KindDatabase;
  /** Answers for those of whom no index is kept. Left out: nobody is small. */
  readonly small?: Pick<SmallUsers, 'isKnown' | 'find'> | undefined;
  /** With fewer candidates above the floor than this, a rebuild would help. */
  readonly min: number;
  /** The most entries an index keeps, and so the longest page that a rebuild helps. */
  readonly max: number;
  /** Builds a cold user's index and answers from the same rows. Left out: the plain query answers for cold users. */
  readonly coldAnswers?: (user: Id, deadline?: Deadline) => Promise<ColdAnswer>;
  /** Called when the user has no index and `coldAnswers` builds none. Should start a build, once. */
  readonly onCold: (user: Id) => void;
  /** Called when the index answered. */
  readonly onServed?: (user: Id) => void;
  /** Called when an index has run low and a rebuild would help. Should schedule one. */
  readonly onLow: (user: Id) => void;
  /** Reading counts as use, which keeps the index from being dropped as idle. */
  readonly touch: boolean;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** ms since 1970 UTC (`Date.now`). */
  readonly clock?: () => number;
}

/** The parts of an answer, as spans. */
const NARROWED = 'recency.query.narrowed';
const PLAIN = 'recency.query.plain';
const BUILD = 'recency.index.build';

/**
 * Answers "which of my contacts were active most recently?" The head of the user's index narrows the live query, and the
 * result is certified against the floor. What the index cannot certify is answered by the plain query over all contacts.
 */
export class RecentContacts {
  readonly #options: RecentContactsOptions;
  readonly #reads: ReturnType<typeof candidateReads>;
  readonly #windows = new PageWindows();

  constructor(options: RecentContactsOptions) {
    this.#options = options;
    this.#reads = candidateReads(options.database);
  }

  /** @throws DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const { coldAnswers, now } = this.#options;
    const clock = new Stopwatch(now);
    const reason = query.consistency === 'strong' ? 'strong' : query.freshness?.plain;
    const answer = await (reason === undefined
      ? this.#find(query, clock, coldAnswers)
      : this.#plain(query, reason, clock));
    const committed = asCommitted(answer, query.freshness);
    if (isTracing()) annotate(attributesOf(committed));
    return committed;
  }

  /** @param coldAnswers undefined: a cold user is answered by the plain query */
  async #find(
    query: RecentQuery,
    clock: Stopwatch,
    coldAnswers: RecentContactsOptions['coldAnswers'],
  ): Promise<RecentAnswer> {
    const { index, touch, small } = this.#options;
    const { user, deadline } = query;
    const whole = small?.isKnown(user) ? await small.find(query, clock) : undefined;
    if (whole !== undefined) return whole;
    const begun = this.#begin(query);
    let reading: Reading;
    try {
      reading = await clock.time('index', () => withinDeadline(deadline, index.read(user, 0, touch)));
    } catch (error) {
      if (!isWithoutRedis(error)) throw error;
      return await this.#plain(query, 'redis_unavailable', clock);
    }
    if (reading.state === 'warm') {
      const answer = await this.#narrowed(query, reading, begun, clock);
      if (answer !== 'other_epoch') return answer;
    }
    return await this.#cold(query, clock, coldAnswers);
  }

  async #narrowed(
    query: RecentQuery,
    reading: WarmReading,
    begun: Beginning,
    clock: Stopwatch,
  ): Promise<RecentAnswer | 'other_epoch'> {
    const { onServed, onLow } = this.#options;
    const { user } = query;
    const { floor } = reading;
    if (isTooFarBehind(query, begun.lagMs)) return await this.#plain(query, 'lag', clock);
    if (isBeyondIndex(query, reading)) {
      if (reading.size < this.#leastFor(query)) onLow(user);
      return await this.#belowIndex(query, reading, begun, clock);
    }
    for (const { keys, horizon, isAll } of candidatesFor(reading, query)) {
      const ids = keys.map((key) => key.id);
      const live = await clock.time('db', () => this.#readLive(query, ids), NARROWED);
      if (live.epoch !== reading.epoch) return 'other_epoch';
      const page = certifiedPage(live.contacts, horizon, query, 'seenAll' in live ? live.seenAll : undefined);
      if (page !== undefined) {
        if (live.isReplica && mayNotLag(query)) return await this.#plain(query, 'lag', clock);
        onServed?.(user);
        return answerOf(
          { ...page, ...begun, source: 'index', floor, reason: undefined, replica: live.isReplica },
          clock,
        );
      }
      if (isAll && countAboveFloor(live.contacts, floor) < this.#leastFor(query)) onLow(user);
    }
    return await this.#plain(query, 'below_floor', clock);
  }

  /** A page that the index cannot answer: narrowed by a window of a plain query before, or by a plain query that leaves one. */
  async #belowIndex(
    query: RecentQuery,
    reading: WarmReading,
    begun: Beginning,
    clock: Stopwatch,
  ): Promise<RecentAnswer | 'other_epoch'> {
    if (!mayHaveWindow(query)) return await this.#plain(query, 'below_floor', clock);
    const candidates = this.#windows.find(query, reading);
    if (candidates !== undefined) {
      const ids = candidates.keys.map((key) => key.id);
      const live = await clock.time('db', () => this.#readLive(query, ids), NARROWED);
      if (reading.epoch !== live.epoch) return 'other_epoch';
      const page = certifiedPage(live.contacts, candidates.horizon, query);
      if (page !== undefined && !live.isReplica) return answerOf(windowParts(page, begun), clock);
    }
    return await this.#plain(query, 'below_floor', clock, reading);
  }

  /** What only a statement of its own says, is asked by one: what is unseen, and the rows of another server. */
  #readLive(query: RecentQuery, ids: readonly Id[]): Promise<LiveContacts | LiveRows> {
    const { user, deadline, unseen, freshness } = query;
    const isShared = unseen !== true && freshness?.database === undefined;
    if (isShared) return this.#reads.read({ user, candidates: ids }, deadline);
    return readCandidates(this.#databaseFor(query), user, ids, deadline);
  }

  /**
   * The fewest candidates with which the index can answer this page. A rebuild leaves `max` entries, or all contacts. So it
   * helps a first page of up to `max`, whatever a trim has left, and is not requested again for a user with fewer contacts.
   */
  #leastFor({ limit, relation, below }: RecentQuery): number {
    const { min, max } = this.#options;
    return relation === 'any' && below === undefined && limit <= max ? Math.max(min, limit) : min;
  }

  /**
   * Where the index can hold the page, one statement serves both: the rows that the index is built from are the top of the
   * same truth, in one snapshot taken after the request arrived. A request that finds a build already running cannot use
   * its rows, which may be older than the request; but the index is there when the build is done.
   */
  async #cold(
    query: RecentQuery,
    clock: Stopwatch,
    coldAnswers: RecentContactsOptions['coldAnswers'],
  ): Promise<RecentAnswer> {
    const { user, limit, deadline } = query;
    const { database, max, onCold, small } = this.#options;
    const whole = await small?.find(query, clock);
    if (whole !== undefined) return whole;
    if (coldAnswers === undefined || limit > max) {
      onCold(user);
      return await this.#plain(query, 'cold', clock);
    }
    const begun = ofPrimary(this.#begin(query));
    const found = await clock
      .time('db', () => coldAnswers(user, deadline), BUILD)
      .catch((error: unknown) => {
        // No index can be written from that server's rows, or to that Redis. The plain query can still answer.
        if (error instanceof DatabaseNotPrimary || isWithoutRedis(error)) return undefined;
        throw error;
      });
    if (found === 'built') return await this.#find(query, clock, undefined);
    const page = found === undefined ? undefined : pageOfTop(found.contacts, found.isAll, query);
    if (page === undefined) return await this.#plain(query, 'cold', clock);
    const { isReplica: replica } = database.server;
    return answerOf({ ...page, ...begun, source: 'database', floor: undefined, reason: 'cold', replica }, clock);
  }

  /** @param keepFor the index as it was read before, whose next pages this one's query may narrow */
  async #plain(query: RecentQuery, reason: Reason, clock: Stopwatch, keepFor?: WarmReading): Promise<RecentAnswer> {
    const { limit, deadline } = query;
    const { database, primary = database } = this.#options;
    const from = mayNotLag(query) ? primary : this.#databaseFor(query);
    const begun = ofPrimary(this.#begin(query));
    const asked = keepFor === undefined ? limit + 1 : this.#windows.sizeFor(query, keepFor);
    const live = await clock.time('db', () => readPlain(from, { ...query, limit: asked }, deadline), PLAIN);
    const { isReplica: replica } = live;
    if (keepFor?.epoch === live.epoch && !replica) this.#windows.keep(query, keepFor, live.contacts, asked);
    if (replica && mayNotLag(query)) throw new DatabaseNotPrimary(NO_PRIMARY);
    const page = { contacts: live.contacts.slice(0, limit), more: live.contacts.length > limit };
    return answerOf({ ...page, ...begun, source: 'database', floor: undefined, reason, replica }, clock);
  }

  #begin(query: RecentQuery): Beginning {
    const { clock = Date.now } = this.#options;
    return beginningAt(clock(), this.#options, this.#databaseFor(query).server.isReplica);
  }

  #databaseFor({ freshness }: RecentQuery): KindDatabase<AnswerDatabase> {
    const { database } = this.#options;
    return { ...database, server: freshness?.database ?? database.server };
  }
}

function attributesOf({ source, reason, exact, replica }: RecentAnswer) {
  return {
    'recency.answer.source': source,
    'recency.answer.reason': reason,
    'recency.answer.exact': exact,
    'recency.answer.replica': replica,
  };
}

/** The order of a window is as old as the index that it belongs to. */
function windowParts(page: ContactPage, begun: Beginning) {
  return { ...page, ...begun, source: 'database', floor: undefined, reason: 'below_floor', replica: false } as const;
}

const NO_PRIMARY = 'MySQL takes no writes here, or is not the server on record: only the primary can answer this';

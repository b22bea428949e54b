import pLimit from 'p-limit';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, WarmReading } from '../index/contact-index.ts';
import type { AnswerDatabase } from '../mysql/database.ts';
import { ReplicaBehind } from '../mysql/replica-waits.ts';
import { readCandidatesOfMany } from '../mysql/statements/candidates.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { isWithoutRedis } from '../redis/unavailable.ts';
import { RequestCancelled, withinDeadline } from '../timing/deadline.ts';
import type { FreshnessOfMany } from './fresh-reads.ts';
import { type Candidates, candidatesFor, certifiedPage, isBeyondIndex } from './narrow.ts';
import {
  answerOf,
  asCommitted,
  type Beginning,
  beginningAt,
  type IndexLag,
  isTooFarBehind,
  mayNotLag,
  type RecentAnswer,
  type RecentQuery,
} from './recent-answer.ts';
import type { RecentContacts } from './recent-contacts.ts';
import type { SmallUsers } from './small-users.ts';
import { Stopwatch } from './stopwatch.ts';

/** The same question about several users. */
export interface BatchQuery extends Omit<RecentQuery, 'user' | 'below' | 'freshness'> {
  /** Undefined: the caller names no change that the answers must show. */
  readonly freshness?: FreshnessOfMany | undefined;
}

/** What became of one user: an answer, or why there is none. */
export type BatchOutcome = { readonly answer: RecentAnswer } | { readonly error: unknown };

export interface RecentBatchOptions extends IndexLag {
  readonly index: Pick<ContactIndex, 'readMany'>;
  /** The server that the rows are read from. */
  readonly database: KindDatabase;
  /** Answers for the users whom the indexes do not answer for, one by one. */
  readonly recent: Pick<RecentContacts, 'find'>;
  /** Answers before it for those of whom no index is kept, who share statements. Left out: nobody is small. */
  readonly small?: Pick<SmallUsers, 'isKnown' | 'find'> | undefined;
  /** Called for each user whom the index answered for. */
  readonly onServed?: (user: Id) => void;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** ms since 1970 UTC (`Date.now`). */
  readonly clock?: () => number;
}

interface BatchAnswers {
  /** Of each user who was asked for. */
  readonly outcomes: ReadonlyMap<Id, BatchOutcome>;
  /** Time spent waiting for Redis and for MySQL, ms; where several users waited at once, the sum. */
  readonly timing: RecentAnswer['timing'];
}

/** Users answered one by one at a time: one request must not take every turn of the plain queries. */
const ALONE_AT_ONCE = 4;

/** The span of their statement. */
const NARROWED = 'recency.query.narrowed';

/** A user whose index may hold the page. */
interface Narrowing {
  readonly user: Id;
  readonly reading: WarmReading;
  readonly steps: Iterator<Candidates, void, undefined>;
}

/**
 * Answers "who was active most recently?" for many users at once. Their indexes are read by one script call per bucket, and
 * their candidates by one statement, whose one proof and epoch hold for every row; then each user's page is certified
 * against that user's own index and floor. Those without an index because they have few contacts share statements. The users who are
 * left (cold, below the floor, without Redis) are answered singly, a few at a time, under the limits of plain queries. A user who
 * cannot be answered does not keep the others from their answers.
 */
export class RecentBatch {
  readonly #options: RecentBatchOptions;

  constructor(options: RecentBatchOptions) {
    this.#options = options;
  }

  /**
   * @param asked a user may come several times
   * @throws DatabaseUnavailable, DeadlineExceeded when nobody can be answered; RequestCancelled; ReplicaBehind
   */
  async find(asked: readonly Id[], query: BatchQuery): Promise<BatchAnswers> {
    const users = [...new Set(asked)];
    const clock = new Stopwatch(this.#options.now);
    const narrowed = await this.#narrowed(users, query, clock);
    const outcomes = new Map<Id, BatchOutcome>(Array.from(narrowed, ([user, answer]) => [user, { answer }]));
    const limit = pLimit(ALONE_AT_ONCE);
    const alone = async (user: Id) => void outcomes.set(user, await this.#alone(user, query, clock));
    await Promise.all(users.filter((user) => !narrowed.has(user)).map((user) => limit(() => alone(user))));
    return { outcomes, timing: clock.spent };
  }

  /** The users whom the indexes answer for. */
  async #narrowed(users: readonly Id[], query: BatchQuery, clock: Stopwatch): Promise<Map<Id, RecentAnswer>> {
    const { clock: time = Date.now } = this.#options;
    const answers = new Map<Id, RecentAnswer>();
    const begun = beginningAt(time(), this.#options, this.#databaseFor(query).server.isReplica);
    if (query.consistency === 'strong' || isTooFarBehind(query, begun.lagMs)) return answers;
    const mayNarrow = users.filter((user) => query.freshness?.of(user).plain === undefined);
    const [known, others] = partition(mayNarrow, (user) => this.#options.small?.isKnown(user) === true);
    const { cold, warm } = await this.#read(others, query, clock);
    let waiting = warm;
    while (waiting.length > 0) waiting = await this.#step(waiting, { query, begun, clock }, answers);
    await Promise.all([...known, ...cold].map((user) => this.#small(user, query, { clock, answers })));
    return answers;
  }

  /** Who cannot be answered so is tried alone. */
  async #small(
    user: Id,
    query: BatchQuery,
    { clock, answers }: { clock: Stopwatch; answers: Map<Id, RecentAnswer> },
  ): Promise<void> {
    const freshness = query.freshness?.of(user);
    const asked = { ...query, user, below: undefined, freshness };
    const answer = await this.#options.small?.find(asked, clock).catch(passingOn);
    if (answer !== undefined) answers.set(user, asCommitted(answer, freshness));
  }

  /** The users with an index that may hold the page, and those without any. Nobody when Redis is unavailable. */
  async #read(
    users: readonly Id[],
    query: BatchQuery,
    clock: Stopwatch,
  ): Promise<{ readonly warm: Narrowing[]; readonly cold: readonly Id[] }> {
    const page = { ...query, below: undefined };
    try {
      const reads = this.#options.index.readMany(users, 0, true);
      const readings = await clock.time('index', () => withinDeadline(query.deadline, reads));
      const warm = users.flatMap((user, i) => {
        const reading = readings[i];
        if (reading?.state !== 'warm' || isBeyondIndex(page, reading)) return [];
        return [{ user, reading, steps: candidatesFor(reading, page) }];
      });
      return { warm, cold: users.filter((_user, i) => readings[i]?.state !== 'warm') };
    } catch (error) {
      if (isWithoutRedis(error)) return { warm: [], cold: [] };
      throw error;
    }
  }

  /** Reads the next candidates of all in one statement. Returns those whose page these do not certify. */
  async #step(
    waiting: readonly Narrowing[],
    { query, begun, clock }: { query: BatchQuery; begun: Beginning; clock: Stopwatch },
    answers: Map<Id, RecentAnswer>,
  ): Promise<Narrowing[]> {
    const { onServed } = this.#options;
    const asked = waiting.flatMap((one) => {
      const { value } = one.steps.next();
      return value === undefined ? [] : [{ ...one, ...value }];
    });
    if (asked.length === 0) return [];
    const wanted = asked.map(({ user, keys }) => ({ user, candidates: keys.map(({ id }) => id) }));
    const live = await clock.time(
      'db',
      () => readCandidatesOfMany(this.#databaseFor(query), wanted, query.deadline),
      NARROWED,
    );
    if (live.isReplica && mayNotLag(query)) return [];
    const uncertain: Narrowing[] = [];
    for (const { user, reading, steps, horizon } of asked) {
      if (reading.epoch !== live.epoch) continue;
      const page = certifiedPage(live.contacts.get(user) ?? [], horizon, { ...query, below: undefined });
      if (page === undefined) uncertain.push({ user, reading, steps });
      else {
        const { floor } = reading;
        const from = { source: 'index', floor, reason: undefined, replica: live.isReplica } as const;
        const answer = answerOf({ ...page, ...begun, ...from }, clock);
        answers.set(user, asCommitted(answer, query.freshness?.of(user)));
        onServed?.(user);
      }
    }
    return uncertain;
  }

  async #alone(user: Id, query: BatchQuery, clock: Stopwatch): Promise<BatchOutcome> {
    try {
      const freshness = query.freshness?.of(user);
      const answer = await this.#options.recent.find({ ...query, user, below: undefined, freshness });
      clock.add(answer.timing);
      return { answer };
    } catch (error) {
      passingOn(error);
      return { error };
    }
  }

  #databaseFor({ freshness }: BatchQuery): KindDatabase<AnswerDatabase> {
    const { database } = this.#options;
    return { ...database, server: freshness?.database ?? database.server };
  }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** One user's failure is theirs alone. @throws what concerns all of them */
function passingOn(error: unknown): undefined {
  if (error instanceof RequestCancelled) throw error; // nobody is there for the others either
  if (error instanceof ReplicaBehind) throw error; // the primary answers for all of them
  return undefined;
}

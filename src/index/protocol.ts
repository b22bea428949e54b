/**
 * The protocol of the index. Read this before changing anything in this folder.
 *
 * # The problem
 *
 * A user's index in Redis is a copy of the top rows of the truth in MySQL (the view `recency_contacts`). It is kept current by
 * tasks that arrive late, twice, out of order, and at several workers at once. If a worker applied what a task says, the order
 * of processing would decide the result.
 *
 * # The rule
 *
 * So a task is only a hint that something changed. A worker that handles it
 *
 *   1. reads the user's NONCE from Redis: a random value that every write to the index replaces,
 *   2. then reads the current state from MySQL, in one autocommitted statement that also returns the EPOCH,
 *   3. writes that state in one script, only if the nonce is still the one from step 1, and replaces the nonce.
 *
 * A worker that finds another nonce in step 3 has lost a race. It starts again from step 1; after five attempts it puts the
 * work into the delay queue, and the task may be acknowledged.
 *
 * # Why it is correct
 *
 * Take any change committed in MySQL, and the last write of the index. If the worker that made that write read MySQL after the
 * commit, the index contains the change.
 *
 * Otherwise it read MySQL before the commit, and the nonce before that. The task of the change is published after the commit, so
 * the change's own refresh starts after that worker has read the nonce. If the refresh writes before the worker does, it replaces
 * the nonce, and the worker's write is refused. If it writes after the worker, or loses its race to the worker and starts again,
 * the worker's write is not the last one. If it finds no index and so writes nothing, the nonce that the worker read is gone, and
 * the worker's write is refused. Each case contradicts the assumption.
 *
 * # What can go wrong, and what prevents it
 *
 * Each of the following looks removable and is not. `npm run prove -- --mutate` removes them one by one and finds a wrong history.
 *
 * - A slow worker overwrites a newer state with an older one. The compare-and-set on the nonce prevents it, in a refresh and
 *   in a rebuild.
 * - A worker does not notice that another one has looked at the truth since, and restores an older state. So every write
 *   replaces the nonce, even if nothing changed or an entry was skipped.
 * - After a failover of Redis a counter repeats itself, and two different histories look alike. So the nonce is random.
 * - A rebuild of a cold user reads MySQL too early for a change, and the change's refresh skips the user as cold. So the rebuild
 *   first creates a PLACEHOLDER, a nonce alone. A refresh deletes it, and the rebuild finds its nonce gone.
 * - A contact is added although more recent ones, which were left out of the index, are missing. The FLOOR prevents it: the
 *   highest key ever left out. Above the floor the index is complete; at and below it, it says nothing. So a contact at or below
 *   the floor is removed, never kept. A trim raises the floor.
 * - In a fan-out, a contact is removed between reading the page of followers and reading the nonces. Its refresh is done, and
 *   writing the page's state would bring the contact back. So the pairs are read a second time, after the nonces.
 * - A write leaves too few members, and its worker ends before the rebuild that is now due. Nothing else knows of that rebuild,
 *   so it is finished, or in the delay queue, before the task is acknowledged.
 * - An index does not pay (allowance.ts): its user has few rows, or nobody has read it for many changes. It is DROPPED, by
 *   a rebuild, or by the script that would apply the next change; that change is then in no index. Both are safe at any moment,
 *   as any drop is: a rebuild that runs finds its nonce gone, and the next one reads MySQL after the change.
 * - An index without members expires, and none is kept for a user without any row. Both are cold then, and a rebuild reads MySQL
 *   again. While it exists, an empty index is written to like any other: a refresh must not skip it.
 * - A user is forgotten, and a rebuild that was requested earlier brings the index back. So forgetting leaves a note: a rebuild
 *   that is running finds its nonce gone and cannot claim a new one; nor can one that was requested earlier and starts later.
 * - Followers are cut into segments, which other workers refresh later. The segments' ranges leave no gap and cover all ids, so
 *   nobody is missed, whoever follows or stops following meanwhile. An upload needs no plan of its own if one waits; but a note
 *   that says so must be true (fan-out.ts), and is removed before the plan reads anything.
 * - A user is watched, and nobody says that what they see has changed. So a refresh, whatever its outcome, ends with a SIGNAL, and
 *   a drop as well, before the task is acknowledged. It is for the push alone: no index depends on it.
 * - A row cannot be read, or an entry not be written. The pairs of a call are halved down to those that fail alone, and so are the
 *   ranges of ids in which followers are read (follower-pages.ts); all others are refreshed. The change of such a pair is not in the
 *   index, so its user's index is DROPPED, and only the pair is set aside.
 * - A task arrives before the commit that it announces. Its row in MySQL is older than the task says, so the pair is RE-CHECKED
 *   later. The re-check is stored in MySQL before the task is acknowledged: if Redis is lost, the rebuilds of the new epoch may
 *   still read MySQL before that commit.
 *
 * # Losses: the epoch
 *
 * The compare-and-set cannot help when a store loses what it has acknowledged: Redis its latest writes, the transport its tasks,
 * MySQL its latest commits. Then a new EPOCH begins in MySQL, and every index of an older one counts as cold at once. The epoch in
 * a write is the one that the rows' own statement returned, never a cached or a later one: an index written from rows read
 * before the loss must count as one from before the loss.
 *
 * While tasks are known to be lost, the epoch is SUSPENDED (../mysql/losses.ts): its token is one that no index can have, and a
 * rebuild that reads it writes nothing.
 *
 * # How it is written
 *
 * Each operation (refresh.ts, rebuild.ts, fan-out.ts, segments.ts) is a generator. It yields the atomic steps that it wants done and is given
 * their replies; it does no I/O itself. So a test can drive the same code through every interleaving of its steps. Parts of an
 * operation that concern different users may run concurrently: nothing that must hold for one user's index depends on when
 * another's is written.
 */
import type { BulkTask } from '../contracts/bulk-task.ts';
import type { Id } from '../contracts/id.ts';
import type { FollowerRange } from '../mysql/statements/followers.ts';
import type { Pair, PairRows } from '../mysql/statements/pairs.ts';
import type { TopContacts } from '../mysql/statements/top-contacts.ts';
import type { ReadBy } from '../mysql/top-contacts-reader.ts';
import type { Allowance } from './allowance.ts';
import type { ContactIndex, Epoch } from './contact-index.ts';
import { alone, amongItems, bisect, isolateParts, type Search, type SetAside, type SettingAside } from './set-aside.ts';

/** Every atomic step: one script in Redis, or one statement in MySQL. */
export interface Steps extends Pick<ContactIndex, 'nonces' | 'apply' | 'claim' | 'replace' | 'drop'>, SystemOfRecord {
  /** Drops the users' indexes and the delayed work about them; no rebuild that was requested earlier brings one back. */
  forget(users: readonly Id[]): Promise<void>;
  /**
   * Notes that a new plan for the owner is about to be published, and names it; undefined: the note says that one of this
   * epoch is published.
   * @param lost the place of a published plan that does not wait any more
   */
  beginPlan(epoch: Epoch, owner: Id, lost?: string): Promise<string | undefined>;
  /** The place of the plan that the note says is published, '' if it does not name one; undefined: the note says of none in this epoch. */
  notedPlan(epoch: Epoch, owner: Id): Promise<string | undefined>;
  /**
   * Publishes to the bulk lane: durably, when it resolves.
   * @returns the place of each task in the lane, a text without spaces; nothing where the lane does not say
   */
  publish(tasks: readonly BulkTask[]): Promise<readonly string[] | undefined>;
  /** Is the task at this place of the bulk lane still to be done? False if that is not known. */
  isWaiting(place: string): Promise<boolean>;
  /** The plan that was begun is published: it waits, unless another has begun or it was taken. */
  planPublished(epoch: Epoch, owner: Id, plan: string, place?: string): Promise<void>;
  /** The plan does not wait any more. */
  takePlan(owner: Id, plan: string): Promise<void>;
  /** Puts work that could not be finished now into the delay queue. */
  defer(work: UnfinishedWork): Promise<void>;
  /** Asks for a check of those of these users who are watched (../push/check.ts): what they see may have changed. */
  signal(users: readonly Id[]): Promise<void>;
  /** Stores re-checks in MySQL, of pairs whose rows are older than their tasks say. `attempt` counts from 1. */
  recheck(pairs: readonly VersionedPair[], attempt: number): Promise<void>;
}

/** What the protocol asks MySQL's primary. Each answer is from one snapshot. */
export interface SystemOfRecord {
  /** The rows of these pairs (none where there is no row), and the epoch. */
  pairs(pairs: readonly Pair[], by?: Pick<ReadBy, 'deadline'>): Promise<PairRows>;
  /**
   * The same for pairs that are most of one contact's pairs between the first and the last, by user id. Rows that are not
   * related may be left out, and other users' rows may be included.
   */
  neighbours(pairs: readonly Pair[]): Promise<PairRows>;
  /**
   * The best contacts of these users, one more than an index holds, and the epoch. Possibly only of the first users, when
   * all of them are too many for one statement; of none, when the first one alone takes too long.
   */
  topContacts(users: readonly Id[], by?: ReadBy): Promise<TopContacts>;
  /** For each of these users how many changes an index takes without a read; undefined: it would not pay (allowance.ts). */
  allowances(users: readonly Id[], by?: ReadBy): Promise<readonly (Allowance | undefined)[]>;
  /** Those of these users who have any row, related or not. In no order. */
  owners(users: readonly Id[]): Promise<readonly Id[]>;
  /** The token of the epoch. */
  currentEpoch(): Promise<Epoch>;
  /** The `count`-th of the users who come after, counted from 1; undefined: there are not so many. */
  followerAt(from: FollowerRange, count: number): Promise<Id | undefined>;
  /** For each owner the next page of users who have a row with that owner, related or not, by id. In the order of the owners. */
  followers(wanted: readonly FollowerRange[], limit: number): Promise<readonly (readonly Id[])[]>;
  /** Followers whom somebody watches: some of them, in no order; none where finding them takes too long. */
  watchedFollowers(owner: Id, limit: number): Promise<readonly Id[]>;
}

/** A pair whose row must have at least this version. */
export interface VersionedPair extends Pair {
  readonly version: string;
}

/** What could not be finished, to be started again later. */
export interface UnfinishedWork {
  /** Pairs whose refresh lost every race. */
  readonly pairs: readonly Pair[];
  /** Users whose rebuild is due. */
  readonly rebuilds: readonly Id[];
}

export type StepName = keyof Steps;

export interface Step<N extends StepName = StepName> {
  readonly name: N;
  readonly args: Parameters<Steps[N]>;
}

/** Operations on different users, which may run concurrently. */
interface Together {
  /** Taken from the front, `atOnce` at a time, until it is empty. Running operations may add more. */
  readonly queue: Operation<void>[];
  readonly atOnce: number;
}

/** Work of which parts may fail by their own fault. */
interface Isolation {
  readonly whole: unknown;
  readonly search: Search<unknown>;
  readonly work: (part: unknown) => Operation<void>;
}

/** An operation in progress: yields steps, is given their replies, returns its result. */
export type Operation<T> = Generator<Step | Together | Isolation, T, unknown>;

/** One step of an operation: `const nonces = yield* step('nonces', users)`. */
export function* step<N extends StepName>(
  name: N,
  ...args: Parameters<Steps[N]>
): Operation<Awaited<ReturnType<Steps[N]>>> {
  return (yield { name, args } as Step) as Awaited<ReturnType<Steps[N]>>;
}

/** Runs operations concurrently: `yield* together(queue, 2)`. See {@link Together}. */
export function* together(queue: Operation<void>[], atOnce: number): Operation<void> {
  yield { queue, atOnce };
}

/**
 * Does work on all items together; when that fails by the fault of some of them, on halves of them, and so on (set-aside.ts),
 * so that all others are done. Work that was done may be done again. An item that fails alone is not tried again: it costs one
 * user the index, and a batch with many such items would hold up its lane.
 * @returns the items that fail alone
 */
export function* isolating<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Operation<void>,
): Operation<readonly SetAside<T>[]> {
  return alone(yield* isolatingParts(items, amongItems(1), work));
}

/** The same for work that is searched in another way. @returns the parts that cannot be cut, and fail */
export function* isolatingParts<W>(
  whole: W,
  search: Search<W>,
  work: (part: W) => Operation<void>,
): Operation<readonly SetAside<W>[]> {
  return (yield { whole, search, work } as Isolation) as readonly SetAside<W>[];
}

/**
 * The same operation with its concurrent parts one after the other, for a caller that drives it step by step. A step fails
 * when the caller throws into it.
 */
export function* inSequence<T>(operation: Operation<T>): Generator<Step, T, unknown> {
  let next = operation.next();
  while (!next.done) {
    const { value } = next;
    if ('queue' in value) {
      for (let part = value.queue.shift(); part; part = value.queue.shift()) yield* inSequence(part);
      next = operation.next();
    } else if ('search' in value) {
      next = operation.next(yield* isolatingInSequence(value));
    } else {
      next = operation.next(yield value);
    }
  }
  return next.value;
}

function* isolatingInSequence({
  whole,
  search,
  work,
}: Isolation): Generator<Step, readonly SetAside<unknown>[], unknown> {
  const trials = bisect(whole, search);
  let next = trials.next();
  while (!next.done) {
    let failure: Error | undefined;
    try {
      yield* inSequence(work(next.value.whole));
    } catch (error) {
      failure = error as Error;
    }
    next = trials.next(failure);
  }
  return next.value;
}

/** The right to go on with an operation. `renew` throws when it is lost. */
interface Renewable {
  renew(): Promise<void>;
}

/** What ends the search for items that fail by themselves; left out: what takes too long concerns all of them. */
type Isolating = Partial<SettingAside>;

/**
 * Runs an operation on real stores.
 * @param lease renewed before every step; what `renew` throws ends the operation
 * @param isolating whose fault a failure is, where the operation would isolate it
 * @throws the first error of a step, once every running step has ended
 */
export async function run<T>(
  operation: Operation<T>,
  steps: Steps,
  lease?: Renewable,
  { answers = async () => false, isEnd, onFailure }: Isolating = {},
): Promise<T> {
  const ends = new Set<unknown>();
  const renew = async () => {
    try {
      await lease?.renew();
    } catch (error) {
      ends.add(error);
      throw error;
    }
  };
  const setting = {
    answers,
    isEnd: (error: unknown) => ends.has(error) || isEnd?.(error) === true,
    ...(onFailure === undefined ? {} : { onFailure }),
  };
  return await go(operation, { steps, renew, setting });
}

interface Running {
  readonly steps: Steps;
  readonly renew: () => Promise<void>;
  readonly setting: SettingAside;
}

async function go<T>(operation: Operation<T>, running: Running): Promise<T> {
  let next = operation.next();
  while (!next.done) next = operation.next(await reply(next.value, running));
  return next.value;
}

async function reply(wanted: Step | Together | Isolation, running: Running): Promise<unknown> {
  if ('queue' in wanted) return await goTogether(wanted, running);
  if ('search' in wanted) {
    const { whole, search, work } = wanted;
    return await isolateParts(whole, search, (part) => go(work(part), running), running.setting);
  }
  await running.renew();
  return await (running.steps[wanted.name] as (...args: unknown[]) => Promise<unknown>)(...wanted.args);
}

async function goTogether({ queue, atOnce }: Together, running: Running): Promise<void> {
  const begun = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const begin = (operation: Operation<void>) => {
    const ended: Promise<unknown> = go(operation, running)
      .catch((error: unknown) => failures.push(error))
      .finally(() => begun.delete(ended));
    begun.add(ended);
  };
  do {
    while (begun.size < atOnce && failures.length === 0) {
      const operation = queue.shift();
      if (operation === undefined) break;
      begin(operation);
    }
    if (begun.size > 0) await Promise.race(begun);
  } while (begun.size > 0 || (queue.length > 0 && failures.length === 0));
  if (failures.length > 0) throw failures[0];
}

/**
 * The protocol of the index.
 *
 * An index is a copy of the top rows of the truth (the view `recency_contacts`), kept right by tasks that come late,
 * twice, in any order, to several workers at once. Applying what a task says would make the order of processing decide
 * the result. So a task is only a hint, and whoever applies it
 *
 *   1. reads the user's NONCE from Redis,
 *   2. reads the state from MySQL, after the nonce, in one autocommitted statement together with the EPOCH,
 *   3. writes that state in one script, only if the nonce is still the one of step 1, and replaces the nonce.
 *
 * Take any change committed in MySQL, and the last write of the index. Either that write's worker read MySQL after the
 * commit, and the index has the change; or it read before, and then the change's own task, which was published after
 * the commit, must have finished before that worker's read of the nonce or been refused and started again by its write.
 * Hence what looks removable is not:
 *
 * - The compare-and-set, in refresh and in rebuild: without it a slow worker overwrites a newer state with an older one.
 * - A new nonce on every write, also when nothing changed or an entry was skipped: otherwise a worker that read the state
 *   from before does not notice that the truth has been looked at since, and puts the older state back.
 * - The nonce is random: a counter repeats itself after a failover of Redis, and two different histories look alike.
 * - A placeholder (a nonce alone, made by a rebuild of a cold user) counts as something to write to: a refresh deletes it,
 *   and the rebuild finds its nonce gone. Skipping it would lose the change that the rebuild read too early for.
 * - The FLOOR: the highest key ever left out. Above it the index is complete; at and below it, it says nothing. A contact
 *   at or below the floor is removed, never kept: others between it and the floor may be missing. A trim raises it.
 * - The second read of the pairs in a fan-out: between the page of followers and the nonces, a contact may have been
 *   removed; its refresh is done, and writing the page's state would bring the contact back.
 * - Rebuilds that a write makes due are finished before the task is acknowledged: nobody else knows of them.
 * - An index of nothing may expire, and of a user without any row none is kept: both are cold, and a rebuild reads MySQL anew.
 *   It must not be skipped by a refresh while it is there: a placeholder or an empty index is written to like any other.
 * - A user who is forgotten leaves a note. A rebuild under way then finds its nonce gone, and may not claim a new one; nor may
 *   one that was asked for before and begins later. Without the note it would begin again, and bring the index back.
 * - A re-check (of a row that is older than its task says: the commit is still to come) is kept in MySQL before the task
 *   is acknowledged. When Redis is lost, the rebuilds of the new epoch may still read MySQL before that commit.
 *
 * The epoch in a write is the one that the rows' own statement returned, never a cached or a later one: after a loss (of
 * Redis's latest writes, of tasks, of MySQL's latest commits) a new epoch makes every index cold at once, and an index
 * written from rows of before must count as one of before. While tasks are known to be lost the epoch is suspended
 * (../mysql/losses.ts): its token is one that no index can have, and a rebuild that reads it writes nothing.
 *
 * How this is written: each operation is a generator that yields the atomic steps it wants done and is given their
 * replies. It does no I/O of its own, so a test can drive the very same code through every interleaving of its steps.
 * Parts of an operation that concern different users may run side by side: nothing that is true of one user's index
 * depends on when another's is written.
 */
import type { Id } from '../contracts/id.ts';
import type { Pair } from '../mysql/pairs.ts';
import type { ContactIndex } from './contact-index.ts';
import type { FanOutCursor } from './fan-out-cursors.ts';
import type { SystemOfRecord } from './system-of-record.ts';

/** Every atomic step there is: one script in Redis, or one statement in MySQL. */
export interface Steps extends Pick<ContactIndex, 'nonces' | 'apply' | 'claim' | 'replace' | 'drop'>, SystemOfRecord {
  /** Drops the users' indexes and the work that waits for them; no rebuild that was asked for before brings one back. */
  forget(users: readonly Id[]): Promise<void>;
  /** Where unfinished fan-outs of these owners stand; undefined: nowhere. In the order of the owners. */
  loadCursors(owners: readonly Id[]): Promise<(FanOutCursor | undefined)[]>;
  saveCursors(cursors: readonly FanOutCursor[]): Promise<void>;
  clearCursors(owners: readonly Id[]): Promise<void>;
  /** Puts work that could not be finished now into the delay queue. */
  defer(work: DeferredWork): Promise<void>;
  /** Has pairs looked at again later, whose rows are older than their tasks say: kept in MySQL. `attempt` counts from 1. */
  recheck(pairs: readonly VersionedPair[], attempt: number): Promise<void>;
}

/** A pair whose row must be at least of this version. */
export interface VersionedPair extends Pair {
  readonly version: string;
}

/** What lost its race too often, to be begun again later. */
export interface DeferredWork {
  readonly pairs: readonly Pair[];
  /** Users whose rebuild is due. */
  readonly rebuilds: readonly Id[];
}

export type StepName = keyof Steps;

export interface Step<N extends StepName = StepName> {
  readonly name: N;
  readonly args: Parameters<Steps[N]>;
}

/** Operations on different users, which may run side by side. */
export interface Together {
  /** Taken from the front, `atOnce` of them at a time, until none is left; those under way may add more. */
  readonly queue: Operation<void>[];
  readonly atOnce: number;
}

/** An operation in progress: yields steps, is given their replies, returns its result. */
export type Operation<T> = Generator<Step | Together, T, unknown>;

/** One step of an operation: `const nonces = yield* step('nonces', users)`. */
export function* step<N extends StepName>(
  name: N,
  ...args: Parameters<Steps[N]>
): Operation<Awaited<ReturnType<Steps[N]>>> {
  return (yield { name, args } as Step) as Awaited<ReturnType<Steps[N]>>;
}

/** Runs operations side by side: `yield* together(queue, 2)`. See {@link Together}. */
export function* together(queue: Operation<void>[], atOnce: number): Operation<void> {
  yield { queue, atOnce };
}

/** The same operation with its parts one after the other, for who drives it step by step. */
export function* inSequence<T>(operation: Operation<T>): Generator<Step, T, unknown> {
  let next = operation.next();
  while (!next.done) {
    const { value } = next;
    if ('queue' in value) {
      for (let part = value.queue.shift(); part; part = value.queue.shift()) yield* inSequence(part);
      next = operation.next();
    } else {
      next = operation.next(yield value);
    }
  }
  return next.value;
}

/** The right to go on with an operation. `renew` throws when it is lost. */
export interface Renewable {
  renew(): Promise<void>;
}

/**
 * Runs an operation on real stores.
 * @param lease renewed before every step; what `renew` throws ends the operation
 * @throws what a step threw, when every step under way has ended
 */
export async function run<T>(operation: Operation<T>, steps: Steps, lease?: Renewable): Promise<T> {
  let next = operation.next();
  while (!next.done) {
    const { value } = next;
    next = operation.next('queue' in value ? await runAll(value, steps, lease) : await take(value, steps, lease));
  }
  return next.value;
}

async function take({ name, args }: Step, steps: Steps, lease?: Renewable): Promise<unknown> {
  await lease?.renew();
  return await (steps[name] as (...args: unknown[]) => Promise<unknown>)(...args);
}

async function runAll({ queue, atOnce }: Together, steps: Steps, lease?: Renewable): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const begin = (operation: Operation<void>) => {
    const ended: Promise<unknown> = run(operation, steps, lease)
      .catch((error: unknown) => failures.push(error))
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  };
  do {
    while (underWay.size < atOnce && failures.length === 0) {
      const operation = queue.shift();
      if (operation === undefined) break;
      begin(operation);
    }
    if (underWay.size > 0) await Promise.race(underWay);
  } while (underWay.size > 0 || (queue.length > 0 && failures.length === 0));
  if (failures.length > 0) throw failures[0];
}

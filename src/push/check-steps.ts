import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Relation } from '../contracts/relation.ts';
import type { Watch } from '../contracts/watch.ts';
import type { Notification } from './channel.ts';
import type { Head } from './told.ts';
import type { NewWatch, WatchSave } from './watch-table.ts';

/** A head that is needed. */
export interface HeadAsked {
  readonly user: Id;
  readonly kind: KindName;
  readonly relation: Relation;
}

/** Every atomic step of a check. As in index/protocol.ts, the check itself does no I/O, so that a test can interleave them. */
export interface CheckSteps {
  /** Creates the row of a watch, which has been told nothing and is due. */
  insert(watch: NewWatch): Promise<Id>;
  /** From here on a change of what these users see asks for a check. */
  watch(users: readonly Id[]): Promise<void>;
  /** From here on it does not. */
  unwatch(users: readonly Id[]): Promise<void>;
  /** Those of these users who have a watch that has not ended. */
  watchedOf(users: readonly Id[]): Promise<readonly Id[]>;
  /** These watches as MySQL has them. */
  watches(ids: readonly Id[]): Promise<readonly Watch[]>;
  /** What live answers show now, in the order asked; undefined: none can be had. */
  heads(asked: readonly HeadAsked[]): Promise<readonly (Head | undefined)[]>;
  /** Saves watches whose version is still the one that was read; the new versions of these, by id. */
  save(saves: readonly WatchSave[]): Promise<ReadonlyMap<Id, string>>;
  /** Keeps notifications that are given up as dead letters. */
  deadLetter(notifications: readonly Notification[]): Promise<void>;
  /** Has these users checked again. @param afterMs from now */
  again(users: readonly Id[], afterMs: number): Promise<void>;
}

type CheckStepName = keyof CheckSteps;

interface CheckStep<N extends CheckStepName = CheckStepName> {
  readonly name: N;
  readonly args: Parameters<CheckSteps[N]>;
}

/** A part of a check in progress: yields steps, is given their replies, returns its result. */
export type CheckOperation<T> = Generator<CheckStep, T, unknown>;

export function* checkStep<N extends CheckStepName>(
  name: N,
  ...args: Parameters<CheckSteps[N]>
): CheckOperation<Awaited<ReturnType<CheckSteps[N]>>> {
  return (yield { name, args } as CheckStep) as Awaited<ReturnType<CheckSteps[N]>>;
}

/** Runs a part of a check on real stores. @param steps those that it takes @throws what a step throws */
export async function runCheck<T>(operation: CheckOperation<T>, steps: Partial<CheckSteps>): Promise<T> {
  let next = operation.next();
  while (!next.done) {
    const { name, args } = next.value;
    next = operation.next(await (steps[name] as (...args: unknown[]) => Promise<unknown>)(...args));
  }
  return next.value;
}

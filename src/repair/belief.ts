import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../contracts/id.ts';
import { type DrainBarrier, keyOf, type RaiseBarrier, type Suspect, type SuspectKey } from '../index/drain-barrier.ts';

export interface BeliefOptions {
  readonly raiseBarrier: RaiseBarrier;
  /** ms from first sight to the barrier: a site that publishes its tasks by itself does so after its commit. */
  readonly graceMs: number;
  /** ms that one barrier is waited for, at the most. */
  readonly settleMs: number;
  /** ms between two questions whether it is passed. */
  readonly pollMs: number;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** What is wrong with each of some users, by whatever look. */
export type Doubts<M> = ReadonlyMap<Id, readonly M[]>;

export interface Confirmation<M> {
  /** Still there after everything that existed at first sight was processed. */
  readonly confirmed: Doubts<M>;
  /** None of theirs is confirmed: what was on its way did not arrive in time, or each look found something else. */
  readonly unsettled: readonly Id[];
}

/**
 * A mismatch seen at two looks: `lasting`, nothing was written in between; `recurring`, it looks the same, but something
 * was, so that it may have gone and come again; undefined: they are two.
 */
export type Recurrence = 'lasting' | 'recurring' | undefined;

/** What must be known of mismatches to confirm them. */
export interface MismatchKind<M> {
  readonly recurrence: (before: M, now: M) => Recurrence;
  /** About whom it is: work that concerns none of these does not explain it. Undefined: the index as a whole. */
  readonly contactsOf: (mismatch: M) => readonly (Id | undefined)[];
}

/** Looks after the first. A user who is different at each of them is changing all the time. */
const ROUNDS = 4;

/** Between two questions whether a barrier is passed there are so many times what the first one took. */
const BREAK = 4;

/**
 * Confirms a mismatch only if it is still there after everything that existed at first sight was processed: at the next
 * look, if nothing was written meanwhile; else at every one, since a contact who is removed, added and removed again is
 * twice on its way and looks the same each time. Where each look finds others, those are waited for anew. What is still
 * on its way when time is up leaves open only what it may explain.
 */
export class Belief {
  readonly #options: BeliefOptions;

  constructor(options: BeliefOptions) {
    this.#options = options;
  }

  /**
   * @param first what the first look found
   * @param look looks again at these users
   * @throws the signal's reason, and what `look` and the stores throw
   */
  async confirm<M>(
    first: Doubts<M>,
    look: (users: readonly Id[]) => Promise<Doubts<M>>,
    kind: MismatchKind<M>,
    signal?: AbortSignal,
  ): Promise<Confirmation<M>> {
    const confirmed = new Map<Id, readonly M[]>();
    const held = new Map<SuspectKey, Suspect>();
    const isFree = (user: Id, mismatch: M) =>
      kind.contactsOf(mismatch).every((contact) => !held.has(keyOf({ user, contact })));
    let doubts = those(first, () => true);
    let atEveryLook = doubts;
    for (let round = 0; round < ROUNDS && doubts.size > 0; round++) {
      const suspects = suspectsIn(doubts, kind);
      const barrier = await this.#drain(suspects, signal);
      for (const suspect of suspects) if (barrier.holds(suspect)) held.set(keyOf(suspect), suspect);
      doubts = those(doubts, isFree);
      atEveryLook = those(atEveryLook, isFree);
      if (doubts.size === 0) break;
      const again = those(await look([...doubts.keys()]), isFree);
      for (const [user, mismatches] of recurring(again, doubts, kind, ['lasting'])) confirmed.set(user, mismatches);
      doubts = those(again, (user) => !confirmed.has(user));
      atEveryLook = recurring(doubts, atEveryLook, kind, ['lasting', 'recurring']);
    }
    for (const [user, mismatches] of atEveryLook) confirmed.set(user, mismatches);
    const open = new Set([...doubts.keys(), ...[...held.values()].map(({ user }) => user)]);
    return { confirmed, unsettled: [...open].filter((user) => user !== undefined && !confirmed.has(user)) as Id[] };
  }

  /** The barrier, when it is passed or time is up. */
  async #drain(suspects: readonly Suspect[], signal?: AbortSignal): Promise<DrainBarrier> {
    const { raiseBarrier, graceMs, settleMs, pollMs, now } = this.#options;
    if (graceMs > 0) await pause(graceMs, undefined, signal ? { signal } : {});
    const barrier = await raiseBarrier(suspects);
    const until = now() + settleMs;
    for (;;) {
      const asked = now();
      if ((await barrier.passed()) || now() >= until) return barrier;
      // Where much is put off the question is dear: it must not be all that MySQL does.
      await pause(Math.max(pollMs, BREAK * (now() - asked)), undefined, signal ? { signal } : {});
    }
  }
}

/** Each once. */
function suspectsIn<M>(doubts: Doubts<M>, kind: MismatchKind<M>): Suspect[] {
  const all = [...doubts].flatMap(([user, mismatches]) =>
    mismatches.flatMap(kind.contactsOf).map((contact): Suspect => ({ user, contact })),
  );
  return [...new Map(all.map((suspect) => [keyOf(suspect), suspect])).values()];
}

/** Those of the mismatches that are so; users who have none of these are left out. */
function those<M>(doubts: Doubts<M>, isSo: (user: Id, mismatch: M) => boolean): Doubts<M> {
  const chosen = [...doubts].map(([user, mismatches]) => [user, mismatches.filter((one) => isSo(user, one))] as const);
  return new Map(chosen.filter(([, mismatches]) => mismatches.length > 0));
}

/** Those of the mismatches found now that were there before, in one of these ways. */
function recurring<M>(
  found: Doubts<M>,
  before: Doubts<M>,
  { recurrence }: MismatchKind<M>,
  ways: readonly Recurrence[],
): Doubts<M> {
  return those(found, (user, now) => (before.get(user) ?? []).some((other) => ways.includes(recurrence(other, now))));
}

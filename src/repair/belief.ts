import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../contracts/id.ts';
import type { Settled } from '../index/settled.ts';

export interface BeliefOptions {
  readonly settled: Settled;
  /** ms from first sight to the mark: a site that publishes its tasks by itself does so after its commit. */
  readonly graceMs: number;
  /** ms that one mark is waited for, at the most. */
  readonly settleMs: number;
  /** ms between two questions whether it is reached. */
  readonly pollMs: number;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** What is wrong with each of some users, by whatever look. */
export type Doubts<M> = ReadonlyMap<Id, readonly M[]>;

export interface Beliefs<M> {
  /** Still there after everything that existed at first sight was processed. */
  readonly believed: Doubts<M>;
  /** Neither: what was on its way did not arrive in time, or each look found something else. */
  readonly unsettled: readonly Id[];
}

/**
 * A mismatch seen at two looks: `lasting`, nothing was written in between; `recurring`, it looks the same, but something
 * was, so that it may have gone and come again; undefined: they are two.
 */
export type Recurrence = 'lasting' | 'recurring' | undefined;

/** Looks after the first. A user who is different at each of them is changing all the time. */
const ROUNDS = 4;

/**
 * Believes a mismatch only if it is still there after everything that existed at first sight was processed: at the next
 * look, if nothing was written meanwhile; else at every one, since a contact who is removed, added and removed again is
 * twice on its way and looks the same each time. Where each look finds others, those are waited for anew.
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
    recurrence: (before: M, now: M) => Recurrence,
    signal?: AbortSignal,
  ): Promise<Beliefs<M>> {
    const believed = new Map<Id, readonly M[]>();
    let doubts = withSomething(first);
    let atEveryLook = doubts;
    for (let round = 0; round < ROUNDS && doubts.size > 0; round++) {
      if (!(await this.#settle(signal))) return { believed, unsettled: [...doubts.keys()] };
      const again = withSomething(await look([...doubts.keys()]));
      const lasting = those(again, doubts, (before, now) => recurrence(before, now) === 'lasting');
      for (const [user, mismatches] of lasting) believed.set(user, mismatches);
      doubts = new Map([...again].filter(([user]) => !believed.has(user)));
      atEveryLook = those(doubts, atEveryLook, (before, now) => recurrence(before, now) !== undefined);
    }
    for (const [user, mismatches] of atEveryLook) believed.set(user, mismatches);
    return { believed, unsettled: [...doubts.keys()].filter((user) => !believed.has(user)) };
  }

  /** False: not in time. */
  async #settle(signal?: AbortSignal): Promise<boolean> {
    const { settled, graceMs, settleMs, pollMs, now } = this.#options;
    if (graceMs > 0) await pause(graceMs, undefined, signal ? { signal } : {});
    const mark = await settled.mark();
    const until = now() + settleMs;
    while (!(await settled.reached(mark))) {
      if (now() >= until) return false;
      await pause(pollMs, undefined, signal ? { signal } : {});
    }
    return true;
  }
}

function withSomething<M>(doubts: Doubts<M>): Doubts<M> {
  return new Map([...doubts].filter(([, mismatches]) => mismatches.length > 0));
}

/** Those of the mismatches found now that a mismatch of before says so of. */
function those<M>(found: Doubts<M>, before: Doubts<M>, isSo: (before: M, now: M) => boolean): Doubts<M> {
  const recurred = (user: Id, now: M) => (before.get(user) ?? []).some((other) => isSo(other, now));
  return withSomething(
    new Map([...found].map(([user, mismatches]) => [user, mismatches.filter((now) => recurred(user, now))])),
  );
}

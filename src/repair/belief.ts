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

/** Looks after the first. A user who is different at each of them is changing all the time. */
const ROUNDS = 4;

/**
 * Believes a mismatch only if it is still there after everything that existed at first sight was processed. Where each
 * look finds others than the one before, those may be on their way in turn, and are waited for anew.
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
    isSame: (a: M, b: M) => boolean,
    signal?: AbortSignal,
  ): Promise<Beliefs<M>> {
    const believed = new Map<Id, readonly M[]>();
    let doubts = withSomething(first);
    for (let round = 0; round < ROUNDS && doubts.size > 0; round++) {
      if (!(await this.#settle(signal))) break;
      const again = withSomething(await look([...doubts.keys()]));
      for (const [user, mismatches] of again) {
        const before = doubts.get(user) ?? [];
        const lasting = mismatches.filter((mismatch) => before.some((other) => isSame(mismatch, other)));
        if (lasting.length > 0) believed.set(user, lasting);
      }
      doubts = new Map([...again].filter(([user]) => !believed.has(user)));
    }
    return { believed, unsettled: [...doubts.keys()] };
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

function withSomething<M>(doubts: Doubts<M>): Map<Id, readonly M[]> {
  return new Map([...doubts].filter(([, mismatches]) => mismatches.length > 0));
}

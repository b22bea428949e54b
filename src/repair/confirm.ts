import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../contracts/id.ts';
import { type DrainBarrier, keyOf, type RaiseBarrier, type Suspect, type SuspectKey } from '../index/drain-barrier.ts';

interface ConfirmerOptions {
  readonly raiseBarrier: RaiseBarrier;
  /** ms from the first look to the barrier: a site that publishes its own tasks does so after its commit. */
  readonly graceMs: number;
  /** Maximum wait for one barrier, ms. */
  readonly settleMs: number;
  /** ms between two checks whether it has passed. */
  readonly pollMs: number;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** What a look found wrong, by user. */
export type Mismatches<M> = ReadonlyMap<Id, readonly M[]>;

interface Confirmation<M> {
  /** Still there after all work that existed at the first look was processed. */
  readonly confirmed: Mismatches<M>;
  /** Users without a confirmed mismatch: pending work did not finish in time, or each look found something else. */
  readonly unsettled: readonly Id[];
}

/**
 * How a mismatch of one look relates to one of the next. `lasting`: the same, and nothing was written in between;
 * `recurring`: it looks the same, but something was written, so it may have gone and come back; undefined: they differ.
 */
export type Recurrence = 'lasting' | 'recurring' | undefined;

/** What the confirmation needs to know about mismatches. */
export interface MismatchKind<M> {
  readonly recurrence: (before: M, now: M) => Recurrence;
  /** The contacts it concerns: pending work on others does not explain it. Undefined: the index as a whole. */
  readonly contactsOf: (mismatch: M) => readonly (Id | undefined)[];
}

/** Looks after the first one. A user who differs in another way at each of them is changing all the time. */
const ROUNDS = 4;

/** The pause between two checks of a barrier, as a multiple of what the check took. */
const PAUSE_FACTOR = 4;

/**
 * Confirms a mismatch only if it is still there after all work that existed at the first look was processed. If nothing
 * was written in between, the next look decides. Otherwise it must be there at every look, because a contact who is removed,
 * added and removed again looks the same each time while two changes are on their way. New mismatches are waited for in
 * the same way. Work still pending when the time is over leaves open only the mismatches that it may explain.
 */
export class Confirmer {
  readonly #options: ConfirmerOptions;

  constructor(options: ConfirmerOptions) {
    this.#options = options;
  }

  /**
   * @param first what the first look found
   * @param look looks again at these users
   * @throws the signal's reason, and what `look` and the stores throw
   */
  async confirm<M>(
    first: Mismatches<M>,
    look: (users: readonly Id[]) => Promise<Mismatches<M>>,
    kind: MismatchKind<M>,
    signal?: AbortSignal,
  ): Promise<Confirmation<M>> {
    const confirmed = new Map<Id, readonly M[]>();
    const pending = new Map<SuspectKey, Suspect>();
    const isUnexplained = (user: Id, mismatch: M) =>
      kind.contactsOf(mismatch).every((contact) => !pending.has(keyOf({ user, contact })));
    let suspected = filter(first, () => true);
    let atEveryLook = suspected;
    for (let round = 0; round < ROUNDS && suspected.size > 0; round++) {
      const suspects = suspectsIn(suspected, kind);
      const barrier = await this.#drain(suspects, signal);
      for (const suspect of suspects) if (barrier.holds(suspect)) pending.set(keyOf(suspect), suspect);
      suspected = filter(suspected, isUnexplained);
      atEveryLook = filter(atEveryLook, isUnexplained);
      if (suspected.size === 0) break;
      const again = filter(await look([...suspected.keys()]), isUnexplained);
      for (const [user, lasting] of recurring(again, suspected, kind, ['lasting'])) confirmed.set(user, lasting);
      suspected = filter(again, (user) => !confirmed.has(user));
      atEveryLook = recurring(suspected, atEveryLook, kind, ['lasting', 'recurring']);
    }
    for (const [user, mismatches] of atEveryLook) confirmed.set(user, mismatches);
    const open = new Set([...suspected.keys(), ...[...pending.values()].map(({ user }) => user)]);
    return { confirmed, unsettled: [...open].filter((user) => user !== undefined && !confirmed.has(user)) as Id[] };
  }

  /** The barrier, once it has passed or the time is over. */
  async #drain(suspects: readonly Suspect[], signal?: AbortSignal): Promise<DrainBarrier> {
    const { raiseBarrier, graceMs, settleMs, pollMs, now } = this.#options;
    if (graceMs > 0) await pause(graceMs, undefined, { signal });
    const barrier = await raiseBarrier(suspects);
    const until = now() + settleMs;
    for (;;) {
      const askedAt = now();
      if ((await barrier.passed()) || now() >= until) return barrier;
      // With much delayed work the check is expensive: it must not be all that MySQL does.
      await pause(Math.max(pollMs, PAUSE_FACTOR * (now() - askedAt)), undefined, { signal });
    }
  }
}

/** Each suspect once. */
function suspectsIn<M>(mismatches: Mismatches<M>, kind: MismatchKind<M>): Suspect[] {
  const all = [...mismatches].flatMap(([user, found]) =>
    found.flatMap(kind.contactsOf).map((contact): Suspect => ({ user, contact })),
  );
  return [...new Map(all.map((suspect) => [keyOf(suspect), suspect])).values()];
}

/** The mismatches that meet the condition; users without any are left out. */
function filter<M>(mismatches: Mismatches<M>, condition: (user: Id, mismatch: M) => boolean): Mismatches<M> {
  const kept = [...mismatches].map(([user, found]) => [user, found.filter((one) => condition(user, one))] as const);
  return new Map(kept.filter(([, found]) => found.length > 0));
}

/** The mismatches found now that were there before, in one of these ways. */
function recurring<M>(
  found: Mismatches<M>,
  before: Mismatches<M>,
  { recurrence }: MismatchKind<M>,
  ways: readonly Recurrence[],
): Mismatches<M> {
  return filter(found, (user, now) => (before.get(user) ?? []).some((other) => ways.includes(recurrence(other, now))));
}

import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Outgoing, Told, Watch, WatchFilter } from '../contracts/watch.ts';
import { type CheckOperation, checkStep } from './check-steps.ts';
import type { NewWatch } from './watch-table.ts';

/** What a site changes; what is left out stays. */
export type WatchPatch = { readonly [F in keyof WatchFilter]?: WatchFilter[F] | undefined } & {
  readonly intervalMs?: number | undefined;
  readonly url?: string | undefined;
  /** A new secret signs along with the current one, until the next rotation. */
  readonly rotateSecret?: boolean | undefined;
};

/**
 * A watch with a changed filter, going on if it had ended. What it was told stays, with the relation that this was filtered by:
 * the next check replaces it by what the new filter shows then (check.ts).
 */
export function changed(watch: Watch, { kinds, relation, muted, intervalMs, url }: WatchPatch): Watch {
  return {
    ...watch,
    kinds: kinds ?? watch.kinds,
    relation: relation ?? watch.relation,
    muted: muted ?? watch.muted,
    intervalMs: intervalMs ?? watch.intervalMs,
    ...(url === undefined ? {} : { url }),
    ended: undefined,
    told: toldOfKinds(watch, kinds ?? watch.kinds),
  };
}

/** A watch with a test on its way; one that has ended does not go on with that. @param now ms since 1970 UTC */
export function tested(watch: Watch, id: string, now: number): Watch {
  const outgoing: Outgoing = { id, sources: [], more: false, attempts: 0, isTest: true, since: now, waitMs: 0 };
  return { ...watch, outgoing };
}

function toldOfKinds({ told, relation }: Watch, kinds: readonly KindName[]): Told {
  const kept = Object.entries(told).filter(([kind]) => kinds.includes(kind as KindName));
  return Object.fromEntries(kept.map(([kind, head]) => [kind, { relation, ...head }]));
}

/**
 * Creates a watch. The row first, then the user among those who are watched, then a check: in any other order a change in
 * between could be missed (check.ts).
 */
export function* subscribe(watch: NewWatch): CheckOperation<Id> {
  const id = yield* checkStep('insert', watch);
  yield* enroll([watch.user]);
  return id;
}

/** Has these users watched from here on, and then checked: a change before that is found by the check, one after it signals. */
export function* enroll(users: readonly Id[]): CheckOperation<void> {
  yield* checkStep('watch', users);
  yield* checkStep('again', users, 0);
}

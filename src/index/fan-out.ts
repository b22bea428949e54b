import { planTaskOf } from '../contracts/bulk-task.ts';
import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { chunks } from '../timing/batches.ts';
import type { Nonce } from './contact-index.ts';
import { dropUnreadable, readFollowers } from './follower-pages.ts';
import { type Operation, step, together } from './protocol.ts';
import {
  PAIRS_A_CALL,
  type RefreshReport,
  refreshUnsignalled,
  reportOfCold,
  type SeenNonces,
  signal,
} from './refresh.ts';

export interface FanOutReport {
  /** Refreshed here. */
  readonly followers: number;
  /** Owners who have more followers than a batch refreshes: they are left to a plan. */
  readonly large: number;
}

/** Followers of one owner that are refreshed in the batch of the owner's task. Of more, a plan makes segments. */
export const FOLLOWERS_A_PAGE = 8 * PAIRS_A_CALL;

/** Calls that run concurrently: while one waits for MySQL another works in Redis. */
export const CALLS_AT_ONCE = 4;

/**
 * Refreshes every follower of each owner who has at most a page of them, and sees to it that a plan for each of the others
 * waits in the bulk lane (segments.ts).
 *
 * The page only says whom to look at: the nonces are read after it, and then the pairs again; a user who becomes a follower
 * later has a task of their own.
 * @param owners each once
 * @param pageSize the most followers of one owner that are refreshed here
 * @param onRefresh called with what became of each call's followers
 */
export function* fanOut(
  owners: readonly Id[],
  kind: KindName,
  pageSize: number = FOLLOWERS_A_PAGE,
  onRefresh?: (report: RefreshReport) => void,
): Operation<FanOutReport> {
  const wanted = owners.map((owner) => ({ owner, after: '0' }) as const);
  const { pages, unreadable } = yield* readFollowers(wanted, pageSize + 1);
  const large = owners.filter((_, i) => (pages[i]?.length ?? 0) > pageSize);
  const pairs = owners.flatMap((contact, i) =>
    large.includes(contact) ? [] : (pages[i] ?? []).map((user): Pair => ({ user, contact })),
  );
  const here = unreadable.filter(({ item }) => !large.includes(item.contact));
  yield* dropUnreadable(here, onRefresh);
  const users = new Set(pairs.map(({ user }) => user));
  const seen = yield* noncesOf([...users]);
  if (seen.size < users.size) onRefresh?.(reportOfCold(users.size - seen.size));
  const indexed = pairs.filter(({ user }) => seen.has(user));
  const areNeighbours = owners.length - large.length === 1 && 2 * indexed.length > pairs.length;
  const parts = areNeighbours ? chunks(indexed, PAIRS_A_CALL) : partsOf(indexed);
  yield* together(
    parts.map((part) => refreshPart(part, areNeighbours, onRefresh, seen)),
    CALLS_AT_ONCE,
  );
  yield* signal(users);
  for (const owner of large) yield* announce(owner, kind);
  return { followers: pairs.length, large: large.length };
}

export function* refreshPart(
  pairs: readonly Pair[],
  areNeighbours: boolean,
  onRefresh?: (report: RefreshReport) => void,
  seen?: SeenNonces,
): Operation<void> {
  const report = yield* refreshUnsignalled(pairs, areNeighbours, seen);
  onRefresh?.(report);
}

/** Most followers have no index. They are left out before pairs are read and calls are made: the few others share these. */
function* noncesOf(users: readonly Id[]): Operation<SeenNonces> {
  const nonces = users.length === 0 ? [] : yield* step('nonces', users);
  const seen = new Map<Id, Nonce>();
  for (const [i, user] of users.entries()) if (nonces[i]) seen.set(user, nonces[i]);
  return seen;
}

/**
 * Publishes a plan for the owner, unless one waits that will read what this upload's batch would have read: a plan that is
 * published, and not taken yet. When this ends such a plan waits, or was taken after this began.
 *
 * A note in Redis says which plan waits. It says so only once the plan is published: a note made before, and trusted at once,
 * would outlive a worker that ends in between. It is not made after the publication either, because by then the plan may
 * have been taken; so it is made before, and becomes valid if it is still this plan's. A note of another epoch says nothing:
 * its plan may be lost, or Redis may have gone back to an older state.
 *
 * Nor is a note believed whose plan cannot be shown to wait: a plan may be gone in any way (a group that was moved, a dead
 * letter), and its note would silence the owner. So the note says at which place of the bulk lane the plan is, and the lane is
 * asked, after the note was read, whether what is there is still to be done. A plan that is being done then was taken later.
 */
function* announce(owner: Id, kind: KindName): Operation<void> {
  const epoch = yield* step('currentEpoch');
  let plan = yield* step('beginPlan', epoch, owner);
  if (plan === undefined) {
    const place = yield* step('notedPlan', epoch, owner);
    if (place !== undefined && (yield* step('isWaiting', place))) return;
    plan = yield* step('beginPlan', epoch, owner, place ?? '');
  }
  if (plan === undefined) return; // another plan was published since this began
  const places = yield* step('publish', [planTaskOf(kind, owner, plan)]);
  yield* step('planPublished', epoch, owner, plan, places?.[0] ?? '');
}

/** Splits pairs into calls. All pairs of a user are in one call: concurrent calls would only lose races to each other. */
function partsOf(pairs: readonly Pair[]): Pair[][] {
  const parts: Pair[][] = [];
  let part: Pair[] = [];
  for (const own of Map.groupBy(pairs, (pair) => pair.user).values()) {
    if (part.length > 0 && part.length + own.length > PAIRS_A_CALL) {
      parts.push(part);
      part = [];
    }
    part.push(...own);
  }
  return part.length > 0 ? [...parts, part] : parts;
}

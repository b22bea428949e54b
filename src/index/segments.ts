import { type PlanTask, type SegmentTask, segmentTaskOf } from '../contracts/bulk-task.ts';
import type { Id } from '../contracts/id.ts';
import type { FollowerRange } from '../mysql/statements/followers.ts';
import { chunks } from '../timing/batches.ts';
import { CALLS_AT_ONCE, refreshPart } from './fan-out.ts';
import { dropUnreadable, readFollowers } from './follower-pages.ts';
import { isolating, type Operation, step, together } from './protocol.ts';
import { PAIRS_A_CALL, type RefreshReport, signal } from './refresh.ts';

/**
 * The fan-out to an audience of more than a page. A worker that takes the owner's plan cuts the audience into ranges of ids, and
 * publishes each as a segment. The segments are spread over all workers; who is killed repeats the one that was begun.
 */

/** Followers of a segment: about as many as a worker refreshes in a third of a second. */
export const FOLLOWERS_A_SEGMENT = 20_000;

/** Segments published together: other workers begin with the first ones while the rest of a large audience is being cut. */
const SEGMENTS_AT_ONCE = 4;

/**
 * The plan stops counting as one that waits, before anything else is tried: an upload that is committed later needs another plan,
 * and so does one that comes after this plan has failed for good.
 */
export function* takePlan({ owner, plan }: PlanTask): Operation<void> {
  yield* step('takePlan', owner, plan);
}

/**
 * Cuts an owner's audience into segments of about this many followers, and publishes them. The plan was taken before.
 *
 * A plan whose worker ends in between is cut again by another one, and all of its segments are published again.
 * @param atOnce segments published together
 * @returns the number of segments
 */
export function* planSegments(
  plan: PlanTask,
  segmentSize: number = FOLLOWERS_A_SEGMENT,
  atOnce: number = SEGMENTS_AT_ONCE,
): Operation<number> {
  const { owner } = plan;
  const boundaries: Id[] = [];
  let cut: SegmentTask[] = [];
  for (let part = 1; ; part++) {
    const after = boundaries.at(-1) ?? '0';
    const next: Id | undefined = yield* endOfSegment({ owner, after }, segmentSize);
    if (next !== undefined) boundaries.push(next);
    cut.push(segmentTaskOf(plan, part, boundaries));
    if (next !== undefined && cut.length < atOnce) continue;
    yield* step('publish', cut);
    if (next === undefined) return part;
    cut = [];
  }
}

/** @returns undefined: the rest is one segment. So it is where a row on the way cannot be read: the segment's pages leave it out. */
function* endOfSegment(from: FollowerRange, segmentSize: number): Operation<Id | undefined> {
  let end: Id | undefined;
  yield* isolating([from], function* () {
    end = yield* step('followerAt', from, segmentSize);
  });
  return end;
}

/**
 * Refreshes the followers whom somebody watches, before the audience is cut: they wait for the photo, and the others for
 * the next read. With a million followers they would wait for half of the fan-out, on average. Their segments refresh them
 * again, so nothing depends on this: it reaches at most a segment's worth of them, and a photo that is committed meanwhile
 * is in the segments. What fails here by its own fault fails there again, where it is set aside.
 * @param onRefresh called with what became of each call's followers
 */
export function* refreshWatched(plan: PlanTask, onRefresh?: (report: RefreshReport) => void): Operation<void> {
  yield* isolating([plan.owner], function* ([owner = plan.owner]) {
    const users = yield* step('watchedFollowers', owner, FOLLOWERS_A_SEGMENT);
    const pairs = users.map((user) => ({ user, contact: owner }));
    yield* together(
      chunks(pairs, PAIRS_A_CALL).map((part) =>
        refreshPart(part, false, (report) => onRefresh?.({ ...report, failed: [] })),
      ),
      CALLS_AT_ONCE,
    );
    yield* signal(new Set(users));
  });
}

/**
 * Refreshes the followers of a segment: those who follow now, not those who did when it was planned. Their pages have no
 * follower in common, so the calls of a page start before those of the page before it have ended. They are signalled
 * together at the end: while a signal of one page waited for Redis, it would hold up the calls of the next.
 * @param pageSize followers read at once
 * @param onRefresh called with what became of each call's followers
 * @returns the number of followers
 */
export function* refreshSegment(
  { owner, after = '0', through }: SegmentTask,
  pageSize: number,
  onRefresh?: (report: RefreshReport) => void,
): Operation<number> {
  const followers = new Set<Id>();
  const queue: Operation<void>[] = [];
  function* readFrom(place: Id | '0'): Operation<void> {
    const { pages, unreadable } = yield* readFollowers([{ owner, after: place, through }], pageSize);
    const [users = []] = pages;
    const last = users.at(-1);
    if (users.length >= pageSize && last !== undefined) queue.push(readFrom(last)); // read while this page's calls run
    const pairs = users.map((user) => ({ user, contact: owner }));
    queue.push(...chunks(pairs, PAIRS_A_CALL).map((part) => refreshPart(part, true, onRefresh)));
    queue.push(dropUnreadable(unreadable, onRefresh));
    for (const user of users) followers.add(user);
  }
  queue.push(readFrom(after));
  yield* together(queue, CALLS_AT_ONCE);
  yield* signal(followers);
  return followers.size;
}

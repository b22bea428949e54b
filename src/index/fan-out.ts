import type { Id } from '../contracts/id.ts';
import type { Pair } from '../mysql/pairs.ts';
import { chunks } from './chunks.ts';
import { FanOutProgress, type Page, type Place } from './fan-out-progress.ts';
import { type Operation, step, together } from './protocol.ts';
import { PAIRS_A_CALL, type RefreshReport, refresh } from './refresh.ts';

/** An owner whose photos changed, and the positions of the deliveries that say so. */
export interface FanOut {
  readonly owner: Id;
  readonly tasks: readonly string[];
}

export interface FanOutReport {
  readonly followers: number;
  /** How many of the owners went on from a cursor. */
  readonly resumed: number;
}

/** Followers of one owner read at once: several calls' worth, so that they can be under way side by side. */
export const FOLLOWERS_A_PAGE = 8 * PAIRS_A_CALL;

/** Calls under way at once: while one waits for MySQL another works in Redis, and the next page is read. */
const AT_ONCE = 4;

/**
 * Refreshes every follower of each owner, a page of each owner at a time. A page of followers only says whom to look
 * at, so it may be read ahead: `refresh` reads the nonces and then the pairs again, and whoever becomes a follower
 * afterwards has a task of their own. One owner's pages have nobody in common: the calls of a page begin before those of the
 * last one have ended. Several owners' pages may: they would lose races to each other, so each waits for the one before it.
 * A cursor moves on only behind pages that are done. What it shows to be done is not done again.
 * @param fanOuts each owner once
 * @param pageSize followers of one owner read at once
 * @param onRefresh told what became of each call's followers
 */
export function* fanOut(
  fanOuts: readonly FanOut[],
  pageSize: number = FOLLOWERS_A_PAGE,
  onRefresh?: (report: RefreshReport) => void,
): Operation<FanOutReport> {
  const queue: Operation<void>[] = [];
  const progress = new FanOutProgress();
  let followers = 0;

  function* readPage(places: readonly Place[]): Operation<void> {
    const users = yield* step('followers', places, pageSize);
    const pairs = places.flatMap((place, i) => (users[i] ?? []).map((user): Pair => ({ user, contact: place.owner })));
    const isOne = places.length === 1;
    const parts = isOne ? chunks(pairs, PAIRS_A_CALL) : partsOf(pairs);
    const page = { places, next: nextPlaces(places, users, pageSize), left: parts.length };
    followers += pairs.length;
    progress.add(page);
    if (isOne) readNext(page); // before this page's calls: it is read meanwhile
    queue.push(...parts.map((part) => refreshPart(page, part)));
    yield* progress.keep();
  }

  function* refreshPart(page: Page, pairs: readonly Pair[]): Operation<void> {
    const isOne = page.places.length === 1;
    const report = yield* refresh(pairs, isOne);
    onRefresh?.(report);
    page.left--;
    if (!isOne && page.left === 0) readNext(page);
    yield* progress.keep();
  }

  function readNext({ next }: Page): void {
    if (next.length > 0) queue.push(readPage(next));
  }

  const places = yield* begin(fanOuts);
  if (places.length > 0) queue.push(readPage(places));
  yield* together(queue, AT_ONCE);
  return { followers, resumed: places.filter((place) => place.after !== '0').length };
}

function* begin(fanOuts: readonly FanOut[]): Operation<readonly Place[]> {
  const cursors = yield* step(
    'loadCursors',
    fanOuts.map(({ owner }) => owner),
  );
  return fanOuts.map(({ owner, tasks }, i) => {
    const cursor = cursors[i];
    if (cursor === undefined || !tasks.every((task) => cursor.tasks.includes(task))) {
      return { owner, tasks, after: '0', saved: cursor !== undefined };
    }
    return { owner, tasks: cursor.tasks, after: cursor.after, saved: true };
  });
}

/** Of the owners who have more followers than these, where the next page begins. */
function nextPlaces(places: readonly Place[], users: readonly (readonly Id[])[], pageSize: number): Place[] {
  return places.flatMap((place, i) => {
    const last = users[i]?.at(-1);
    return users[i]?.length === pageSize && last !== undefined ? [{ ...place, after: last, saved: true }] : [];
  });
}

/** Calls' worth of pairs. All pairs of a user are in one of them: side by side, they would only lose races to each other. */
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

import type { Id } from '../contracts/id.ts';
import type { Pair } from '../mysql/pairs.ts';
import type { FanOutCursor } from './fan-out-cursors.ts';
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

/** One owner's place in a fan-out under way. */
interface Place {
  readonly owner: Id;
  readonly tasks: readonly string[];
  readonly after: Id | '0';
  /** Is there a cursor, to be cleared at the end? */
  readonly saved: boolean;
}

type Page = readonly Id[];

/** Followers of one owner read at once: several calls' worth, so that they can be under way side by side. */
export const FOLLOWERS_A_PAGE = 8 * PAIRS_A_CALL;

/** Calls under way at once: while one waits for MySQL another works in Redis, and the next page is read. */
const AT_ONCE = 4;

/**
 * Refreshes every follower of each owner, a page of each owner at a time. A page of followers only says whom to look
 * at, so it may be read ahead: `refresh` reads the nonces and then the pairs again, and whoever becomes a follower
 * afterwards has a task of their own. What a cursor shows to be done is not done again.
 * @param fanOuts each owner once
 * @param pageSize followers of one owner read at once
 * @param onRefresh told what became of each call's followers
 */
export function* fanOut(
  fanOuts: readonly FanOut[],
  pageSize: number = FOLLOWERS_A_PAGE,
  onRefresh?: (report: RefreshReport) => void,
): Operation<FanOutReport> {
  let places = yield* begin(fanOuts);
  const resumed = places.filter((place) => place.after !== '0').length;
  let followers = 0;
  let pages = yield* readPages(places, pageSize);
  while (places.length > 0) {
    const pairs = places.flatMap((place, i) => (pages[i] ?? []).map((user): Pair => ({ user, contact: place.owner })));
    const next = nextPlaces(places, pages, pageSize);
    let nextPages: readonly Page[] = [];
    function* readAhead(): Operation<void> {
      nextPages = yield* readPages(next, pageSize);
    }
    yield* together([readAhead(), ...partsOf(pairs).map((part) => refreshPart(part, onRefresh))], AT_ONCE);
    followers += pairs.length;
    yield* keepCursors(places, next);
    [places, pages] = [next, nextPages];
  }
  return { followers, resumed };
}

function* readPages(places: readonly Place[], pageSize: number): Operation<readonly Page[]> {
  return places.length === 0 ? [] : yield* step('followers', places, pageSize);
}

function* refreshPart(
  pairs: readonly Pair[],
  onRefresh: ((report: RefreshReport) => void) | undefined,
): Operation<void> {
  const report = yield* refresh(pairs);
  onRefresh?.(report);
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

/** Of the owners who have more followers than these pages, where the next page begins. */
function nextPlaces(places: readonly Place[], pages: readonly Page[], pageSize: number): Place[] {
  return places.flatMap((place, i) => {
    const page = pages[i] ?? [];
    const last = page.at(-1);
    return page.length === pageSize && last !== undefined ? [{ ...place, after: last, saved: true }] : [];
  });
}

/** What was done up to `next` is done; who is not among them has been finished. */
function* keepCursors(places: readonly Place[], next: readonly Place[]): Operation<void> {
  const more = new Set(next.map(({ owner }) => owner));
  const finished = places.filter(({ owner, saved }) => saved && !more.has(owner));
  if (next.length > 0) yield* step('saveCursors', next.map(cursorOf));
  if (finished.length > 0)
    yield* step(
      'clearCursors',
      finished.map(({ owner }) => owner),
    );
}

function cursorOf({ owner, after, tasks }: Place): FanOutCursor {
  return { owner, after, tasks };
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

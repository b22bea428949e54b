import type { Id } from '../contracts/id.ts';
import type { Pair } from '../mysql/pairs.ts';
import type { FanOutCursor } from './fan-out-cursors.ts';
import { type Operation, step } from './protocol.ts';
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

/**
 * Refreshes every follower of each owner, a page of each owner at a time. A page of followers only says whom to look
 * at: `refresh` reads the nonces and then the pairs again. What a cursor shows to be done is not done again.
 * @param fanOuts each owner once
 * @param pageSize followers of one owner read at once
 * @param onRefresh told what became of each call's followers
 */
export function* fanOut(
  fanOuts: readonly FanOut[],
  pageSize: number = PAIRS_A_CALL,
  onRefresh?: (report: RefreshReport) => void,
): Operation<FanOutReport> {
  let places = yield* begin(fanOuts);
  const resumed = places.filter((place) => place.after !== '0').length;
  let followers = 0;
  while (places.length > 0) {
    const pages = yield* step('followers', places, pageSize);
    const pairs = places.flatMap((place, i) => (pages[i] ?? []).map((user): Pair => ({ user, contact: place.owner })));
    for (const some of chunks(pairs)) {
      const report = yield* refresh(some);
      onRefresh?.(report);
    }
    followers += pairs.length;
    places = yield* advance(places, pages, pageSize);
  }
  return { followers, resumed };
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

/** Moves on past the pages that are done; returns the owners who have more. */
function* advance(
  places: readonly Place[],
  pages: readonly (readonly Id[])[],
  pageSize: number,
): Operation<readonly Place[]> {
  const more: Place[] = [];
  const finished: Id[] = [];
  for (const [i, place] of places.entries()) {
    const page = pages[i] ?? [];
    const last = page.at(-1);
    if (page.length === pageSize && last !== undefined) more.push({ ...place, after: last, saved: true });
    else if (place.saved) finished.push(place.owner);
  }
  if (more.length > 0) yield* step('saveCursors', more.map(cursorOf));
  if (finished.length > 0) yield* step('clearCursors', finished);
  return more;
}

function cursorOf({ owner, after, tasks }: Place): FanOutCursor {
  return { owner, after, tasks };
}

function* chunks(pairs: readonly Pair[]): Iterable<Pair[]> {
  for (let from = 0; from < pairs.length; from += PAIRS_A_CALL) yield pairs.slice(from, from + PAIRS_A_CALL);
}

import type { Id } from '../contracts/id.ts';
import type { Pair } from '../mysql/pairs.ts';
import { chunks } from './chunks.ts';
import { type Operation, step, together } from './protocol.ts';
import { PAIRS_A_CALL, type RefreshReport, refreshUnsignalled, signal } from './refresh.ts';

/** An owner whose photos changed, and the positions of the deliveries that say so. */
export interface FanOut {
  readonly owner: Id;
  readonly tasks: readonly string[];
}

export interface FanOutReport {
  readonly followers: number;
  /** How many of the owners were resumed from a cursor. */
  readonly resumed: number;
}

/** Followers of one owner read at once: enough for several calls that run concurrently. */
export const FOLLOWERS_A_PAGE = 8 * PAIRS_A_CALL;

/** Calls that run concurrently: while one waits for MySQL another works in Redis, and the next page is read. */
const AT_ONCE = 4;

/**
 * Refreshes every follower of each owner, a page of each owner at a time.
 *
 * A page of followers only says whom to look at, so it may be read ahead: `refresh` reads the nonces and then the pairs again,
 * and a user who becomes a follower later has a task of their own. The pages of one owner have no follower in common, so the
 * calls of a page start before those of the page before it have ended. The pages of several owners may have followers in
 * common and would lose races to each other, so each waits for the page before it.
 *
 * A cursor moves only past pages that are finished and signalled. What it says is finished is not done again.
 * @param fanOuts each owner once
 * @param pageSize followers of one owner read at once
 * @param onRefresh called with what became of each call's followers
 */
export function* fanOut(
  fanOuts: readonly FanOut[],
  pageSize: number = FOLLOWERS_A_PAGE,
  onRefresh?: (report: RefreshReport) => void,
): Operation<FanOutReport> {
  const places = yield* resume(fanOuts);
  const pages = new Pages(pageSize, onRefresh);
  pages.readFrom(places);
  yield* together(pages.queue, AT_ONCE);
  return { followers: pages.followers, resumed: places.filter((place) => place.after !== '0').length };
}

/** Where the next page of one owner's followers begins. */
interface FanOutPlace {
  readonly owner: Id;
  readonly tasks: readonly string[];
  readonly after: Id | '0';
  /** Is there a cursor, to be cleared at the end? */
  readonly saved: boolean;
}

/** Starts each owner at its cursor, if that was saved for these very tasks, and otherwise at the first follower. */
function* resume(fanOuts: readonly FanOut[]): Operation<readonly FanOutPlace[]> {
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

/** One page of followers of some owners. */
interface Page {
  readonly places: readonly FanOutPlace[];
  /** Where the next page begins, for the owners who have more followers. */
  readonly next: readonly FanOutPlace[];
  readonly users: ReadonlySet<Id>;
  /** Calls that are not finished. */
  left: number;
}

/** The pages of a fan-out: what is still to be done about them, and how far their cursors have come. */
class Pages {
  /** Pages to read and calls to make. */
  readonly queue: Operation<void>[] = [];
  followers = 0;
  readonly #pageSize: number;
  readonly #onRefresh: ((report: RefreshReport) => void) | undefined;
  /** In order, from the first page whose cursors are not saved. */
  readonly #unsaved: Page[] = [];
  #isSaving = false;

  constructor(pageSize: number, onRefresh?: (report: RefreshReport) => void) {
    this.#pageSize = pageSize;
    this.#onRefresh = onRefresh;
  }

  /** Queues the page that begins at these places. */
  readFrom(places: readonly FanOutPlace[]): void {
    if (places.length > 0) this.queue.push(this.#read(places));
  }

  *#read(places: readonly FanOutPlace[]): Operation<void> {
    const users = yield* step('followers', places, this.#pageSize);
    const pairs = places.flatMap((place, i) => (users[i] ?? []).map((user): Pair => ({ user, contact: place.owner })));
    const isOne = places.length === 1;
    const parts = isOne ? chunks(pairs, PAIRS_A_CALL) : partsOf(pairs);
    const next = nextPlaces(places, users, this.#pageSize);
    const page = { places, next, users: new Set(users.flat()), left: parts.length };
    this.followers += pairs.length;
    this.#unsaved.push(page);
    if (isOne) this.readFrom(page.next); // before this page's calls, so that it is read while they run
    this.queue.push(...parts.map((part) => this.#refresh(page, part)));
    yield* this.#save();
  }

  *#refresh(page: Page, pairs: readonly Pair[]): Operation<void> {
    const isOne = page.places.length === 1;
    const report = yield* refreshUnsignalled(pairs, isOne);
    this.#onRefresh?.(report);
    page.left--;
    if (!isOne && page.left === 0) this.readFrom(page.next);
    yield* this.#save();
  }

  /** Signals finished pages, and saves their cursors. If that is running, it picks up the pages that finish meanwhile. */
  *#save(): Operation<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    while (this.#unsaved[0]?.left === 0) {
      const page = this.#unsaved.shift() as Page;
      yield* signal(page.users); // a process that resumes behind the cursor signals nobody before it
      yield* saveCursors(page);
    }
    this.#isSaving = false;
  }
}

/** Moves the cursors to the next page; clears those of owners who have no more followers. */
function* saveCursors({ places, next }: Page): Operation<void> {
  const more = new Set(next.map(({ owner }) => owner));
  const finished = places.filter(({ owner, saved }) => saved && !more.has(owner));
  if (next.length > 0)
    yield* step(
      'saveCursors',
      next.map(({ owner, after, tasks }) => ({ owner, after, tasks })),
    );
  if (finished.length > 0)
    yield* step(
      'clearCursors',
      finished.map(({ owner }) => owner),
    );
}

/** Where the next page begins, for the owners whose page was full. */
function nextPlaces(
  places: readonly FanOutPlace[],
  users: readonly (readonly Id[])[],
  pageSize: number,
): FanOutPlace[] {
  return places.flatMap((place, i) => {
    const last = users[i]?.at(-1);
    return users[i]?.length === pageSize && last !== undefined ? [{ ...place, after: last, saved: true }] : [];
  });
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

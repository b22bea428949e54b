import type { Id } from '../contracts/id.ts';
import { type Operation, step } from './protocol.ts';

/** One owner's place in a fan-out under way. */
export interface Place {
  readonly owner: Id;
  readonly tasks: readonly string[];
  readonly after: Id | '0';
  /** Is there a cursor, to be cleared at the end? */
  readonly saved: boolean;
}

/** A page of followers of some owners, under way. */
export interface Page {
  readonly places: readonly Place[];
  /** Where the page after it begins, of the owners who have more followers. */
  readonly next: readonly Place[];
  /** Calls that are not done. */
  left: number;
}

/** Keeps the cursors of a fan-out behind its pages: they say only of what is done, as is all before it. */
export class FanOutProgress {
  /** In their order, from the first whose cursors have not been kept. */
  readonly #pages: Page[] = [];
  #isKeeping = false;

  /** A page that has been read, after those added before. */
  add(page: Page): void {
    this.#pages.push(page);
  }

  /** To be done whenever a page has less left. Whoever is at it already sees to what is done meanwhile. */
  *keep(): Operation<void> {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    while (this.#pages[0]?.left === 0) yield* keepCursors(this.#pages.shift() as Page);
    this.#isKeeping = false;
  }
}

/** What was done up to `next` is done; who is not among them has been finished. */
function* keepCursors({ places, next }: Page): Operation<void> {
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

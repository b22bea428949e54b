/**
 * Pages below the index. The plain query reads all of a user's contacts for a page of ten, so a client that walks through them
 * would have all of them read for each page. Instead a plain query reads a window, the keys of many pages, and the pages after it
 * are narrowed by that window as others are by the index.
 *
 * A window may be used as long as the index has the nonce that it had before the window was read. Every change, also one far
 * below the floor, replaces the nonce once its task is applied. So a window never lacks more than the index does: changes whose
 * tasks are still in flight.
 */
import { LRUCache } from 'lru-cache';
import { isAbove, type Key } from '../contracts/key.ts';
import type { WarmReading } from '../index/contact-index.ts';
import { type Candidates, SPARE_CANDIDATES } from './narrow.ts';
import type { RecentQuery } from './recent-answer.ts';

/** Keys of the first window of a walk. Each that continues it has twice as many, so that a long walk needs few of them. */
const FIRST_WINDOW = 256;
const LARGEST_WINDOW = 16_384;

/** Keys that all windows of a process hold, at most: about 20 MB. */
const MOST_KEYS = 200_000;

interface Window {
  readonly nonce: string;
  readonly epoch: string;
  /** It holds what is below this key; undefined: from the first. */
  readonly from: Key | undefined;
  /** Highest first. */
  readonly keys: readonly Key[];
  /** There are more below the last of them. */
  readonly more: boolean;
}

/** The fields of a question that windows depend on. */
type WindowQuery = Pick<RecentQuery, 'user' | 'relation' | 'since' | 'unseen' | 'below' | 'limit' | 'freshness'>;

export class PageWindows {
  readonly #windows = new LRUCache<string, Window>({
    maxSize: MOST_KEYS,
    sizeCalculation: ({ keys }) => Math.max(1, keys.length),
  });

  /** The candidates of a page, if a window of this index still holds it. */
  find(query: WindowQuery, index: Pick<WarmReading, 'nonce' | 'epoch'>): Candidates | undefined {
    const window = this.#current(query, index);
    if (window === undefined) return undefined;
    const { keys, more } = window;
    const first = placeBelow(keys, query.below);
    const last = first + query.limit + SPARE_CANDIDATES;
    if (more && last >= keys.length) return undefined;
    const horizon = keys[last];
    return { keys: keys.slice(first, last), horizon, isAll: horizon === undefined };
  }

  /**
   * How many contacts a plain query should read for this page, and those after it: more if it continues a walk.
   * @param index read before the query; its state is what the window will be compared with
   */
  sizeFor(query: WindowQuery, index: Pick<WarmReading, 'nonce' | 'epoch'>): number {
    const before = this.#current(query, index);
    const size = before === undefined ? FIRST_WINDOW : Math.min(before.keys.length * 2, LARGEST_WINDOW);
    return Math.max(size, query.limit + 1);
  }

  /** @param keys what a plain query has read of the primary, of as many as it was asked for: highest first */
  keep(query: WindowQuery, index: Pick<WarmReading, 'nonce' | 'epoch'>, keys: readonly Key[], asked: number): void {
    const { nonce, epoch } = index;
    const own = keys.map(({ id, at }) => ({ id, at }));
    this.#windows.set(nameOf(query), { nonce, epoch, from: query.below, keys: own, more: keys.length >= asked });
  }

  /** The window that the page begins in, if nothing has changed since. */
  #current(query: WindowQuery, { nonce, epoch }: Pick<WarmReading, 'nonce' | 'epoch'>): Window | undefined {
    const name = nameOf(query);
    const window = this.#windows.get(name);
    if (window === undefined) return undefined;
    if (window.nonce === nonce && window.epoch === epoch) return beginsIn(window, query.below) ? window : undefined;
    this.#windows.delete(name);
    return undefined;
  }
}

/** What is unseen changes without a task, and the rows of a replica may be older than the index: neither has windows. */
export function mayHaveWindow({ unseen, freshness }: WindowQuery): boolean {
  return unseen !== true && freshness?.database === undefined;
}

function nameOf({ user, relation, since }: WindowQuery): string {
  return `${user} ${relation} ${since ?? ''}`;
}

function beginsIn({ from }: Window, below: Key | undefined): boolean {
  return from === undefined || (below !== undefined && !isAbove(below, from));
}

/** The place of the first key below this one. */
function placeBelow(keys: readonly Key[], below: Key | undefined): number {
  if (below === undefined) return 0;
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAbove(below, keys[middle] ?? below)) high = middle;
    else low = middle + 1;
  }
  return low;
}

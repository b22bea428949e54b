import { pause } from '../timing/loop.ts';
import { type Answers, concernsAll, storeFaultOf } from './store-fault.ts';

/** An item whose own fault it is that it failed, in every attempt. */
export interface SetAside<T> {
  readonly item: T;
  readonly error: Error;
  /** How often it was tried alone. */
  readonly attempts: number;
}

export interface SettingAside {
  readonly answers: Answers;
  /** Is this an error that ends the work although no store is at fault, because the work is no longer ours? */
  readonly isEnd?: (error: unknown) => boolean;
  /** Called with the first failure, before its cause is searched for. */
  readonly onFailure?: (error: unknown) => void;
}

/** Work to be tried as a whole. */
export interface Trial<W> {
  readonly whole: W;
  /** Wait before it, ms. */
  readonly afterMs: number;
}

/** How work that has failed is searched for what fails. */
export interface Search<W> {
  /** Cuts work that has failed in two; undefined: it cannot be cut. What it throws ends the search. */
  readonly halve: (whole: W, error: Error) => readonly [W, W] | undefined;
  /** How often work that cannot be cut is tried, with a pause before each further attempt. */
  readonly attempts: number;
}

/** In a list. @param attempts at an item that fails alone */
export function amongItems<T>(attempts: number): Search<readonly T[]> {
  return { halve: halvesOf, attempts };
}

/** A task that fails for good is a loss, which costs every user the index: it is tried more than once. */
const ATTEMPTS = 3;

/** What takes too long has delayed others enough: it has already failed among others, or came alone. */
const SLOW_ATTEMPTS = 2;

/** @returns undefined: the list has only one item */
export function halvesOf<T>(items: readonly T[]): readonly [readonly T[], readonly T[]] | undefined {
  const middle = Math.ceil(items.length / 2);
  return items.length > 1 ? [items.slice(0, middle), items.slice(middle)] : undefined;
}

/** Once so many items were set aside, each further one is tried alone once: this is not a fault that passes. */
const PATIENT_WITH = 10;

const PAUSE_MS = 100;

/**
 * Finds what fails: the whole, then halves, and halves of halves, until each part is done or has failed alone. The first half
 * comes before the second.
 * @returns the parts that were set aside
 */
export function* bisect<W>(
  whole: W,
  search: Search<W>,
  aside: SetAside<W>[] = [],
): Generator<Trial<W>, readonly SetAside<W>[], Error | undefined> {
  let error = yield { whole, afterMs: 0 };
  if (error === undefined) return aside;
  const halves = search.halve(whole, error);
  if (halves !== undefined) {
    yield* bisect(halves[0], search, aside);
    return yield* bisect(halves[1], search, aside);
  }
  for (let attempts = 1; ; attempts++) {
    const most = storeFaultOf(error) === 'slow' ? Math.min(SLOW_ATTEMPTS, search.attempts) : search.attempts;
    if (attempts >= most || aside.length >= PATIENT_WITH) {
      aside.push({ item: whole, error, attempts });
      return aside;
    }
    error = yield { whole, afterMs: PAUSE_MS * attempts };
    if (error === undefined) return aside;
  }
}

/**
 * Does work on all items together. If that fails because of one of them, tries halves, and halves of halves, so that all
 * others are done and the items that fail alone are found. Work that was done may be done again.
 * @returns the items that were set aside
 * @throws errors that concern all work (a store is unavailable or misconfigured), and errors for which `isEnd` is true
 */
export async function isolateFailures<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  options: SettingAside,
): Promise<readonly SetAside<T>[]> {
  return alone(await isolateParts(items, amongItems(ATTEMPTS), work, options));
}

/** The items of lists of one each. */
export function alone<T>(aside: readonly SetAside<readonly T[]>[]): readonly SetAside<T>[] {
  return aside.map(({ item: [item], ...failure }) => ({ item: item as T, ...failure }));
}

/** The same for work that is searched in another way. @returns the parts that cannot be cut, and fail */
export async function isolateParts<W>(
  whole: W,
  search: Search<W>,
  work: (part: W) => Promise<void>,
  options: SettingAside,
): Promise<readonly SetAside<W>[]> {
  const trials = bisect(whole, search);
  let failure: Error | undefined;
  let isFirst = true;
  for (let next = trials.next(); ; next = trials.next(failure)) {
    if (next.done) return next.value;
    const trial = next.value;
    if (trial.afterMs > 0) await pause(trial.afterMs);
    failure = await attempt(() => work(trial.whole), options);
    if (failure !== undefined && isFirst) options.onFailure?.(failure);
    isFirst = false;
  }
}

/**
 * Does work on each item, `atOnce` at a time. After a failure no other item is started, and running ones are waited for: the
 * caller may retry parts of the work at once, and these must not meet the remains of the first attempt.
 * @returns the results in the order of the items
 * @throws the first failure
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [place, item] of waiting) {
      try {
        results[place] = await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** @returns the failure if it is the items' own; undefined: they are done */
async function attempt(work: () => Promise<void>, { answers, isEnd }: SettingAside): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isEnd?.(error) || (await concernsAll(error, answers))) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

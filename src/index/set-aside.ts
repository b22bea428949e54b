import { pause } from '../timing/backoff.ts';
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

/** How often an item that fails alone is tried. */
const ATTEMPTS = 3;
const SLOW_ATTEMPTS = 2;

const PAUSE_MS = 100;

type BatchWork<T> = (some: readonly T[]) => Promise<void>;

/**
 * Does work on all items together. If that fails because of one of them, tries halves, and halves of halves, so that all
 * others are done and the items that fail alone are found. Work that was done may be done again.
 * @returns the items that were set aside
 * @throws errors that concern all work (a store is unavailable or misconfigured), and errors for which `isEnd` is true
 */
export async function settingAside<T>(
  items: readonly T[],
  work: BatchWork<T>,
  options: SettingAside,
): Promise<SetAside<T>[]> {
  const failure = await attempt(items, work, options);
  if (failure === undefined) return [];
  options.onFailure?.(failure);
  return await isolate(items, work, options, failure);
}

/**
 * Does work on each item, `atOnce` at a time. After a failure no other item is started, and running ones are waited for: the
 * caller may retry parts of the work at once, and these must not meet the remains of the first attempt.
 * @returns the results in the order of the items
 * @throws the first failure
 */
export async function eachOrNone<T, R>(
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

/** Finds the items because of which these failed together. */
async function isolate<T>(
  items: readonly T[],
  work: BatchWork<T>,
  options: SettingAside,
  failure: Error,
): Promise<SetAside<T>[]> {
  if (items.length === 1) return await alone(items[0] as T, work, options, failure);
  const middle = Math.ceil(items.length / 2);
  const aside: SetAside<T>[] = [];
  for (const half of [items.slice(0, middle), items.slice(middle)]) {
    if (half.length === 0) continue;
    const again = await attempt(half, work, options);
    if (again !== undefined) aside.push(...(await isolate(half, work, options, again)));
  }
  return aside;
}

async function alone<T>(item: T, work: BatchWork<T>, options: SettingAside, first: Error): Promise<SetAside<T>[]> {
  let error = first;
  for (let attempts = 1; ; attempts++) {
    // What takes too long has delayed others enough: it has already failed among others, or came alone.
    const enough = storeFaultOf(error) === 'slow' ? SLOW_ATTEMPTS : ATTEMPTS;
    if (attempts >= enough) return [{ item, error, attempts }];
    await pause(PAUSE_MS * attempts);
    const again = await attempt([item], work, options);
    if (again === undefined) return [];
    error = again;
  }
}

/** @returns the failure if it is the items' own; undefined: they are done */
async function attempt<T>(
  items: readonly T[],
  work: BatchWork<T>,
  { answers, isEnd }: SettingAside,
): Promise<Error | undefined> {
  try {
    await work(items);
    return undefined;
  } catch (error) {
    if (isEnd?.(error) || (await concernsAll(error, answers))) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

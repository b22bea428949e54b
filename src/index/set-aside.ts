import { pause } from '../timing/backoff.ts';
import { type Answers, concernsAll, storeFaultOf } from './store-fault.ts';

/** What failed by itself, every time it was tried, while other work would have done. */
export interface SetAside<T> {
  readonly item: T;
  readonly error: Error;
  /** How often it was tried alone. */
  readonly attempts: number;
}

export interface SettingAside {
  readonly answers: Answers;
  /** An error that ends the work although no store is at fault: it is no longer ours to do. */
  readonly isEnd?: (error: unknown) => boolean;
  /** Told of the first failure, which is then looked into. */
  readonly onFailure?: (error: unknown) => void;
}

/** How often what fails alone is tried. */
const ATTEMPTS = 3;
const SLOW_ATTEMPTS = 2;

const PAUSE_MS = 100;

/**
 * Does work on all items together. When that fails for a reason of one of them, halves are tried, and halves of halves,
 * so that all the others are done, and those that fail alone are found. Work that was done may be done again.
 * @returns what was set aside
 * @throws what concerns all work (a store is away, or not as it must be), and what `isEnd` says
 */
export async function settingAside<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  options: SettingAside,
): Promise<SetAside<T>[]> {
  const failure = await attempt(items, work, options);
  if (failure === undefined) return [];
  options.onFailure?.(failure);
  return items.length === 1 ? await alone(items, work, options, failure) : await inHalves(items, work, options);
}

/**
 * Does work on each item, so many at once. After a failure no other is begun, and what is under way is waited for: parts
 * of the work may be tried again at once, and must not meet what is left of the first try.
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

async function inHalves<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  options: SettingAside,
): Promise<SetAside<T>[]> {
  const middle = Math.ceil(items.length / 2);
  const aside: SetAside<T>[] = [];
  for (const half of [items.slice(0, middle), items.slice(middle)]) {
    if (half.length === 0) continue;
    const failure = await attempt(half, work, options);
    if (failure === undefined) continue;
    aside.push(
      ...(half.length === 1 ? await alone(half, work, options, failure) : await inHalves(half, work, options)),
    );
  }
  return aside;
}

async function alone<T>(
  [item]: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  options: SettingAside,
  first: Error,
): Promise<SetAside<T>[]> {
  let error = first;
  for (let attempts = 1; ; attempts++) {
    // What takes too long has blocked others for long enough: it failed among others as well, or came alone.
    const enough = storeFaultOf(error) === 'slow' ? SLOW_ATTEMPTS : ATTEMPTS;
    if (attempts >= enough) return [{ item: item as T, error, attempts }];
    await pause(PAUSE_MS * attempts);
    const again = await attempt([item as T], work, options);
    if (again === undefined) return [];
    error = again;
  }
}

/** @returns the failure, when it is that of the items; undefined: they are done */
async function attempt<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
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

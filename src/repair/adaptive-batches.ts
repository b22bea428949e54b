import { DatabaseUnavailable, StatementTooSlow } from '../mysql/database.ts';
import { isOfRow } from '../mysql/faults.ts';

/** Target duration of a batch's statement: short enough to be interrupted, long enough to be worth a round trip. */
const TARGET_MS = 200;

const BATCHES_AT_ONCE = 2;

const FIRST_SIZE = 25;
const MAX_SIZE = 500;

/**
 * Splits pages of users into batches of one statement each, as large as MySQL answers in good time: a user costs as much
 * as they have contacts, and that is not known beforehand.
 */
export class TimedBatches {
  readonly #now: () => number;
  #size = FIRST_SIZE;

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Works on two batches at a time: MySQL answers for one while the other is compared or written.
   * @returns the result of each batch, in order
   * @throws the signal's reason, and what the work throws, once both batches under way have ended; after
   * DatabaseUnavailable the batches are smaller
   */
  async each<T, R>(items: readonly T[], work: (some: readonly T[]) => Promise<R>, signal?: AbortSignal): Promise<R[]> {
    const results: R[] = [];
    const failures: unknown[] = [];
    let from = 0;
    let batches = 0;
    const lane = async () => {
      while (from < items.length && failures.length === 0) {
        signal?.throwIfAborted();
        const some = items.slice(from, from + this.#size);
        const batch = batches++;
        from += some.length;
        results[batch] = await this.#timed(some, work);
      }
    };
    const lanes = Array.from({ length: BATCHES_AT_ONCE }, () => lane().catch((error) => failures.push(error)));
    await Promise.all(lanes);
    if (failures.length > 0) throw failures[0];
    return results;
  }

  async #timed<T, R>(some: readonly T[], work: (some: readonly T[]) => Promise<R>): Promise<R> {
    const size = this.#size;
    const startedAt = this.#now();
    try {
      const result = await work(some);
      const fitting = (some.length * TARGET_MS) / Math.max(this.#now() - startedAt, 1);
      this.#resize(Math.min(fitting, size * 2));
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) this.#resize(size / 4);
      throw error;
    }
  }

  #resize(size: number): void {
    this.#size = Math.max(1, Math.min(MAX_SIZE, Math.floor(size)));
  }
}

/** Single items that are too slow, after which the other items are given up. */
export const MAX_SLOW_ITEMS = 3;

/**
 * Splits items into batches of one statement each, halves a batch that is too slow or has an unreadable row, and leaves
 * out single items that fail: a check must not stop the job it belongs to.
 */
export class HalvedBatches {
  readonly #maxSize: number;
  #size: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#size = maxSize;
  }

  /**
   * @returns the results, and how many items were left out
   * @throws the signal's reason, and errors that other items would meet as well
   */
  async each<T, R>(
    items: readonly T[],
    work: (some: readonly T[]) => Promise<R>,
    signal?: AbortSignal,
  ): Promise<{ done: R[]; left: number }> {
    const done: R[] = [];
    let left = 0;
    let slow = 0;
    for (let from = 0; from < items.length; ) {
      signal?.throwIfAborted();
      const some = items.slice(from, from + this.#size);
      try {
        done.push(await work(some));
        from += some.length;
        if (some.length >= this.#size) this.#size = Math.min(this.#maxSize, this.#size * 2);
      } catch (error) {
        if (!concernsOnlyItems(error)) throw error;
        this.#size = Math.ceil(some.length / 2);
        if (some.length > 1) continue;
        left += 1;
        from += 1;
        if (error instanceof StatementTooSlow) slow += 1;
        if (slow === MAX_SLOW_ITEMS) return { done, left: left + items.length - from };
      }
    }
    return { done, left };
  }
}

/** The items asked for caused the error: MySQL may answer about others. */
export function concernsOnlyItems(error: unknown): boolean {
  return error instanceof StatementTooSlow || isOfRow(error);
}

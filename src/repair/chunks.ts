import { DatabaseUnavailable } from '../mysql/database.ts';

/** How long a statement over a chunk should take: short enough to be interrupted, long enough to be worth a round trip. */
const TARGET_MS = 200;

const AT_ONCE = 2;

const FIRST = 25;
const MOST = 500;

/**
 * Cuts pages of users into chunks for one statement each, as large as they can be answered in good time: what a user
 * costs is the number of their contacts, and nobody knows that before.
 */
export class Chunks {
  readonly #now: () => number;
  #size = FIRST;

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The results of the work on each chunk, in their order. Two chunks are worked on at once: MySQL answers for one while
   * the other is compared or written.
   * @throws the signal's reason, and what the work throws, when what was under way has ended; after MySQL was
   * unavailable the chunks are smaller
   */
  async each<T, R>(items: readonly T[], work: (some: readonly T[]) => Promise<R>, signal?: AbortSignal): Promise<R[]> {
    const results: R[] = [];
    const failures: unknown[] = [];
    let from = 0;
    let begun = 0;
    const lane = async () => {
      while (from < items.length && failures.length === 0) {
        signal?.throwIfAborted();
        const some = items.slice(from, from + this.#size);
        const place = begun++;
        from += some.length;
        results[place] = await this.#timed(some, work);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => lane().catch((error: unknown) => failures.push(error))));
    if (failures.length > 0) throw failures[0];
    return results;
  }

  async #timed<T, R>(some: readonly T[], work: (some: readonly T[]) => Promise<R>): Promise<R> {
    const size = this.#size;
    const begun = this.#now();
    try {
      const result = await work(some);
      const fitting = (some.length * TARGET_MS) / Math.max(this.#now() - begun, 1);
      this.#resize(Math.min(fitting, size * 2));
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) this.#resize(size / 4);
      throw error;
    }
  }

  #resize(size: number): void {
    this.#size = Math.max(1, Math.min(MOST, Math.floor(size)));
  }
}

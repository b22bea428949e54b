import { learnedMean } from './limiter.ts';

export interface BatchesOptions<T, R> {
  /** Does the work of several items, which is less than that of each. The results are in their order. */
  readonly work: (items: readonly T[]) => Promise<readonly R[]>;
  /** Batches that run at once. */
  readonly atOnce: number;
  /** Items of one batch, at most. */
  readonly most: number;
  /** When an item is refused instead of waiting. Left out: never. */
  readonly bound?: WaitBound;
}

/** Who waits in vain should know at once. */
export interface WaitBound {
  /** Items that may wait, however short their wait would be: it bounds the memory. */
  readonly queue: number;
  /** The longest wait, by the mean duration of recent batches, ms. */
  readonly waitMs: number;
  /** Makes the error. */
  readonly refusal: () => Error;
}

interface QueuedItem<T, R> {
  readonly item: T;
  readonly result: PromiseWithResolvers<R>;
}

/**
 * Does together what has to wait anyway. While fewer batches run than may, an item is done at once and by itself; what comes
 * while as many run is in the next one. So batches grow with the load, and an item that finds nobody there waits for nobody.
 */
export class Batches<T, R> {
  readonly #options: BatchesOptions<T, R>;
  readonly #waiting: QueuedItem<T, R>[] = [];
  #running = 0;
  #meanMs = 0;

  constructor(options: BatchesOptions<T, R>) {
    this.#options = options;
  }

  /** The result of an item. Its work begins after this call. @throws the refusal; what the work throws, to every item of its batch */
  async run(item: T): Promise<R> {
    if (this.#running >= this.#options.atOnce) this.#requireHope();
    const result = Promise.withResolvers<R>();
    this.#waiting.push({ item, result });
    if (this.#running < this.#options.atOnce) void this.#next();
    return await result.promise;
  }

  async #next(): Promise<void> {
    const { work, most } = this.#options;
    const some = this.#waiting.splice(0, most);
    this.#running += 1;
    const begun = performance.now();
    try {
      const results = await work(some.map(({ item }) => item));
      for (const [i, { result }] of some.entries()) result.resolve(results[i] as R);
    } catch (error) {
      for (const { result } of some) result.reject(error);
    } finally {
      this.#meanMs = learnedMean(this.#meanMs, performance.now() - begun);
      this.#running -= 1;
      if (this.#waiting.length > 0) void this.#next();
    }
  }

  /** @throws the refusal */
  #requireHope(): void {
    const { atOnce, most, bound } = this.#options;
    if (bound === undefined) return;
    const batchesBefore = Math.floor(this.#waiting.length / most) + 1;
    const ms = (batchesBefore / atOnce + 1) * this.#meanMs;
    if (this.#waiting.length >= bound.queue || ms > bound.waitMs) throw bound.refusal();
  }
}

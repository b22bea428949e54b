export interface BatchesOptions<T, R> {
  /** Does the work of several items, which is less than that of each. The results are in their order. */
  readonly work: (items: readonly T[]) => Promise<readonly R[]>;
  /** Batches that run at once. */
  readonly atOnce: number;
  /** Items of one batch, at most. */
  readonly most: number;
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

  constructor(options: BatchesOptions<T, R>) {
    this.#options = options;
  }

  /** The result of an item. Its work begins after this call. @throws what the work throws, to every item of its batch */
  run(item: T): Promise<R> {
    const result = Promise.withResolvers<R>();
    this.#waiting.push({ item, result });
    if (this.#running < this.#options.atOnce) void this.#next();
    return result.promise;
  }

  async #next(): Promise<void> {
    const { work, most } = this.#options;
    const some = this.#waiting.splice(0, most);
    this.#running += 1;
    try {
      const results = await work(some.map(({ item }) => item));
      for (const [i, { result }] of some.entries()) result.resolve(results[i] as R);
    } catch (error) {
      for (const { result } of some) result.reject(error);
    } finally {
      this.#running -= 1;
      if (this.#waiting.length > 0) void this.#next();
    }
  }
}

import { setImmediate as turn } from 'node:timers/promises';

export interface GatheringOptions<T> {
  /** Does the work of all of them; one call at a time. What it throws, each of them gets. */
  readonly work: (items: readonly T[]) => Promise<void>;
  /** May this one come along with those? */
  readonly fits: (item: T, others: readonly T[]) => boolean;
}

interface Waiting<T> {
  readonly item: T;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Makes one call of many: of those that come in one turn of the event loop, and of those that come while a call is under
 * way. So calls are small while there is little to do, and grow with the load.
 */
export class Gathering<T> {
  readonly #options: GatheringOptions<T>;
  readonly #waiting: Waiting<T>[] = [];
  #isWorking = false;

  constructor(options: GatheringOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the work that holds this item is done. @throws what the work throws */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ item, done });
    if (!this.#isWorking) void this.#work();
    return done.promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      await turn();
      const some = this.#take();
      try {
        await this.#options.work(some.map(({ item }) => item));
        for (const { done } of some) done.resolve();
      } catch (error) {
        for (const { done } of some) done.reject(error);
      }
    }
    this.#isWorking = false;
  }

  /** The first, and those behind it up to one that does not fit. */
  #take(): Waiting<T>[] {
    const taken: T[] = [];
    for (const { item } of this.#waiting) {
      if (taken.length > 0 && !this.#options.fits(item, taken)) break;
      taken.push(item);
    }
    return this.#waiting.splice(0, taken.length);
  }
}

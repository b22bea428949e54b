import { setImmediate as turn } from 'node:timers/promises';
import { learnedMean } from './limiter.ts';

interface BatchesOptions<T, R> {
  /** Does the work of several items, which is less than that of each. The results are in their order; none if R is void. */
  readonly work: (items: readonly T[]) => Promise<readonly R[]>;
  /** Batches that run at once. */
  readonly atOnce: number;
  /** Items of one batch, at most. Left out: all that wait. */
  readonly most?: number;
  /** May the item join a batch of the others? Left out: always. */
  readonly fits?: (item: T, others: readonly T[]) => boolean;
  /** A batch waits one turn of the event loop for what else comes in it. Left out: it begins at once. */
  readonly gathers?: boolean;
  /** A further batch begins only beside slow ones. Left out: whenever fewer than `atOnce` run. */
  readonly slow?: SlowBatches<T>;
  /** When an item is refused instead of waiting. Left out: never. */
  readonly bound?: WaitBound;
}

interface SlowBatches<T> {
  /** A batch that takes longer is slow, ms. */
  readonly afterMs: number;
  /** Called when the batch of these items has become slow. */
  readonly onSlow: (items: readonly T[]) => void;
}

/** Rejects early what could not be served in time. */
interface WaitBound {
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
 * Does together what has to wait anyway: what comes while as many batches run as may is in the next one. So batches are small while
 * there is little to do, and grow with the load. When idle, an item runs immediately on its own, or with those of the same turn.
 */
export class Batches<T, R> {
  readonly #options: BatchesOptions<T, R>;
  readonly #waiting: QueuedItem<T, R>[] = [];
  #running = 0;
  /** Of {@link SlowBatches}: one runs that is not slow, or not yet. */
  #isHeldUp = false;
  #meanMs = 0;

  constructor(options: BatchesOptions<T, R>) {
    this.#options = options;
  }

  /** The result of an item. Its work begins after this call. @throws the refusal; what the work throws, to every item of its batch */
  async run(item: T): Promise<R> {
    if (!this.#hasRoom()) this.#rejectIfTooLate();
    const result = Promise.withResolvers<R>();
    this.#waiting.push({ item, result });
    this.#begin();
    return await result.promise;
  }

  #hasRoom(): boolean {
    return this.#running < this.#options.atOnce && !this.#isHeldUp;
  }

  #begin(): void {
    if (this.#waiting.length > 0 && this.#hasRoom()) void this.#next();
  }

  async #next(): Promise<void> {
    const { work, gathers, slow } = this.#options;
    this.#running += 1;
    this.#isHeldUp = slow !== undefined;
    if (gathers) await turn();
    const batch = this.#take();
    const items = batch.map(({ item }) => item);
    const slowness = slow === undefined ? undefined : this.#watch(items, slow);
    const begun = performance.now();
    try {
      const results = await work(items);
      for (const [i, { result }] of batch.entries()) result.resolve(results[i] as R);
    } catch (error) {
      for (const { result } of batch) result.reject(error);
    } finally {
      this.#meanMs = learnedMean(this.#meanMs, performance.now() - begun);
      this.#running -= 1;
      slowness?.end();
      this.#begin();
    }
  }

  /** The first item, and those behind it up to one that does not fit. */
  #take(): QueuedItem<T, R>[] {
    const { most = Number.POSITIVE_INFINITY, fits } = this.#options;
    if (fits === undefined) return this.#waiting.splice(0, most);
    const taken: T[] = [];
    for (const { item } of this.#waiting) {
      if (taken.length > 0 && (taken.length === most || !fits(item, taken))) break;
      taken.push(item);
    }
    return this.#waiting.splice(0, taken.length);
  }

  #watch(items: readonly T[], { afterMs, onSlow }: SlowBatches<T>) {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#isHeldUp = false;
      onSlow(items);
      this.#begin();
    }, afterMs);
    const end = () => {
      clearTimeout(timer);
      if (!isSlow) this.#isHeldUp = false;
    };
    return { end };
  }

  /** @throws the refusal */
  #rejectIfTooLate(): void {
    const { atOnce, most = Number.POSITIVE_INFINITY, bound } = this.#options;
    if (bound === undefined) return;
    const batchesBefore = Math.floor(this.#waiting.length / most) + 1;
    const ms = (batchesBefore / atOnce + 1) * this.#meanMs;
    if (this.#waiting.length >= bound.queue || ms > bound.waitMs) throw bound.refusal();
  }
}

/** The items in their order, as many at a time. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

import type { Backoff } from './loop.ts';
import { Wake } from './loop.ts';

/** How long to wait after rounds that find nothing: twice as long after every further one, until something has come. */
export class IdlePause {
  /** Cuts the wait short. */
  readonly wake = new Wake();
  readonly #times: Backoff;
  #ms = 0;

  constructor(times: Backoff) {
    this.#times = times;
  }

  /** @param found how much the round has found @returns ms; 0: something, so there may be more */
  after(found: number): number {
    const { firstMs, longestMs } = this.#times;
    this.#ms = found > 0 ? 0 : Math.min(Math.max(firstMs, 2 * this.#ms), longestMs);
    return this.#ms;
  }

  /** Something has come, for the next round. However much comes, rounds do not follow each other faster than the first wait. */
  end(): void {
    if (this.#ms <= this.#times.firstMs) return;
    this.#ms = 0;
    this.wake.now();
  }
}

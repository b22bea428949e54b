import { Wake } from '../timing/loop.ts';

/** Wait after a look that found nobody, ms. */
const IDLE_MS = 250;

/** The same while somebody was found, or began to wait, within this time: those who begin to wait are due in a moment. */
const BUSY_MS = { interval: 10, through: 200 };

/** When a notifier looks who is due: soon after it was told that somebody waits, and otherwise four times a second. */
export class Looks {
  readonly wake = new Wake();
  readonly #now: () => number;
  #busyUntil = Number.NEGATIVE_INFINITY;

  /** @param now monotonic, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Somebody has begun to wait. */
  waiting(): void {
    const isIdle = !this.#isBusy();
    this.#stayBusy();
    if (isIdle) this.wake.now();
  }

  /** @param found how many were due at the last look @returns how long to wait before the next one, ms */
  untilNext(found: number): number {
    if (found > 0) {
      this.#stayBusy();
      return 0;
    }
    return this.#isBusy() ? BUSY_MS.interval : IDLE_MS;
  }

  #stayBusy(): void {
    this.#busyUntil = this.#now() + BUSY_MS.through;
  }

  #isBusy(): boolean {
    return this.#now() < this.#busyUntil;
  }
}

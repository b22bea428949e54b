import { setTimeout as pause } from 'node:timers/promises';

/** Limits a long job to a number of users a second, on average over its pages. */
export class RateLimiter {
  readonly #rate: number | undefined;
  readonly #now: () => number;
  /** When the users so far would have been done at exactly this rate. */
  #due: number | undefined;

  /**
   * @param rate users a second; undefined: unlimited
   * @param now ms, monotonic
   */
  constructor(rate: number | undefined, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Waits until the next `users` may be processed. @throws the signal's reason */
  async spend(users: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#rate === undefined) return;
    const now = this.#now();
    // Time lost on a slow page is not made up for: the rate is a limit.
    const due = Math.max(this.#due ?? now, now);
    this.#due = due + (users / this.#rate) * 1000;
    if (due > now) await pause(due - now, undefined, { signal });
  }
}

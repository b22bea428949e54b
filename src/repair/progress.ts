import type { Id } from '../contracts/id.ts';

/** How far a long job is. */
export interface Progress {
  /** The run to resume it by; undefined: it keeps none. */
  readonly run: Id | undefined;
  /** Users. */
  readonly done: number;
  /** Users in all, as far as can be told without counting them. */
  readonly total: number;
  /** Users a second, in this process. */
  readonly rate: number;
  /** Seconds that are left at this rate; undefined: cannot be told yet. */
  readonly eta: number | undefined;
}

/** Measures the progress of one process's part of a job. */
export class ProgressMeter {
  readonly #now: () => number;
  readonly #begun: number;
  #done = 0;

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
    this.#begun = now();
  }

  add(users: number): void {
    this.#done += users;
  }

  /** @param done users in all parts, @param total as estimated */
  progress(run: Id | undefined, done: number, total: number): Progress {
    const seconds = (this.#now() - this.#begun) / 1000;
    const rate = seconds > 0 ? this.#done / seconds : 0;
    return { run, done, total, rate, eta: rate > 0 ? (total - done) / rate : undefined };
  }
}

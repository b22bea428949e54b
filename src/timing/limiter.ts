import { setTimeout as pause } from 'node:timers/promises';
import { type Deadline, DeadlineExceeded, RequestCancelled, withTimeout } from './deadline.ts';

/** `answer`: a client waits for it; `background`: it runs when no answer waits, however long that takes. */
export type Urgency = 'answer' | 'background';

export interface LimiterOptions {
  /** How many run at once. */
  readonly concurrency: number;
  /** How many may wait, however short their wait would be: it bounds the memory. */
  readonly queue: number;
  /** The longest wait, ms. */
  readonly waitMs: number;
  /** Makes the error that is thrown when the wait would be too long. */
  readonly refusal: () => Error;
}

interface LimitedRun {
  readonly urgency?: Urgency;
  readonly deadline?: Deadline | undefined;
}

/** The weight of the latest run in the mean duration. */
const WEIGHT = 1 / 16;

/**
 * A run counts as at most this many times the mean: a single long one says nothing about the others, and the first one,
 * which had to connect, must not lead to refusals.
 */
const OUTLIER = 8;

/** The mean duration after one more run of so many ms. */
export function learnedMean(meanMs: number, ms: number): number {
  const counted = Math.min(ms, Math.max(1, OUTLIER * meanMs));
  return meanMs + (counted - meanMs) * WEIGHT;
}

/**
 * Limits how many run at once. Others wait in a queue that is bounded by time: by the mean duration of recent runs,
 * a query that could not begin within `waitMs`, or end before the deadline of the request, is refused at once.
 */
export class Limiter {
  /** How many were refused, at once or after waiting. */
  refused = 0;
  readonly #options: LimiterOptions;
  readonly #lines: Readonly<Record<Urgency, Set<() => void>>> = { answer: new Set(), background: new Set() };
  #running = 0;
  #meanMs = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#lines.answer.size + this.#lines.background.size;
  }

  /** @throws the refusal, DeadlineExceeded (in the queue, with the refusal as its cause), RequestCancelled, errors of the work */
  async run<T>(work: () => Promise<T>, wanted: LimitedRun = {}): Promise<T> {
    wanted.deadline?.check();
    if (this.#running >= this.#options.concurrency) await this.#wait(wanted);
    else this.#running += 1;
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#meanMs = learnedMean(this.#meanMs, performance.now() - begun);
      this.#pass();
    }
  }

  /** Lets the first in the queue run. */
  #pass(): void {
    const { answer, background } = this.#lines;
    const line = answer.size > 0 ? answer : background;
    const [next] = line;
    if (next === undefined) this.#running -= 1;
    else {
      line.delete(next);
      next();
    }
  }

  async #wait({ urgency = 'answer', deadline }: LimitedRun): Promise<void> {
    const { waitMs, refusal } = this.#options;
    const isPatient = urgency === 'background' && deadline === undefined;
    if (this.#wouldTimeOut(urgency, Math.min(waitMs, deadline?.leftMs ?? waitMs))) {
      this.refused += 1;
      throw refusal();
    }
    const line = this.#lines[urgency];
    const turn = Promise.withResolvers<void>();
    line.add(turn.resolve);
    try {
      await (isPatient ? turn.promise : withTimeout(turn.promise, waitMs, refusal, deadline));
    } catch (error) {
      // It was let in just when it gave up: let in the next one.
      if (!line.delete(turn.resolve)) this.#pass();
      if (!(error instanceof RequestCancelled)) this.refused += 1;
      throw error instanceof DeadlineExceeded ? new DeadlineExceeded(refusal()) : error;
    }
  }

  #wouldTimeOut(urgency: Urgency, ms: number): boolean {
    const { concurrency, queue } = this.#options;
    if (this.queued >= queue) return true;
    if (urgency === 'background') return false; // it waits as long as it takes
    const before = this.#lines.answer.size + 1;
    return (before / concurrency + 1) * this.#meanMs > ms;
  }
}

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

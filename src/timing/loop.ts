import { setTimeout as sleep } from 'node:timers/promises';

/** Exponential back-off, ms: the first wait, doubled after each further failure up to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Short enough to notice soon that a store is back; long enough that asking costs nothing. */
export const DEFAULT_BACKOFF: Backoff = { firstMs: 100, longestMs: 5_000 };

/**
 * How long to wait after a failure, ms.
 * @param failures in a row, before the one that has just happened
 */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 30), longestMs);
}

/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects: check the signal afterwards. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Cuts the wait of a loop short, or the next one while a round is running. */
export class Wake {
  #next = new AbortController();

  now(): void {
    this.#next.abort();
  }

  /** Waits for `ms`, until woken, or until the signal is aborted. Never rejects. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const end = () => this.now();
    signal.addEventListener('abort', end, { once: true });
    await pause(ms, this.#next.signal);
    signal.removeEventListener('abort', end);
    this.#next = new AbortController();
  }
}

interface LoopOptions {
  /** Ends the loop. A round that is running is finished first; a wait is cut short. */
  readonly signal: AbortSignal;
  /** One round of work. Returns how long to wait before the next one, ms. */
  readonly round: () => Promise<number>;
  /** Called with what a round throws. Returns how long to wait before the next round, ms. Left out: the error ends the loop. */
  readonly onError?: (error: unknown) => number;
  /** What may cut a wait short. */
  readonly wake?: Wake;
}

/**
 * Runs rounds one after the other until the signal is aborted.
 * @throws what `onError` throws; without it, what `round` throws
 */
export async function loop({ signal, round, onError = rethrow, wake }: LoopOptions): Promise<void> {
  while (!signal.aborted) {
    const waitMs = await round().catch(onError);
    if (waitMs > 0) await (wake?.pause(waitMs, signal) ?? pause(waitMs, signal));
  }
}

interface RetryPolicy {
  /** Cuts the wait between two attempts short. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each failed attempt. Returns how long to wait before the next one, ms; throws to give up.
   * @param failures so far, from 1
   */
  readonly onFailure: (error: unknown, failures: number) => number;
}

/**
 * Attempts something until it succeeds.
 * @throws what `onFailure` throws; the signal's reason, when it is aborted between two attempts
 */
export async function retry<T>(attempt: () => Promise<T>, { signal, onFailure }: RetryPolicy): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      await pause(onFailure(error, failures), signal);
      signal?.throwIfAborted();
    }
  }
}

function rethrow(error: unknown): never {
  throw error;
}

import { pause } from './backoff.ts';

export interface LoopOptions {
  /** Ends the loop. A round that is running is finished first; a wait is cut short. */
  readonly signal: AbortSignal;
  /** One round of work. Returns how long to wait before the next one, ms. */
  readonly round: () => Promise<number>;
  /** Called with what a round throws. Returns how long to wait before the next round, ms. Left out: the error ends the loop. */
  readonly onError?: (error: unknown) => number;
}

/**
 * Runs rounds one after the other until the signal is aborted.
 * @throws what `onError` throws; without it, what `round` throws
 */
export async function loop({ signal, round, onError = rethrow }: LoopOptions): Promise<void> {
  while (!signal.aborted) {
    const waitMs = await round().catch(onError);
    if (waitMs > 0) await pause(waitMs, signal);
  }
}

export interface RetryPolicy {
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

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

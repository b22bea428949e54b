import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses between attempts, ms: doubling from the first to the longest. */
export interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Short enough that a store's return is noticed soon, long enough that asking costs nothing. */
export const DEFAULT_PAUSES: Pauses = { firstMs: 100, longestMs: 5_000 };

/** @param failures in a row, before the one that has just happened */
export function pauseAfter(failures: number, { firstMs, longestMs }: Pauses): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 30), longestMs);
}

/** Resolves after so long, or as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

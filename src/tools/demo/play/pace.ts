import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when it is the caller's turn, or when aborted. */
export type Turn = (signal: AbortSignal) => Promise<void>;

/** Gives out turns at an even pace. What was missed is not made up for: that would be a burst. @param rate turns a second */
export function pacedAt(rate: number): Turn {
  let next = performance.now();
  return async (signal) => {
    const now = performance.now();
    next = Math.max(next + 1000 / rate, now);
    if (next > now) await pause(next - now, undefined, { signal }).catch(() => undefined);
  };
}

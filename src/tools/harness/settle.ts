import { setTimeout as pause } from 'node:timers/promises';
import { EVERYBODY, type RaiseBarrier } from '../../index/drain-barrier.ts';

const INTERVAL_MS = 20;

/**
 * Waits until everything that is on its way now has been applied.
 * @throws Error when that takes longer than `timeoutMs`, the signal's reason
 */
export async function settle(raiseBarrier: RaiseBarrier, signal: AbortSignal, timeoutMs = 120_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const barrier = await raiseBarrier([EVERYBODY]);
  while (!(await barrier.passed())) {
    if (performance.now() > deadline) throw new Error(`not every task was applied within ${timeoutMs / 1000} s`);
    await pause(INTERVAL_MS, undefined, { signal });
  }
}

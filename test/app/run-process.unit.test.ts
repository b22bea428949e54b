import process from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { onEndingSignals } from '../../src/app/ending.ts';
import { TIMES } from '../../src/app/run-process.ts';
import { KEPT_MS } from '../../src/repair/sampler/report.ts';

it('the times of the processes; tests of what happens when they are over use shorter ones', () => {
  expect(TIMES).toEqual({
    settleMs: 30_000,
    stallMs: 18_000, // with a tenth of it, and the time to close: less than the 30 s of fault 8
    samplerLease: { ttlMs: 10_000, retryMs: 2_000 },
    captureLeaseMs: 10_000,
    readerDayMs: 24 * 3600 * 1000,
  });
  expect({ report: KEPT_MS }).toEqual({ report: 15_000 });
});

/** Signals as if this process got them, at times of the test's own. */
function signalled() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const others = new Set(process.listeners('SIGTERM'));
  const heard: string[] = [];
  const forget = onEndingSignals({ onFirst: () => heard.push('first'), onSecond: () => heard.push('second') });
  onTestFinished(forget);
  const [own] = process.listeners('SIGTERM').filter((listener) => !others.has(listener));
  const signal = (afterMs: number) => {
    vi.advanceTimersByTime(afterMs);
    own?.('SIGTERM');
  };
  return { heard, signal };
}

it('a signal that comes twice at once is one, another one a second later is the second', () => {
  const { heard, signal } = signalled();
  signal(0);
  signal(0);
  signal(1_000);
  expect(heard).toEqual(['first']);
  signal(1);
  expect(heard).toEqual(['first', 'second']);
});

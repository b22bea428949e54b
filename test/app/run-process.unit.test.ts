import { expect, it } from 'vitest';
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

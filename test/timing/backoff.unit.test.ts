import { describe, expect, it } from 'vitest';
import { backoffMs, pause } from '../../src/timing/loop.ts';

describe('back-off', () => {
  it('doubles up to the longest wait', () => {
    const backoff = { firstMs: 100, longestMs: 5_000 };
    expect([0, 1, 2, 5, 6, 1_000].map((failures) => backoffMs(failures, backoff))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
  });

  it('is cut short when the signal is aborted', async () => {
    await pause(60_000, AbortSignal.abort());
    const soon = new AbortController();
    setTimeout(() => soon.abort(), 5);
    await pause(60_000, soon.signal);
  });
});

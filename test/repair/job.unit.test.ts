import { describe, expect, it } from 'vitest';
import { CostMeter } from '../../src/repair/job.ts';
import { RateLimiter } from '../../src/timing/limiter.ts';

describe('the rate limiter', () => {
  it('does not make up for unused time', async () => {
    let clock = 0;
    const limiter = new RateLimiter(10_000, () => clock);
    await limiter.spend(1);
    clock += 10_000; // a slow page
    const from = performance.now();
    await limiter.spend(1_000);
    await limiter.spend(1); // a tenth of a second is owed for the thousand
    expect(performance.now() - from).toBeGreaterThan(95);
  });

  it('never waits without a rate', async () => {
    const limiter = new RateLimiter(undefined, () => 0);
    const from = performance.now();
    for (let i = 0; i < 1_000; i++) await limiter.spend(1_000_000);
    expect(performance.now() - from).toBeLessThan(10_000);
    await expect(limiter.spend(1, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('the costs of a job', () => {
  it('are divided among pages without a gap, and unsaved costs count towards the next page', () => {
    let [rows, clock] = [100, 5_000];
    const costs = new CostMeter({ rowsRead: () => rows, now: () => clock });
    rows += 10;
    clock += 1_000;
    expect(costs.unsaved()).toEqual({ rows_read: 10, seconds: 1 });
    rows += 5;
    const cost = costs.unsaved();
    expect(cost).toEqual({ rows_read: 15, seconds: 1 });
    costs.saved(cost);
    clock += 500;
    expect(costs.unsaved()).toEqual({ rows_read: 0, seconds: 0.5 });
  });
});

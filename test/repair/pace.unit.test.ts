import { describe, expect, it } from 'vitest';
import { Costs } from '../../src/repair/costs.ts';
import { Pace } from '../../src/repair/pace.ts';
import { ProgressMeter } from '../../src/repair/progress.ts';

describe('the pace of a job', () => {
  it('does not make up for time that was not used', async () => {
    let clock = 0;
    const pace = new Pace(10_000, () => clock);
    await pace.spend(1);
    clock += 10_000; // a slow page
    const from = performance.now();
    await pace.spend(1_000);
    await pace.spend(1); // a tenth of a second is owed for the thousand
    expect(performance.now() - from).toBeGreaterThan(95);
  });

  it('is none where none is wanted', async () => {
    const pace = new Pace(undefined, () => 0);
    const from = performance.now();
    for (let i = 0; i < 1_000; i++) await pace.spend(1_000_000);
    expect(performance.now() - from).toBeLessThan(10_000);
    await expect(pace.spend(1, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('the costs of a job', () => {
  it('are cut into pages without a gap, and what was not kept is counted with the next', () => {
    let [rows, clock] = [100, 5_000];
    const costs = new Costs({ rowsRead: () => rows, now: () => clock });
    rows += 10;
    clock += 1_000;
    expect(costs.soFar()).toEqual({ rows_read: 10, seconds: 1 });
    rows += 5;
    const cost = costs.soFar();
    expect(cost).toEqual({ rows_read: 15, seconds: 1 });
    costs.count(cost);
    clock += 500;
    expect(costs.soFar()).toEqual({ rows_read: 0, seconds: 0.5 });
  });
});

describe('the progress of a job', () => {
  it('tells the rate of this process, and what is left at it', () => {
    let clock = 0;
    const meter = new ProgressMeter(() => clock);
    expect(meter.progress('7', 0, 100)).toEqual({ run: '7', done: 0, total: 100, rate: 0, eta: undefined });
    meter.add(20);
    clock = 4_000;
    expect(meter.progress('7', 60, 100)).toEqual({ run: '7', done: 60, total: 100, rate: 5, eta: 8 });
  });
});

import { describe, expect, it } from 'vitest';
import { IdlePause } from '../../src/timing/idle-pause.ts';
import { loop } from '../../src/timing/loop.ts';

const TIMES = { firstMs: 100, longestMs: 2_000 };

describe('the pause between rounds that find nothing', () => {
  it('doubles up to the longest, and is over when something is found', () => {
    const pause = new IdlePause(TIMES);
    expect(Array.from({ length: 7 }, () => pause.after(0))).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect([pause.after(3), pause.after(0), pause.after(0)]).toEqual([0, 100, 200]);
  });

  it('ends when something has come, and begins anew', async () => {
    const pause = new IdlePause({ firstMs: 1, longestMs: 3_600_000 });
    const ending = new AbortController();
    const waits: number[] = [];
    const round = async () => {
      waits.push(pause.after(0));
      return waits.at(-1) ?? 0;
    };
    const running = loop({ signal: ending.signal, round, wake: pause.wake });
    await expect.poll(() => waits.at(-1)).toBeGreaterThanOrEqual(64);
    const rounds = waits.length;
    pause.end();
    await expect.poll(() => waits[rounds]).toBe(1);
    ending.abort();
    await running;
  });

  it('is not cut short again and again by what comes at once', async () => {
    const pause = new IdlePause({ firstMs: 3_600_000, longestMs: 7_200_000 });
    const ending = new AbortController();
    let rounds = 0;
    const round = async () => {
      rounds += 1;
      return pause.after(0);
    };
    const running = loop({ signal: ending.signal, round, wake: pause.wake });
    await expect.poll(() => rounds).toBe(1);
    for (let i = 0; i < 10; i++) pause.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rounds).toBe(1);
    ending.abort();
    await running;
  });
});

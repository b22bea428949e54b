import { describe, expect, it } from 'vitest';
import { Looks } from '../../src/push/looks.ts';

describe('a notifier looks who is due', () => {
  it('four times a second while nobody waits', () => {
    expect(new Looks(() => 0).untilNext(0)).toBe(250);
  });

  it('at once after it has found somebody, and then often for a moment', () => {
    let now = 0;
    const looks = new Looks(() => now);
    expect(looks.untilNext(3)).toBe(0);
    now = 199;
    expect(looks.untilNext(0)).toBe(10);
    now = 200;
    expect(looks.untilNext(0)).toBe(250);
  });

  it('when it is told that somebody waits, once for all who begin to wait together', async () => {
    let now = 0;
    const looks = new Looks(() => now);
    const hour = () => looks.wake.pause(3_600_000, AbortSignal.timeout(60_000));
    const waits = hour();
    looks.waiting();
    await waits;
    expect(looks.untilNext(0)).toBe(10);
    const next = hour().then(() => 'woken');
    looks.waiting(); // it looks soon anyway
    const later = new Promise((resolve) => setImmediate(() => resolve('waits')));
    expect(await Promise.race([next, later])).toBe('waits');
    now = 201;
    looks.waiting();
    expect(await next).toBe('woken');
  });

  it('at once, if it is told while it looks', async () => {
    const looks = new Looks(() => 0);
    looks.waiting();
    await looks.wake.pause(3_600_000, AbortSignal.timeout(60_000));
  });
});

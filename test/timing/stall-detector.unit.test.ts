import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StallDetector } from '../../src/timing/stall-detector.ts';

describe('a stall detector', () => {
  function watch(isWaiting: () => Promise<boolean>) {
    const clock = { now: 0 };
    let wake = () => {};
    const pause = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    const progress = new StallDetector({ limitMs: 40, now: () => clock.now, pause });
    const ended = new AbortController();
    let outcome: unknown;
    const over = progress.watch(isWaiting, ended.signal).then(
      () => {
        outcome = 'ended';
      },
      (error: Error) => {
        outcome = error.name;
      },
    );
    /** Lets this moment come in one pause, however long. */
    const suspendedUntil = async (now: number) => {
      clock.now = now;
      wake();
      await setImmediate();
      return outcome;
    };
    /** Lets this moment come; it looks every 4 ms, and then. */
    const at = async (now: number) => {
      while (clock.now < now) await suspendedUntil(Math.min(clock.now + 4, now));
      return outcome;
    };
    return { progress, at, suspendedUntil, over, end: () => ended.abort(), outcome: () => outcome };
  }

  it('ends with an error after so long without progress while there is work', async () => {
    const { at } = watch(async () => true);
    expect(await at(39)).toBeUndefined();
    expect(await at(40)).toBe('SourceStalled');
  });

  it('counts from the last progress', async () => {
    const { at, progress, end, over, outcome } = watch(async () => true);
    await at(30);
    progress.mark();
    expect(await at(69)).toBeUndefined();
    end();
    await over;
    expect(outcome()).toBe('ended');
  });

  it('counts from when there was last nothing to do', async () => {
    let isWaiting = false;
    const { at, end } = watch(async () => isWaiting);
    expect(await at(10_000)).toBeUndefined();
    isWaiting = true;
    expect(await at(10_039)).toBeUndefined();
    expect(await at(10_040)).toBe('SourceStalled');
    end();
  });

  it('ends with an error when one call makes no progress, whatever the others do', async () => {
    const { at, progress } = watch(async () => false);
    const [hanging, other] = [progress.begin(), progress.begin()];
    await at(30);
    hanging.mark();
    for (const now of [50, 69]) {
      other.mark();
      progress.mark();
      expect(await at(now)).toBeUndefined();
    }
    other.mark();
    expect(await at(70)).toBe('SourceStalled');
  });

  it('forgets a call that has ended', async () => {
    const { at, progress, end } = watch(async () => false);
    progress.begin().end();
    expect(await at(10_000)).toBeUndefined();
    end();
  });

  it('does not count the time in which the process was suspended', async () => {
    const { at, suspendedUntil, progress } = watch(async () => true);
    progress.begin();
    await at(30);
    expect(await suspendedUntil(10_034)).toBeUndefined(); // 4 of 10,004 ms counted
    expect(await at(10_039)).toBeUndefined();
    expect(await at(10_040)).toBe('SourceStalled');
  });

  it('does not count the time in which it was suspended while it asked whether there is work', async () => {
    const question = Promise.withResolvers<boolean>();
    const { at, suspendedUntil } = watch(() => question.promise);
    await at(24);
    await suspendedUntil(10_024);
    question.resolve(true);
    await setImmediate();
    expect(await at(10_036)).toBeUndefined();
    expect(await at(10_044)).toBe('SourceStalled');
  });

  it('counts from progress that was made just after the process went on', async () => {
    const { at, suspendedUntil, progress } = watch(async () => true);
    const call = progress.begin();
    const woken = suspendedUntil(10_000);
    call.mark();
    expect(await woken).toBeUndefined();
    expect(await at(10_039)).toBeUndefined();
    expect(await at(10_040)).toBe('SourceStalled');
  });

  it('asks seldom', async () => {
    let asked = 0;
    const { at, end } = watch(async () => {
      asked++;
      return false;
    });
    await at(19);
    expect(asked).toBe(0);
    await at(20);
    expect(asked).toBe(1);
    end();
  });
});

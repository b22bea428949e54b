import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pause, pauseAfter } from '../../src/timing/backoff.ts';
import { settledWithin } from '../../src/timing/settled-within.ts';
import { ProgressWatch } from '../../src/timing/stall-detector.ts';
import { entryFields, isBefore, timeOf } from '../../src/transport/streams/entries.ts';

describe('a watch over progress', () => {
  function watch(isWaiting: () => Promise<boolean>) {
    const clock = { now: 0 };
    const progress = new ProgressWatch({ limitMs: 40, now: () => clock.now });
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
    /** Lets it look a few times at this moment. */
    const at = async (now: number) => {
      clock.now = now;
      await sleep(20);
      return outcome;
    };
    return { progress, at, over, end: () => ended.abort(), outcome: () => outcome };
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

describe('pauses', () => {
  it('double up to the longest', () => {
    const pauses = { firstMs: 100, longestMs: 5_000 };
    expect([0, 1, 2, 5, 6, 1_000].map((failures) => pauseAfter(failures, pauses))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
  });

  it('end when they are no longer wanted', async () => {
    await pause(60_000, AbortSignal.abort());
    const soon = new AbortController();
    setTimeout(() => soon.abort(), 5);
    await pause(60_000, soon.signal);
  });
});

describe('waiting for something that may take too long', () => {
  it('tells whether it settled, either way', async () => {
    expect(await settledWithin(Promise.resolve(), 50)).toBe(true);
    expect(await settledWithin(Promise.reject(new Error('x')), 50)).toBe(true);
    expect(await settledWithin(new Promise(() => undefined), 5)).toBe(false);
  });
});

describe('entries of a stream', () => {
  it('are ordered by time, then by number, and not as text', () => {
    const ids = ['0-0', '9-1', '9-2', '9-10', '10-0', '18446744073709551615-9007199254740993'];
    for (const [i, a] of ids.entries()) for (const [j, b] of ids.entries()) expect(isBefore(a, b)).toBe(i < j);
    expect(timeOf('1700000000123-4')).toBe(1_700_000_000_123);
  });

  it('have the headers as fields, and a body unless they are tombstones', () => {
    expect(entryFields(Buffer.from('b'), { h: '1' })).toEqual(['h', '1', 'body', Buffer.from('b')]);
    expect(entryFields(null, { h: '1' })).toEqual(['h', '1']);
  });
});

import { describe, expect, it } from 'vitest';
import { loop, retry, Wake } from '../../src/timing/loop.ts';

describe('a loop', () => {
  it('goes on after an error that it may wait out, and ends when it is aborted', async () => {
    const stop = new AbortController();
    const errors: unknown[] = [];
    let rounds = 0;
    const round = async () => {
      rounds += 1;
      if (rounds === 2) throw new Error('unavailable');
      if (rounds === 4) stop.abort();
      return 0;
    };
    await loop({ signal: stop.signal, round, onError: (error) => errors.push(error) });
    expect([rounds, errors]).toEqual([4, [new Error('unavailable')]]);
  });

  it('cuts its wait short when it is aborted', async () => {
    const stop = new AbortController();
    const round = async () => {
      setImmediate(() => stop.abort());
      return 60_000;
    };
    await loop({ signal: stop.signal, round });
  });

  it.each([
    ['while it waits', (wake: Wake) => void setImmediate(() => wake.now())],
    ['during a round, for the wait after it', (wake: Wake) => wake.now()],
  ])('goes on at once when it is woken %s, and waits again after that', async (_, wakeUp) => {
    const [stop, wake] = [new AbortController(), new Wake()];
    let rounds = 0;
    const round = async () => {
      rounds += 1;
      if (rounds === 1) wakeUp(wake);
      else setImmediate(() => setImmediate(() => stop.abort()));
      return 60_000;
    };
    await loop({ signal: stop.signal, round, wake });
    expect(rounds).toBe(2);
  });

  it('that may be woken ends when it is aborted during a round', async () => {
    const stop = new AbortController();
    const round = async () => {
      stop.abort();
      return 60_000;
    };
    await loop({ signal: stop.signal, round, wake: new Wake() });
  });

  it('does nothing once aborted, and ends with an error that nobody handles', async () => {
    const round = () => Promise.reject(new Error('broken'));
    await loop({ signal: AbortSignal.abort(), round });
    await expect(loop({ signal: new AbortController().signal, round })).rejects.toThrow('broken');
  });
});

describe('retrying', () => {
  it('attempts again until it succeeds, and counts the failures', async () => {
    const failed: number[] = [];
    const attempt = async () => {
      if (failed.length < 2) throw new Error('unavailable');
      return 'done';
    };
    const onFailure = (_error: unknown, failures: number) => {
      failed.push(failures);
      return 0;
    };
    expect(await retry(attempt, { onFailure })).toBe('done');
    expect(failed).toEqual([1, 2]);
  });

  it('gives up with what the handler throws, and with the reason when it is aborted during the wait', async () => {
    const attempt = () => Promise.reject(new Error('broken'));
    const giveUp = (error: unknown) => {
      throw error;
    };
    await expect(retry(attempt, { onFailure: giveUp })).rejects.toThrow('broken');
    const stop = new AbortController();
    const onFailure = () => {
      setImmediate(() => stop.abort(new Error('stopped')));
      return 60_000;
    };
    await expect(retry(attempt, { signal: stop.signal, onFailure })).rejects.toThrow('stopped');
  });
});

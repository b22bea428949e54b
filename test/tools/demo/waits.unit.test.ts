import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/cli/exit-code.ts';
import { bodyOf, type HttpAnswer } from '../../../src/tools/harness/http.ts';
import { explained, TookTooLong, until } from '../../../src/tools/harness/poll.ts';

const SOON = { everyMs: 1, timeoutMs: 20 };
const signal = new AbortController().signal;

describe('a wait of the demonstration', () => {
  it('ends with what it has waited for', async () => {
    let looks = 0;
    const look = async () => ++looks;
    expect(await until('It was not seen', look, (seen) => seen === 3, { everyMs: 1, timeoutMs: 60_000 })).toBe(3);
  });

  it('that lasts too long says what did not happen and what to do, without a stack', async () => {
    const waiting = until(
      (seen: number) => `${seen} watches were not looked at`,
      async () => 7,
      () => false,
      SOON,
    );
    const error = await waiting.catch((reason: unknown) => reason);
    const { message, exitCode } = failureOf(error);
    expect(exitCode).toBe(1);
    expect(message).toMatch(/^7 watches were not looked at within 0\.02 s\. Is the machine busy .* run this again/);
    expect(message).not.toMatch(/should not have happened|\n/);
  });

  it('asks a busy server again, and no other', async () => {
    const answers: HttpAnswer[] = [
      { status: 503, body: '' },
      { status: 200, body: 'well' },
      { status: 500, body: 'broken' },
    ];
    const ask = async () => answers.shift() as HttpAnswer;
    expect(await bodyOf('The page', ask, 200, signal)).toBe('well');
    await expect(bodyOf('The page', ask, 200, signal)).rejects.toThrow('The page was answered with 500: broken');
  });
});

describe('what ends the demonstration', () => {
  it('is explained when a server did not answer, and is a defect otherwise', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const fetched = new TypeError('fetch failed', { cause: refused });
    for (const error of [refused, fetched, new DOMException('too late', 'TimeoutError')]) {
      expect(explained(error)).toBeInstanceOf(TookTooLong);
    }
    const defect = new TypeError('x is undefined');
    expect(explained(defect)).toBe(defect);
  });
});

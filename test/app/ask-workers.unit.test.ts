import { describe, expect, it } from 'vitest';
import { fallsSilent, UNANSWERED } from '../../src/app/ask-workers.ts';

/** What a worker answers; then it has ended. */
function asking(answers: readonly boolean[]) {
  const left = [...answers];
  return { isAlive: async () => left.shift() ?? false, isThere: () => left.length > 0, pauseMs: 0 };
}

const no = (times: number) => Array.from({ length: times }, () => false);

describe('a worker that is asked', () => {
  it('falls silent when it leaves ten questions in a row unanswered', async () => {
    expect(await fallsSilent(asking([true, ...no(UNANSWERED), true]))).toBe(true);
  });

  it('does not while it answers now and then', async () => {
    const almost = [...no(UNANSWERED - 1), true];
    expect(await fallsSilent(asking([...almost, ...almost, ...almost]))).toBe(false);
  });

  it('does not when it ends', async () => {
    expect(await fallsSilent(asking(no(UNANSWERED - 1)))).toBe(false);
  });
});

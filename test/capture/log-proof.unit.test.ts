import { describe, expect, it } from 'vitest';
import { CaptureGap } from '../../src/capture/change-source.ts';
import { LogProof } from '../../src/capture/log-proof.ts';
import { Progress, Silence } from '../../src/capture/progress.ts';

const seeing = (awaited: string | undefined, ...echoes: (readonly [string, number])[]) => {
  const proof = new LogProof(awaited);
  return () => {
    for (const [nonce, fence] of echoes) proof.see({ nonce, fence });
  };
};

describe('the log proves itself', () => {
  it('when the awaited write comes first, and the others after it, one by one', () => {
    expect(seeing('n', ['n', 7], ['x', 8], ['y', 9])).not.toThrow();
  });

  it.each([
    ['another write comes first', seeing('n', ['x', 7])],
    ['a later one of the same number comes first', seeing('n', ['x', 7], ['n', 8])],
    ['a write is missing', seeing('n', ['n', 7], ['x', 9])],
    ['a write comes again', seeing('n', ['n', 7], ['x', 8], ['n', 7])],
    ['the row was made anew', seeing('n', ['n', 7], ['x', 1])],
    ['a write is missing in a log that keeps its own position', seeing(undefined, ['n', 7], ['x', 9])],
  ])('not when %s', (_, see) => {
    expect(see).toThrow(CaptureGap);
  });

  it('also where writes come again, if the source keeps its own position', () => {
    expect(seeing(undefined, ['n', 7], ['x', 8], ['n', 7], ['x', 8], ['y', 9])).not.toThrow();
  });
});

describe('progress', () => {
  it('is only what was not read before, in any session that began at the same place', () => {
    const progress = new Progress();
    progress.begin('here');
    expect([progress.isNew(10, 1), progress.isNew(10, 2), progress.isNew(30, 3)]).toEqual([true, false, true]);
    progress.begin('here');
    expect([progress.isNew(10, 4), progress.isNew(30, 5)]).toEqual([false, false]);
    expect(progress.at).toBe(3);
    expect(progress.isNew(31, 6)).toBe(true);
    progress.begin('further');
    expect(progress.isNew(5, 7)).toBe(true);
  });
});

describe('silence', () => {
  it('is measured on what arrives, and not while that is published', () => {
    const silence = new Silence(0, 100);
    for (const [at, received] of [
      [60, 1],
      [120, 2],
      [180, 3],
    ] as const)
      silence.check(received, at);
    silence.goOn(5_000);
    silence.check(3, 5_100);
    expect(() => silence.check(3, 5_101)).toThrow('silent');
  });
});

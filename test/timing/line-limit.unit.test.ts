import { expect, it } from 'vitest';
import { LineLimit } from '../../src/timing/line-limit.ts';

it('lets through one line about each subject in a time, and few however many subjects there are', () => {
  let now = 0;
  const limit = new LineLimit({ everyMs: 100, now: () => now });
  expect(['a', 'a', 'b', 'a'].map((about) => limit.next(about))).toEqual([{}, undefined, {}, undefined]);
  now = 100;
  expect(limit.next('a')).toEqual({ leftOut: 2 });
  const lines = Array.from({ length: 10_000 }, (_, i) => limit.next(`host ${i}`)).filter((line) => line !== undefined);
  expect(lines.length).toBeLessThan(1_002);
  now = 200;
  expect(limit.next('one more')).toEqual({}); // those of before are forgotten
});

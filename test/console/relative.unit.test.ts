import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { relativeTime } from '../../src/console/assets/relative.js';

it.each([
  [0, '0 s ago'],
  [89_999, '89 s ago'],
  [90_000, '1 min ago'],
  [89 * 60_000, '89 min ago'],
  [47 * 3_600_000, '47 h ago'],
  [48 * 3_600_000, '2 days ago'],
  [-5_000, 'in 5 s'],
  [-300_000, 'in 5 min'],
  [-400, '0 s ago'],
])('%d ms are %s', (ms, text) => {
  expect(relativeTime(1_700_000_000_000, 1_700_000_000_000 + ms)).toBe(text);
});

test.prop([fc.nat(), fc.nat()])('a time is never more than its unit away from what is said', (at, now) => {
  const [, number = '', unit = ''] = /(\d+) (s|min|h|days)/.exec(relativeTime(at, now)) ?? [];
  const size = { s: 1_000, min: 60_000, h: 3_600_000, days: 86_400_000 }[unit] ?? Number.NaN;
  expect(Math.abs(Math.abs(now - at) - Number(number) * size)).toBeLessThan(size);
});

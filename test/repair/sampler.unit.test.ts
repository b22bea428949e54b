import { fc, test } from '@fast-check/vitest';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { DriftClass } from '../../src/contracts/drift.ts';
import { pointWithin } from '../../src/repair/find-users.ts';
import { WrongUsers } from '../../src/repair/sampler/report.ts';
import { ninesOf, type SampleCounts, WINDOW_NAMES, WINDOWS, Windows } from '../../src/repair/sampler/windows.ts';

describe('nines', () => {
  it.each([
    [1, 10, 1],
    [1, 1000, 3],
    [25, 1000, 1.602],
    [1000, 1000, 0],
  ])('of %i wrong among %i are %f', (wrong, checked, nines) => {
    expect(ninesOf({ checked, wrong })).toBeCloseTo(nines, 3);
  });

  it('are unknown if nobody was checked', () => {
    expect(ninesOf({ checked: 0, wrong: 0 })).toBeUndefined();
  });

  test.prop([fc.integer({ min: 1, max: 1e9 }), fc.nat(1e9), fc.nat(1e9)])(
    'are finite, never below 0, never more than the number checked can show, and fewer the more are wrong',
    (checked, one, other) => {
      const [less, more] = [Math.min(one, other, checked), Math.min(Math.max(one, other), checked)];
      const nines = ninesOf({ checked, wrong: less }) as number;
      expect(nines).toBeGreaterThanOrEqual(ninesOf({ checked, wrong: more }) as number);
      expect(nines).toBeGreaterThanOrEqual(0);
      expect(nines).toBeLessThanOrEqual(Math.log10(checked));
    },
  );
});

describe('a window', () => {
  const counts = fc.record({ checked: fc.nat(9), wrong: fc.nat(9), visible: fc.nat(9), unsettled: fc.nat(9) });
  const steps = fc.array(fc.tuple(fc.oneof(fc.nat(3_000), fc.nat(400_000)), counts), { maxLength: 60 });

  test.prop([fc.nat(1e12), steps])('holds what was counted in its last whole seconds', (begun, added) => {
    let now = begun + 0.25;
    const windows = new Windows(() => now);
    const samples: { at: number; counts: SampleCounts }[] = [];
    for (const [later, sample] of added) {
      now += later;
      windows.add(sample);
      samples.push({ at: now, counts: sample });
      for (const name of WINDOW_NAMES) {
        const end = Math.floor(now / 1000) * 1000 + 1000;
        const inside = samples.filter(({ at }) => at >= end - WINDOWS[name] * 1000);
        const sumOf = (of: keyof SampleCounts) => inside.reduce((sum, { counts: each }) => sum + each[of], 0);
        const expected = { checked: 0, wrong: 0, visible: 0, unsettled: 0 };
        for (const of of Object.keys(expected) as (keyof SampleCounts)[]) expected[of] = sumOf(of);
        expect(windows.within(name)).toEqual(expected);
        expect(windows.all()[name]).toEqual(expected);
      }
    }
  });

  it('empties by itself, and at once when cleared', () => {
    let now = 5_000;
    const windows = new Windows(() => now);
    windows.add({ checked: 4, wrong: 1, visible: 0, unsettled: 0 });
    now += 59_000;
    expect(WINDOW_NAMES.map((name) => windows.within(name).checked)).toEqual([0, 4, 4]);
    now += 241_000;
    expect(windows.within('5m').checked).toBe(0);
    windows.add({ checked: 4, wrong: 1, visible: 0, unsettled: 0 });
    windows.clear();
    expect(windows.within('5m').checked).toBe(0);
  });
});

describe('wrong users', () => {
  function listening() {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
    let now = 0;
    const wrongUsers = new WrongUsers(logger, () => now);
    const wrong = (user: string, visible: boolean, ...classes: DriftClass[]) =>
      wrongUsers.add([{ user, classes, visible }]);
    const pass = (ms: number) => {
      now += ms;
    };
    return {
      wrongUsers,
      wrong,
      pass,
      said: () => lines.splice(0).map(({ level: _level, msg: _msg, ...rest }) => rest),
    };
  }

  it('are logged once each, and again when wrong in another way or after being right', () => {
    const { wrongUsers, wrong, said } = listening();
    wrong('7', false, 'ghost', 'score');
    wrong('7', false, 'score', 'ghost');
    wrong('8', true, 'missing');
    expect(said()).toEqual([
      { user: '7', classes: ['ghost', 'score'], visible: false },
      { user: '8', classes: ['missing'], visible: true },
    ]);
    wrong('7', false, 'ghost');
    wrong('8', false, 'missing');
    expect(said().map(({ user }) => user)).toEqual(['7', '8']);
    wrongUsers.forget('7');
    wrong('7', false, 'ghost');
    wrong('8', false, 'missing');
    expect(said().map(({ user }) => user)).toEqual(['7']);
  });

  it('are listed latest first, unless found too long ago', () => {
    const { wrongUsers, wrong, pass } = listening();
    wrong('1', false, 'ghost');
    pass(1_000);
    wrong('2', true);
    wrong('3', true);
    const names = (withinMs: number, count: number) => wrongUsers.latest(withinMs, count).map(({ user }) => user);
    expect(names(5_000, 5)).toEqual(['3', '2', '1']);
    expect(names(5_000, 2)).toEqual(['3', '2']);
    expect(names(999, 5)).toEqual(['3', '2']);
    wrong('1', false, 'ghost');
    wrongUsers.forget('3');
    expect(names(999, 5)).toEqual(['1', '2']);
  });
});

describe('a point to draw from', () => {
  const id = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

  test.prop([id, id, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })])(
    'is before the last, and at most one before the first',
    (one, other, random) => {
      const [first, last] = one < other ? [one, other] : [other, one];
      const point = BigInt(pointWithin({ first: String(first), last: String(last) }, random));
      expect(point >= first - 1n && point < last).toBe(true);
    },
  );

  it('finds each of several consecutive users equally often, wherever their ids begin', () => {
    const first = 9_007_199_254_740_993n;
    const range = { first: String(first), last: String(first + 99n) };
    const found = Array.from({ length: 100 }, (_, i) => BigInt(pointWithin(range, (i + 0.5) / 100)) + 1n - first);
    expect(found).toEqual(Array.from({ length: 100 }, (_, i) => BigInt(i)));
  });
});

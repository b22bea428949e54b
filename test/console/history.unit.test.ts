import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  answersSeries,
  chartsView,
  History,
  lagSeries,
  latencySeries,
  mergeHistories,
  quantile,
  SAMPLE_MS,
  type Sample,
  summaryOf,
} from '../../src/console/history.ts';

const HOUR = 720;
const START = 1_700_000_000_000;

const sample = fc.dictionary(fc.constantFrom('lag small', 'lag bulk', 'answers index none', 'latency 1'), fc.nat());
const samples = fc.array(sample, { maxLength: 30 });
const times = (count: number) => Array.from({ length: count }, (_, i) => START + i * SAMPLE_MS);

function historyOf(all: readonly Sample[], at = times(all.length)): History {
  const history = new History();
  for (const [i, one] of all.entries()) history.add(at[i] ?? 0, one);
  return history;
}

describe('the history of a process', () => {
  test.prop([samples, fc.integer({ min: 0, max: HOUR + 40 })])('keeps the samples of the last hour', (all, before) => {
    const whole = [...Array.from({ length: before }, (): Sample => ({ early: 1 })), ...all];
    const { at, series } = historyOf(whole).after(0);
    const kept = whole.slice(-HOUR);
    expect(at).toEqual(times(whole.length).slice(-HOUR));
    for (const name of ['lag small', 'answers index none', 'early'])
      expect(series[name] ?? kept.map(() => Number.NaN)).toEqual(kept.map((one) => one[name] ?? Number.NaN));
  });

  test.prop([samples, fc.nat({ max: 30 })])('tells what is later than a time', (all, from) => {
    const history = historyOf(all);
    const after = START + from * SAMPLE_MS - 1;
    const [some, whole] = [history.after(after), history.after(0)];
    expect(some.at).toEqual(whole.at.filter((time) => time > after));
    for (const [name, values] of Object.entries(whole.series)) expect(some.series[name]).toEqual(values.slice(from));
  });

  it('forgets what was there before the clock was set back, and takes no moment twice', () => {
    const history = historyOf([{ a: 1 }, { a: 2 }, { b: 3 }], [START + 2, START + 2, START + 1]);
    expect(history.after(0)).toEqual({ at: [START + 1], series: { b: [3] } });
  });

  it('has an end in every direction', () => {
    const history = new History();
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`series ${i}`, i]));
    for (let i = 0; i < 3 * HOUR; i++) history.add(START + i, wide);
    const { at, series } = history.after(0);
    expect(at).toHaveLength(HOUR);
    expect(Object.keys(series)).toHaveLength(100);
  });
});

describe('the histories of several workers', () => {
  test.prop([samples, samples])('are added up where they count, and otherwise the largest counts', (one, other) => {
    const [a, b] = [historyOf(one).after(0), historyOf(other).after(0)];
    const { at, series } = mergeHistories([a, b]);
    expect(at).toEqual(times(Math.max(one.length, other.length)));
    expect(mergeHistories([b, a])).toEqual({ at, series });
    for (const [i] of at.entries()) {
      const known = (name: string) => [one[i]?.[name], other[i]?.[name]].filter((value) => value !== undefined);
      const sum = known('answers index none').reduce((left, right) => left + right, 0);
      expect(series['answers index none']?.[i] || 0).toBe(sum);
      const lags = known('lag small');
      expect(series['lag small']?.[i] ?? Number.NaN).toBe(lags.length === 0 ? Number.NaN : Math.max(...lags));
    }
  });
});

describe('a quantile', () => {
  test.prop([
    fc.array(fc.nat({ max: 50 }), { minLength: 2, maxLength: 10 }),
    fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  ])('lies in the bucket of the value that it estimates', (counts, share) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    fc.pre(total > 0);
    const bounds = counts.map((_, i) => (i === counts.length - 1 ? Number.POSITIVE_INFINITY : i + 1));
    const cumulative = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count, 0));
    const buckets = bounds.map((bound, i) => ({ bound, count: cumulative[i] ?? 0 }));
    const found = quantile(buckets, share);
    const i = cumulative.findIndex((count) => count >= share * total);
    expect(found).toBeGreaterThanOrEqual(bounds[i - 1] ?? 0);
    expect(found).toBeLessThanOrEqual(Math.min(bounds[i] ?? 0, counts.length - 1));
  });

  it('of nothing is not known', () => {
    expect(quantile([], 0.5)).toBeNaN();
    expect(quantile([{ bound: Number.POSITIVE_INFINITY, count: 0 }], 0.5)).toBeNaN();
  });
});

it('charts say seconds, answers per second and ms, and null where nothing is known', () => {
  const taken = {
    [lagSeries('small')]: 1_500,
    [answersSeries('index', 'none')]: 10,
    [answersSeries('database', 'below_floor')]: 1,
    ...Object.fromEntries([0.001, 0.002, '+Inf'].map((bound, i) => [latencySeries(bound), [8, 10, 10][i] ?? 0])),
  };
  const { at, charts } = chartsView(historyOf([taken, {}]).after(0));
  expect(at).toHaveLength(2);
  expect(charts.lag).toEqual([
    { name: 'small lane', values: [1.5, null] },
    { name: 'bulk lane', values: [null, null] },
  ]);
  expect(charts.answers).toEqual([
    { name: 'database: below floor', values: [0.2, null] },
    { name: 'index', values: [2, null] },
  ]);
  expect(charts.latency.map(({ values }) => values)).toEqual([
    [0.625, null],
    [1.95, null],
  ]);
  expect(summaryOf({ values: [3, null, 1, 2] })).toEqual({ latest: 2, least: 1, most: 3 });
  expect(summaryOf({ values: [null] })).toBeUndefined();
});

import { LANES, type Lane } from '../contracts/bulk-task.ts';

/** The last hour of this installation's API, as the console's charts show it. */

/** Between two samples, ms. They are taken at multiples of it, so that those of several workers can be added up. */
export const SAMPLE_MS = 5_000;

/** An hour. */
const KEPT = 720;

/** What a sample holds is a fixed set of names; this bounds the memory in any case. */
const MOST_SERIES = 100;

/** What was measured at one moment, by the name of its series. Left out or NaN: not known. */
export type Sample = Readonly<Record<string, number>>;

/** Samples one after the other. Every series has as many values as there are times; NaN: not known. */
export interface HistoryWindow {
  /** ms since 1970 UTC, ascending. */
  readonly at: readonly number[];
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** A ring of the latest samples. */
export class History {
  readonly #at = new Float64Array(KEPT);
  readonly #series = new Map<string, Float64Array>();
  /** Samples ever added since it was last cleared. */
  #added = 0;

  /** @param at ms since 1970 UTC. If the clock was set back, what was there before is forgotten. */
  add(at: number, sample: Sample): void {
    const last = this.#added === 0 ? Number.NEGATIVE_INFINITY : this.#timeOf(this.#added - 1);
    if (at === last) return;
    if (at < last) this.#clear();
    const place = this.#added % KEPT;
    this.#at[place] = at;
    for (const values of this.#series.values()) values[place] = Number.NaN;
    for (const [name, value] of Object.entries(sample)) {
      const values = this.#valuesOf(name);
      if (values !== undefined) values[place] = value;
    }
    this.#added++;
  }

  /** The samples that are later than this, ms since 1970 UTC. */
  after(time: number): HistoryWindow {
    const numbers = Array.from({ length: Math.min(this.#added, KEPT) }, (_, i) => this.#added - 1 - i)
      .filter((number) => this.#timeOf(number) > time)
      .reverse();
    const read = (values: Float64Array) => numbers.map((number) => values[number % KEPT] ?? Number.NaN);
    const series = Object.fromEntries([...this.#series].map(([name, values]) => [name, read(values)]));
    return { at: read(this.#at), series };
  }

  #timeOf(number: number): number {
    return this.#at[number % KEPT] ?? 0;
  }

  #valuesOf(name: string): Float64Array | undefined {
    const known = this.#series.get(name);
    if (known !== undefined || this.#series.size >= MOST_SERIES) return known;
    const values = new Float64Array(KEPT).fill(Number.NaN);
    this.#series.set(name, values);
    return values;
  }

  #clear(): void {
    this.#added = 0;
    this.#series.clear();
  }
}

/** Counts of one interval, by source and reason of the answers. */
export const answersSeries = (source: string, reason: string) => `answers ${source} ${reason}`;
/** Counts of one interval: requests that took at most `bound` seconds, as Prometheus has them. */
export const latencySeries = (bound: string | number) => `latency ${bound}`;
export const lagSeries = (lane: Lane) => `lag ${lane}`;
export const waitingSeries = (lane: Lane) => `waiting ${lane}`;
export const GAUGES = { letters: 'letters', fanOuts: 'fan-outs', wrong: 'wrong', visible: 'visible' } as const;

/** Counts of several processes add up. Of what all of them measure in the same place, the largest is the safe one. */
function combine(name: string, a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a;
  return /^(?:answers|latency) /.test(name) ? a + b : Math.max(a, b);
}

/** One history of several processes. */
export function mergeHistories(windows: readonly HistoryWindow[]): HistoryWindow {
  const at = [...new Set(windows.flatMap((window) => window.at))].sort((a, b) => a - b).slice(-KEPT);
  const places = new Map(at.map((time, place) => [time, place]));
  const series: Record<string, number[]> = {};
  for (const window of windows) {
    for (const [name, values] of Object.entries(window.series)) {
      series[name] ??= at.map(() => Number.NaN);
      const all = series[name];
      for (const [i, time] of window.at.entries()) {
        const place = places.get(time);
        if (place !== undefined) all[place] = combine(name, all[place] ?? Number.NaN, values[i] ?? Number.NaN);
      }
    }
  }
  return { at, series };
}

/** A line of a chart; null: not known then. */
export interface ChartLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** What a chart is about, and where its lines come from. */
interface ChartDefinition {
  readonly title: string;
  readonly unit: string;
  readonly lines: (window: HistoryWindow) => ChartLine[];
}

/** Lines that are series as they are, divided by a number. */
const plain =
  (names: Readonly<Record<string, string>>, divisor = 1) =>
  ({ at, series }: HistoryWindow): ChartLine[] =>
    Object.entries(names).map(([name, from]) => ({
      name,
      values: at.map((_, i) => rounded((series[from]?.[i] ?? Number.NaN) / divisor)),
    }));

const byLane = (seriesOf: (lane: Lane) => string) =>
  Object.fromEntries(LANES.map((lane) => [`${lane} lane`, seriesOf(lane)]));

export const CHARTS = {
  lag: { title: 'Oldest change not yet in the indexes', unit: 's, at most', lines: plain(byLane(lagSeries), 1_000) },
  answers: { title: 'Answers per second', unit: '', lines: answerLines },
  latency: { title: 'Time of a request', unit: 'ms', lines: latencyLines },
  waiting: {
    title: 'Work that waits',
    unit: '',
    lines: plain({ ...byLane(waitingSeries), 'dead letters': GAUGES.letters }),
  },
  fanOuts: { title: 'Large fan-outs in progress', unit: '', lines: plain({ 'in progress': GAUGES.fanOuts }) },
  drift: {
    title: 'Sampled users found wrong',
    unit: 'in five minutes',
    lines: plain({ wrong: GAUGES.wrong, 'visible to clients': GAUGES.visible }),
  },
} as const satisfies Readonly<Record<string, ChartDefinition>>;

export type ChartName = keyof typeof CHARTS;
export const CHART_NAMES = Object.keys(CHARTS) as ChartName[];

/** What the console's script draws, in JSON. */
export function chartsView(window: HistoryWindow) {
  const charts = CHART_NAMES.map((name) => [name, CHARTS[name].lines(window)] as const);
  return { at: window.at, charts: Object.fromEntries(charts) as Record<ChartName, ChartLine[]> };
}

/** One line for every source and reason that there was within the hour. */
function answerLines({ at, series }: HistoryWindow): ChartLine[] {
  return Object.entries(series)
    .flatMap(([name, counts]) => {
      const [, source, reason] = /^answers (\S+) (\S+)$/.exec(name) ?? [];
      if (source === undefined) return [];
      const values = at.map((_, i) => rounded(((counts[i] ?? Number.NaN) * 1_000) / SAMPLE_MS));
      return [{ name: reason === 'none' ? source : `${source}: ${reason?.replaceAll('_', ' ')}`, values }];
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

const QUANTILES = { 'half are faster (p50)': 0.5, '99 % are faster (p99)': 0.99 } as const;

function latencyLines({ at, series }: HistoryWindow): ChartLine[] {
  const buckets = Object.entries(series)
    .flatMap(([name, counts]) => {
      const bound = /^latency (\S+)$/.exec(name)?.[1];
      return bound === undefined
        ? []
        : [{ bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), counts }];
    })
    .toSorted((a, b) => a.bound - b.bound);
  return Object.entries(QUANTILES).map(([name, share]) => ({
    name,
    values: at.map((_, i) => {
      const counted = buckets.map(({ bound, counts }) => ({ bound, count: counts[i] ?? Number.NaN }));
      return rounded(1_000 * quantile(counted, share));
    }),
  }));
}

/**
 * As Prometheus estimates it: within its bucket a value may be anywhere.
 * @param buckets by bound, each with all that is at most that; the last bound is infinite
 * @returns NaN: there is none
 */
export function quantile(
  buckets: readonly { readonly bound: number; readonly count: number }[],
  share: number,
): number {
  const rank = share * (buckets.at(-1)?.count ?? Number.NaN);
  if (!(rank > 0)) return Number.NaN;
  const i = buckets.findIndex(({ count }) => count >= rank);
  const [below, here] = [buckets[i - 1] ?? { bound: 0, count: 0 }, buckets[i]];
  if (here === undefined) return Number.NaN;
  if (here.bound === Number.POSITIVE_INFINITY) return below.bound;
  return below.bound + ((here.bound - below.bound) * (rank - below.count)) / (here.count - below.count);
}

/** To three digits, or to the whole. */
function rounded(value: number): number | null {
  if (Number.isNaN(value)) return null;
  const scale = 10 ** Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
  return Math.round(value * scale) / scale;
}

/** A line in three numbers; undefined: nothing is known of it. */
export function summaryOf({ values }: Pick<ChartLine, 'values'>) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  return { latest: values.at(-1) ?? null, least: Math.min(...known), most: Math.max(...known) };
}

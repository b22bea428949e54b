import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { BenchReport, ReportRow } from '../report.ts';
import { serverOf } from './results.ts';

export interface Chart {
  readonly file: string;
  readonly title: string;
  readonly spec: TopLevelSpec;
}

export function chartsOf(results: readonly BenchReport[]): Chart[] {
  return [latency(results), fanOut(results), freshness(results)].filter((chart) => chart !== undefined);
}

const HTTP_VARIANTS = ['recency', 'recipe', 'denormalised', 'sql'];
const COLORS = { scheme: 'tableau10' } as const;

function rowsOf(results: readonly BenchReport[], bench: string): ReportRow[] {
  return results
    .filter((result) => result.bench === bench)
    .flatMap((result) => result.rows.map((row) => ({ ...row, server: serverOf(result) })));
}

type Encoding = Record<string, unknown>;

interface Drawing {
  readonly bench: string;
  readonly title: string;
  readonly values: readonly ReportRow[];
  readonly height: number;
  readonly mark: unknown;
  readonly encoding: Encoding;
  readonly rows?: Encoding;
}

/** One picture with a column for each server; undefined without results. */
function chart({ bench, title, values, height, mark, encoding, rows }: Drawing): Chart | undefined {
  if (values.length === 0) return undefined;
  const facet = { column: { field: 'server', title: null }, ...(rows === undefined ? {} : { row: rows }) };
  const spec = { data: { values }, facet, spec: { width: 300, height, mark, encoding } };
  return { file: `${bench}.svg`, title, spec: spec as unknown as TopLevelSpec };
}

function latency(results: readonly BenchReport[]): Chart | undefined {
  return chart({
    bench: 'read',
    title: 'An answer over HTTP: the median, by the number of contacts',
    values: rowsOf(results, 'read')
      .filter(({ arm }) => HTTP_VARIANTS.includes(String(arm)))
      .map((row) => ({ ...row, ms: Number(row.p50_us) / 1000 })),
    height: 220,
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'contacts', type: 'quantitative', scale: { type: 'log' }, title: 'contacts' },
      y: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: 'p50, ms' },
      color: { field: 'arm', scale: COLORS, title: null },
    },
  });
}

function fanOut(results: readonly BenchReport[]): Chart | undefined {
  return chart({
    bench: 'fanout',
    title: 'A fan-out: users per second, the part in Redis alone and in all',
    values: rowsOf(results, 'fanout').filter(({ photo, part }) => photo === 'first' && part !== 'total_from_payload'),
    height: 90,
    mark: 'bar',
    rows: { field: 'part', title: null },
    encoding: {
      y: { field: 'arm', sort: ['recency', 'recipe', 'recipe_pipelined', 'raw_zadd', 'denormalised'], title: null },
      x: { field: 'users_per_second', type: 'quantitative', title: 'users per second' },
      color: { field: 'arm', scale: COLORS, legend: null },
    },
  });
}

function freshness(results: readonly BenchReport[]): Chart | undefined {
  return chart({
    bench: 'freshness',
    title: 'Freshness: from a commit until an answer shows it',
    values: rowsOf(results, 'freshness')
      .filter(({ arm }) => arm !== 'denormalised')
      .flatMap((row) =>
        ['p50', 'p90', 'p99'].map((quantile) => ({ ...row, quantile, ms: row[`${quantile}_ms`] ?? 0 })),
      ),
    height: 160,
    mark: 'bar',
    encoding: {
      x: { field: 'quantile', type: 'nominal', title: null, axis: { labelAngle: 0 } },
      xOffset: { field: 'rate', type: 'nominal' },
      y: { field: 'ms', type: 'quantitative', title: 'ms' },
      color: { field: 'rate', type: 'nominal', scale: COLORS, title: 'tasks a second' },
    },
  });
}

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile({ config: { background: 'white', font: 'sans-serif' }, ...spec });
  const svg = await new View(parse(compiled), { renderer: 'none' }).toSVG();
  return `${svg}\n`;
}

import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { BenchReport, Row } from '../report.ts';
import { serverOf } from './results.ts';

/** What a chart is named, what it says, and how it is drawn; undefined where there is no result for it. */
export interface Chart {
  readonly file: string;
  readonly title: string;
  readonly spec: TopLevelSpec;
}

export function chartsOf(results: readonly BenchReport[]): Chart[] {
  return [latency(results), fanOut(results), freshness(results)].filter((chart) => chart !== undefined);
}

const HTTP_VARIANTS = ['recency', 'recipe', 'sql'];
const COLORS = { scheme: 'tableau10' } as const;

function rowsOf(results: readonly BenchReport[], bench: string): Row[] {
  return results
    .filter((result) => result.bench === bench)
    .flatMap((result) => result.rows.map((row) => ({ ...row, server: serverOf(result) })));
}

function latency(results: readonly BenchReport[]): Chart | undefined {
  const values = rowsOf(results, 'read')
    .filter(({ arm }) => HTTP_VARIANTS.includes(String(arm)))
    .map((row) => ({ ...row, ms: Number(row.p50_us) / 1000 }));
  if (values.length === 0) return undefined;
  return {
    file: 'read.svg',
    title: 'An answer over HTTP: the median, by the number of contacts',
    spec: {
      data: { values },
      facet: { column: { field: 'server', title: null } },
      spec: {
        width: 300,
        height: 220,
        mark: { type: 'line', point: true },
        encoding: {
          x: { field: 'contacts', type: 'quantitative', scale: { type: 'log' }, title: 'contacts' },
          y: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: 'p50, ms' },
          color: { field: 'arm', scale: COLORS, title: null },
        },
      },
    },
  };
}

function fanOut(results: readonly BenchReport[]): Chart | undefined {
  const values = rowsOf(results, 'fanout').filter(
    ({ photo, part }) => photo === 'first' && part !== 'total_from_payload',
  );
  if (values.length === 0) return undefined;
  return {
    file: 'fanout.svg',
    title: 'A fan-out: users per second, the part in Redis alone and in all',
    spec: {
      data: { values },
      facet: { column: { field: 'server', title: null }, row: { field: 'part', title: null } },
      spec: {
        width: 300,
        height: 90,
        mark: 'bar',
        encoding: {
          y: { field: 'arm', sort: ['recency', 'recipe', 'recipe_pipelined', 'raw_zadd'], title: null },
          x: { field: 'users_per_second', type: 'quantitative', title: 'users per second' },
          color: { field: 'arm', scale: COLORS, legend: null },
        },
      },
    },
  };
}

const QUANTILES = ['p50', 'p90', 'p99'];

function freshness(results: readonly BenchReport[]): Chart | undefined {
  const values = rowsOf(results, 'freshness').flatMap((row) =>
    QUANTILES.map((quantile) => ({ ...row, quantile, ms: row[`${quantile}_ms`] ?? 0 })),
  );
  if (values.length === 0) return undefined;
  return {
    file: 'freshness.svg',
    title: 'Freshness: from a commit until an answer shows it',
    spec: {
      data: { values },
      facet: { column: { field: 'server', title: null } },
      spec: {
        width: 300,
        height: 160,
        mark: 'bar',
        encoding: {
          x: { field: 'quantile', type: 'nominal', title: null, axis: { labelAngle: 0 } },
          xOffset: { field: 'rate', type: 'nominal' },
          y: { field: 'ms', type: 'quantitative', title: 'ms' },
          color: { field: 'rate', type: 'nominal', scale: COLORS, title: 'tasks a second' },
        },
      },
    },
  };
}

/** A chart as text. @param spec in Vega-Lite's own language */
export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile({ config: { background: 'white', font: 'sans-serif' }, ...spec });
  const svg = await new View(parse(compiled), { renderer: 'none' }).toSVG();
  return `${svg}\n`;
}

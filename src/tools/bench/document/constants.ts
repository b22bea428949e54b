import {
  type Constants,
  type CostLine,
  PRODUCTS,
  type Product,
  type SizedTransport,
} from '../../capacity/constants.ts';
import { memory } from '../memory.ts';
import { type BenchReport, type ReportRow, rounded } from '../report.ts';
import { tasks } from '../tasks/tasks.ts';
import { serverOf } from './results.ts';

/**
 * The constants of `recency size` for each kind of MySQL: see docs/sizing.md. @throws Error when a result is missing
 */
export function constantsOf(results: readonly BenchReport[]): Record<Product, Constants> {
  const of = (product: Product) => {
    const own = results.filter((result) => serverOf(result).toLowerCase().startsWith(`${product} `));
    return [product, constantsOn(own)] as const;
  };
  return Object.fromEntries(PRODUCTS.map(of)) as Record<Product, Constants>;
}

function constantsOn(results: readonly BenchReport[]): Constants {
  const find: Find = (bench, where, name) => valueIn(results, bench, where, name);
  const perSecond = 'users_per_second';
  const followerSeconds = 1 / find('fanout', { arm: 'recency', part: 'total', photo: 'first' }, perSecond);
  return {
    measuredOn: measuredOn(results),
    indexBytes: memoryLine(find, 'bytes_per_user'),
    keyBytes: memoryLine(find, 'key_bytes_per_user'),
    contactTaskSeconds: eachTransport((transport) => rounded(taskSeconds(find, transport, 'contact'))),
    uploadSeconds: eachTransport((transport) => {
      const ofFollowers = tasks.full.contacts * followerSeconds;
      const fixed = Math.max(0, taskSeconds(find, transport, 'upload') - ofFollowers);
      return { fixed: rounded(fixed), each: rounded(followerSeconds) };
    }),
    redisWritesPerSecond: find('fanout', { arm: 'recency', part: 'redis', photo: 'first' }, perSecond),
    readSeconds: find('read', { arm: 'recency', contacts: 20_000 }, 'p50_us') / 1e6,
    backfillSeconds: line(
      BACKFILLED.map((contacts) => [contacts, 1 / find('backfill', { arm: 'recency', contacts }, perSecond)]),
    ),
    relayTasksPerSecond: find('freshness', { rate: 1_000 }, 'tasks_per_second'),
  };
}

const BACKFILLED = [100, 1_000];

type Find = (bench: string, where: ReportRow, name: string) => number;

function valueIn(results: readonly BenchReport[], bench: string, where: ReportRow, name: string): number {
  const rows = results.find((result) => result.bench === bench)?.rows ?? [];
  const found = rows.find((row) => Object.entries(where).every(([key, value]) => row[key] === value));
  const value = Number(found?.[name]);
  if (value > 0) return value;
  throw new Error(`no result of ${bench} has ${name} for ${JSON.stringify(where)}`);
}

/** Seconds of one consumer: the benchmark runs several, which share the machine. */
function taskSeconds(find: Find, transport: SizedTransport, task: string): number {
  return tasks.full.consumers / find('tasks', { consumer: 'recency', transport, task }, 'tasks_per_second');
}

function eachTransport<T>(of: (transport: SizedTransport) => T): Record<SizedTransport, T> {
  return { kafka: of('kafka'), streams: of('streams') };
}

function memoryLine(find: Find, name: string): CostLine {
  return line(memory.full.max.map((max) => [max, find('memory', { arm: 'recency', max }, name)]));
}

/** Fits a straight line by least squares. */
export function line(points: readonly (readonly number[])[]): CostLine {
  const mean = (of: (x: number, y: number) => number) =>
    points.reduce((sum, [x = Number.NaN, y = Number.NaN]) => sum + of(x, y), 0) / points.length;
  const [meanX, meanY] = [mean((x) => x), mean((_x, y) => y)];
  const each = mean((x, y) => (x - meanX) * (y - meanY)) / mean((x) => (x - meanX) ** 2);
  return { fixed: rounded(meanY - each * meanX), each: rounded(each) };
}

/** Benchmarks that the constants are read from. */
const SOURCES = ['memory', 'tasks', 'fanout', 'read', 'backfill', 'freshness'];

function measuredOn(results: readonly BenchReport[]): string {
  const [last] = results.filter(({ bench }) => SOURCES.includes(bench)).toSorted((a, b) => b.at.localeCompare(a.at));
  if (last === undefined) return '';
  const { machine, servers, at } = last;
  return `${servers.mysql}, ${servers.redis}, ${machine.cores} cores (${machine.cpu}), ${at.slice(0, 10)}`;
}

import { quantile } from '../../harness/latency.ts';
import { RECENCY } from '../../harness/processes/process-group.ts';
import { SlowProxy } from '../../harness/slow-proxy.ts';
import type { Ground } from '../bench.ts';
import { rounded } from '../report.ts';
import type { Audience } from './audience.ts';
import { fanOutOf, Workers } from './workers.ts';

export interface SpreadSize {
  readonly rounds: number;
}

export interface SpreadRow {
  readonly part: 'spread';
  readonly workers: number;
  /** Added to every reply of MySQL, ms. */
  readonly delay_ms: number;
  readonly seconds: number;
  readonly users_per_second: number;
  /** How much a process has grown during its fan-outs, at most. */
  readonly grown_mb: number;
}

const ARMS = [
  { workers: 1, delayMs: 5 },
  { workers: 4, delayMs: 5 },
  { workers: 1, delayMs: 0 },
  { workers: 2, delayMs: 0 },
] as const;

/** How long one, two and four processes take for the same fan-out, in turns. */
export async function measureSpread(ground: Ground, audience: Audience, { rounds }: SpreadSize): Promise<SpreadRow[]> {
  const seconds = ARMS.map((): number[] => []);
  const grown = ARMS.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, arm] of ARMS.entries()) {
      const one = await measureArm(ground, audience, arm);
      seconds[i]?.push(one.seconds);
      grown[i]?.push(one.grown);
      ground.progress(`${arm.workers} workers, ${arm.delayMs} ms: ${one.seconds.toFixed(2)} s`);
    }
  }
  return ARMS.map(({ workers, delayMs }, i) => {
    const median = quantile(seconds[i] ?? [], 0.5);
    return {
      ...{ part: 'spread', workers, delay_ms: delayMs, seconds: rounded(median, 3) },
      users_per_second: Math.round(audience.followers.length / median),
      grown_mb: rounded(Math.max(...(grown[i] ?? [])) / 1024 ** 2, 3),
    };
  });
}

/** The first fan-out warms the processes up, and is what their memory is compared with. */
async function measureArm(
  ground: Ground,
  { star, idol }: Audience,
  { workers: count, delayMs }: (typeof ARMS)[number],
): Promise<{ seconds: number; grown: number }> {
  await using proxy = await SlowProxy.before(ground.namespace.config.mysqlUrl, delayMs);
  await using workers = new Workers(ground, delayMs === 0 ? {} : { MYSQL_URL: proxy.url });
  await workers.add(count);
  await fanOutOf(idol, ground);
  await fanOutOf(star, ground);
  const before = await workers.memory();
  const seconds = await fanOutOf(star, ground);
  const after = await workers.memory();
  return { seconds, grown: Math.max(...after.map((bytes, i) => bytes - (before[i] ?? 0))) };
}

/** Publishes what is uploaded, until the benchmark ends. */
export function startRelay({ processGroup }: Ground): void {
  processGroup.start({ name: 'relay', module: RECENCY, args: ['relay'] });
}

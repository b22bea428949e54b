import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../harness/latency.ts';
import { SlowProxy } from '../../harness/slow-proxy.ts';
import type { Ground } from '../bench.ts';
import { rounded } from '../report.ts';
import type { CelebrityAudience } from './audience.ts';
import { fanOutOf, type MeasuredFanOut, Workers } from './workers.ts';

/** So many processes, and what is added to every reply of MySQL, ms. */
export interface SpreadArm {
  readonly workers: number;
  readonly delayMs: number;
}

export interface SpreadSize {
  readonly arms: readonly SpreadArm[];
  readonly rounds: number;
  /**
   * Small fan-outs for each worker, of two segments: as many segments as a large one has, to compare the memory with; or enough
   * for each worker to have had some.
   */
  readonly smallOnes: { readonly memory: number; readonly warmUp: number };
}

export interface SpreadRow {
  readonly part: 'spread';
  readonly workers: number;
  /** Added to every reply of MySQL, ms. */
  readonly delay_ms: number;
  readonly seconds: number;
  readonly users_per_second: number;
  /** How far the end predicted after a tenth was from the actual one, as a share of the whole; 0 if it was too short to say. */
  readonly prediction_error: number;
  /** How much more memory a process takes at its peak than at that of as much work in small fan-outs, at most; without a delay only. */
  readonly grown_mb?: number;
}

/** How long one, two and four processes take for the same fan-out, in turns. */
export async function measureSpread(
  ground: Ground,
  audience: CelebrityAudience,
  { arms, rounds, smallOnes }: SpreadSize,
): Promise<SpreadRow[]> {
  const measured = arms.map((): ArmResult[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, arm] of arms.entries()) {
      const one = await measureArm(ground, audience, arm, smallOnes[arm.delayMs === 0 ? 'memory' : 'warmUp']);
      measured[i]?.push(one);
      ground.progress(`${arm.workers} workers, ${arm.delayMs} ms: ${one.seconds.toFixed(2)} s`);
    }
  }
  return arms.map(({ workers, delayMs }, i) => {
    const of = (value: (result: ArmResult) => number) => (measured[i] ?? []).map(value);
    const median = quantile(
      of((one) => one.seconds),
      0.5,
    );
    return {
      ...{ part: 'spread', workers, delay_ms: delayMs, seconds: rounded(median, 3) },
      users_per_second: Math.round(audience.followers.length / median),
      prediction_error: rounded(Math.max(...of((one) => one.predictionError)), 2),
      ...(delayMs === 0 ? { grown_mb: rounded(Math.max(...of((one) => one.grown)) / 1024 ** 2, 3) } : {}),
    };
  });
}

interface ArmResult extends MeasuredFanOut {
  /** Bytes. */
  readonly grown: number;
}

/** The first fan-outs warm the processes up. Those to few followers are what their memory is compared with. */
async function measureArm(
  ground: Ground,
  { star, idol }: CelebrityAudience,
  { workers: count, delayMs }: SpreadArm,
  smallOnes: number,
): Promise<ArmResult> {
  await using proxy = await SlowProxy.before(ground.namespace.config.mysqlUrl, delayMs);
  await using workers = new Workers(ground, delayMs === 0 ? {} : { MYSQL_URL: proxy.url });
  await workers.add(count);
  const small = await peakDuring(workers, async () => {
    for (let i = 0; i < count * smallOnes; i++) await fanOutOf(idol, ground);
  });
  let measured: MeasuredFanOut | undefined;
  const large = await peakDuring(workers, async () => {
    await fanOutOf(star, ground);
    measured = await fanOutOf(star, ground);
  });
  if (measured === undefined) throw new Error('nothing was fanned out');
  return { ...measured, grown: Math.max(...large.map((bytes, i) => bytes - (small[i] ?? 0))) };
}

const SAMPLE_MS = 250;

/** The greatest resident memory of each worker during the work, bytes. */
async function peakDuring(workers: Workers, work: () => Promise<void>): Promise<number[]> {
  const samples: number[][] = [await workers.memory()];
  const done = new AbortController();
  const sampling = (async () => {
    while (!done.signal.aborted) {
      samples.push(await workers.memory());
      await pause(SAMPLE_MS, undefined, { signal: done.signal }).catch(() => undefined);
    }
  })();
  await work().finally(() => done.abort());
  await sampling;
  return (samples[0] ?? []).map((_, i) => Math.max(...samples.map((sample) => sample[i] ?? 0)));
}

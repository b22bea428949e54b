import { workBothLanes } from '../../harness/both-lanes.ts';
import { quantile } from '../../harness/latency.ts';
import type { Ground } from '../bench.ts';
import { ThreadedVariant } from '../fanout/threaded-variant.ts';
import { rounded } from '../report.ts';
import { inTurns, secondsOf, type Turn } from '../turns.ts';
import { type CelebrityAudience, uploadBy } from './audience.ts';

export interface CostsSize {
  readonly rounds: number;
  readonly warmUp: number;
}

export interface SpeedRow {
  readonly part: 'speed';
  readonly arm: 'recency' | 'raw_zadd';
  readonly users_per_second: number;
}

/** Followers a second, MySQL's reads included, against the same reads and a bare ZADD for each: all of them have an index. */
export async function measureSpeed(
  ground: Ground,
  { idol, idols }: CelebrityAudience,
  size: CostsSize,
): Promise<SpeedRow[]> {
  const { stores, namespace, resources, signal } = ground;
  const variants: ThreadedVariant[] = [];
  for (const name of ['recency', 'raw_zadd'] as const) {
    variants.push(await ThreadedVariant.open({ name, settings: namespace.settings, crowd: idols }, resources));
  }
  const turns = variants.map(
    (variant): Turn<Pick<SpeedRow, 'part' | 'arm'>> => ({
      row: { part: 'speed', arm: variant.name as SpeedRow['arm'] },
      take: async () => {
        const upload = { owner: idol, at: await uploadBy(stores.pool, idol) };
        await variant.prepare(upload);
        const seconds = await secondsOf(() => variant.fanOut(upload, 'total'));
        await variant.tidy();
        return seconds;
      },
    }),
  );
  const measured = await inTurns([turns], { ...size, signal });
  return measured.map(({ median, ...row }) => ({
    ...row,
    users_per_second: Math.round(idols.followers.length / median),
  }));
}

export interface ColdRow {
  readonly part: 'cold';
  readonly users: number;
  /** Time of Redis's processor for one user, µs. */
  readonly redis_us: number;
}

/** What a fan-out costs Redis for a follower without an index. */
export async function measureCold(
  ground: Ground,
  { stranger, strangers }: CelebrityAudience,
  size: CostsSize,
): Promise<ColdRow> {
  const { stores } = ground;
  const costs: number[] = [];
  for (let round = 0; round < size.warmUp + size.rounds; round++) {
    const task = {
      type: 'recency.photo.uploaded',
      owner: stranger,
      at: await uploadBy(stores.pool, stranger),
    } as const;
    const before = await processorSeconds(ground);
    await workBothLanes([task], stores.steps);
    if (round >= size.warmUp) costs.push((await processorSeconds(ground)) - before);
  }
  return {
    part: 'cold',
    users: strangers.length,
    redis_us: rounded((quantile(costs, 0.5) * 1e6) / strangers.length, 3),
  };
}

async function processorSeconds({ stores }: Ground): Promise<number> {
  const info = await stores.redis.info('cpu');
  const seconds = ['used_cpu_sys', 'used_cpu_user'].map((name) =>
    Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]),
  );
  return seconds.reduce((sum, some) => sum + some, 0);
}

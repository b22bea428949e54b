import { RECENCY } from '../../harness/processes/process-group.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes, gatherCircle } from '../circle.ts';
import { type Measurements, type ReportRow, rounded } from '../report.ts';
import { type AudienceSize, gatherAudience } from './audience.ts';
import { type ContactLatencyRow, type ContactLatencySize, measureContactLatency } from './contact-latency.ts';
import { type ColdRow, type CostsSize, measureCold, measureSpeed, type SpeedRow } from './costs.ts';
import { type KillsRow, type KillsSize, measureKills } from './kills.ts';
import { measureSpread, type SpreadRow, type SpreadSize } from './spread.ts';
import { measureWatched, type WatchedRow, type WatchedSize } from './watched.ts';

export interface CelebritySize {
  readonly audience: AudienceSize;
  /** People apart from the followers, and contacts of each, all of whom are in the index. */
  readonly circle: { readonly count: number; readonly contacts: number };
  readonly costs: CostsSize;
  readonly contacts: ContactLatencySize;
  readonly spread: SpreadSize;
  readonly kills: KillsSize;
  readonly watched: WatchedSize;
}

/** Measures the photo of an owner with very many followers, most of whom have no index. */
export const celebrity: Bench<CelebritySize> = {
  name: 'celebrity',
  summary: 'a photo for a million followers, and the small tasks meanwhile',
  transport: 'kafka',
  full: {
    audience: { followers: 1_000_000, oneIndexedIn: 5, contacts: 12, ofIdol: 40_000, ofStranger: 200_000 },
    circle: { count: 2_000, contacts: 12 },
    costs: { rounds: 11, warmUp: 3 },
    contacts: { rate: 200, seconds: 15, rounds: 3, together: 2 },
    spread: {
      arms: [
        { workers: 1, delayMs: 5 },
        { workers: 4, delayMs: 5 },
        { workers: 1, delayMs: 50 },
        { workers: 4, delayMs: 50 },
        { workers: 1, delayMs: 0 },
        { workers: 2, delayMs: 0 },
      ],
      rounds: 1,
      smallOnes: { memory: 25, warmUp: 2 },
    },
    kills: { kills: 3 },
    watched: { oneIn: 20, sample: 50, rounds: 3 },
  },
  quick: {
    audience: { followers: 4_500, oneIndexedIn: 5, contacts: 3, ofIdol: 500, ofStranger: 1_000 },
    circle: { count: 40, contacts: 4 },
    costs: { rounds: 1, warmUp: 0 },
    contacts: { rate: 40, seconds: 0.3, rounds: 1, together: 1 },
    spread: {
      arms: [
        { workers: 1, delayMs: 5 },
        { workers: 1, delayMs: 0 },
      ],
      rounds: 1,
      smallOnes: { memory: 1, warmUp: 1 },
    },
    kills: { kills: 1 },
    watched: { oneIn: 20, sample: 5, rounds: 1 },
  },
  measure,
};

async function measure(ground: Ground, size: CelebritySize): Promise<Measurements> {
  const { stores, processGroup, progress } = ground;
  progress(`${size.audience.followers} followers, one in ${size.audience.oneIndexedIn} with an index`);
  const circle = await gatherCircle(stores, size.circle);
  const audience = await gatherAudience(ground, size.audience); // after the circle: a new graph drops every index
  await buildIndexes(stores, circle.users);
  const speed = await measureSpeed(ground, audience, size.costs);
  const cold = await measureCold(ground, audience, size.costs);
  processGroup.start({ name: 'relay', module: RECENCY, args: ['relay'] });
  const spread = await measureSpread(ground, audience, size.spread);
  const contacts = await measureContactLatency(ground, { star: audience.star, circle }, size.contacts);
  const kills = await measureKills(ground, audience, size.kills);
  const watched = await measureWatched(ground, audience, size.watched, size.audience.oneIndexedIn);
  const rows: CelebrityRow[] = [...speed, cold, ...spread, ...contacts, kills, ...watched];
  return { rows: rows.map((row): ReportRow => ({ ...row })), ratios: celebrityRatios(rows) };
}

export type CelebrityRow = SpeedRow | ColdRow | SpreadRow | ContactLatencyRow | KillsRow | WatchedRow;

/** @throws Error when a part is missing */
export function celebrityRatios(rows: readonly CelebrityRow[]): Record<string, number> {
  const one = <P extends CelebrityRow['part']>(
    part: P,
    is: (row: CelebrityRow & { part: P }) => boolean = () => true,
  ) => {
    const found = rows.find((row) => row.part === part && is(row as CelebrityRow & { part: P }));
    if (found === undefined) throw new Error(`too little was measured: nothing of '${part}'`);
    return found as CelebrityRow & { part: P };
  };
  const speed = (arm: SpeedRow['arm']) => one('speed', (row) => row.arm === arm).users_per_second;
  const p99 = (wanted: ContactLatencyRow['lanes'], load: ContactLatencyRow['load']) =>
    one('contacts', (row) => row.lanes === wanted && row.load === load).p99_ms;
  const { kills, segments_repeated } = one('kills');
  const waitOf = (who: WatchedRow['who']) => one('watched', (row) => row.who === who).p50_ms;
  const spread = rows.filter((row) => row.part === 'spread');
  return {
    contact_p99_over_quiet: rounded(p99('apart', 'busy') / p99('apart', 'quiet')),
    contact_p99_over_quiet_together: rounded(p99('together', 'busy') / p99('together', 'quiet')),
    contact_p99_ms: Math.max(p99('apart', 'busy'), p99('together', 'busy')),
    ...spreadRatios(rows),
    over_raw_zadd_total: rounded(speed('recency') / speed('raw_zadd')),
    cold_user_redis_us: one('cold').redis_us,
    memory_grown_mb: Math.max(...spread.flatMap(({ grown_mb }) => grown_mb ?? [])),
    prediction_error: Math.max(...spread.map(({ prediction_error }) => prediction_error)),
    segments_repeated_per_kill: rounded(segments_repeated / kills),
    watched_wait_over_others: rounded(waitOf('watched') / waitOf('others')),
  };
}

const COUNTS = ['no', 'one', 'two', 'three', 'four'];

/** Each number of workers over one, at the same delay: `four_workers_over_one` at 5 ms, and the delay in the name at others. */
function spreadRatios(rows: readonly CelebrityRow[]): Record<string, number> {
  const spread = rows.filter((row) => row.part === 'spread');
  const several = spread.filter(({ workers }) => workers > 1);
  return Object.fromEntries(
    several.map(({ workers, delay_ms, seconds }) => {
      const one = spread.find((row) => row.workers === 1 && row.delay_ms === delay_ms);
      if (one === undefined) throw new Error(`too little was measured: no single worker at ${delay_ms} ms`);
      const isNamed = delay_ms === (workers === 4 ? 5 : 0);
      const name = `${COUNTS[workers]}_workers_over_one${isNamed ? '' : `_${delay_ms}_ms`}`;
      return [name, rounded(one.seconds / seconds)];
    }),
  );
}

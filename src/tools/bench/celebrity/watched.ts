import type { Id } from '../../../contracts/id.ts';
import { quantile } from '../../harness/latency.ts';
import { poll } from '../../harness/poll.ts';
import type { Ground } from '../bench.ts';
import { rounded } from '../report.ts';
import { type CelebrityAudience, uploadBy } from './audience.ts';
import { fanOutOf, Workers } from './workers.ts';

export interface WatchedSize {
  /** One follower with an index in so many is watched. */
  readonly oneIn: number;
  /** Users looked at, of those who are watched and of those who are not. */
  readonly sample: number;
  readonly rounds: number;
}

export interface WatchedRow {
  readonly part: 'watched';
  readonly who: 'watched' | 'others';
  /** From the commit to the index. */
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const LOOK_MS = 20;
const PATIENCE_MS = 300_000;

const WATCH = `
  INSERT INTO recency_watches (user_id, channel, secrets, kinds, relation, muted, interval_ms, told, version, created_at)
  SELECT id, 'kafka', '[]', 'contacts', 'all', '[]', 0, '{}', 1, 0
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it`;

/** How long the photo of the star takes to reach followers whom somebody watches, and those whom nobody does. One worker. */
export async function measureWatched(
  ground: Ground,
  { star, followers }: CelebrityAudience,
  { oneIn, sample, rounds }: WatchedSize,
  oneIndexedIn: number,
): Promise<WatchedRow[]> {
  const { stores, progress } = ground;
  const indexed = followers.filter((_, i) => i % oneIndexedIn === 0);
  const watched = indexed.filter((_, i) => i % oneIn === 0);
  const others = indexed.filter((_, i) => i % oneIn !== 0);
  await stores.primary.write(WATCH, [JSON.stringify(watched)]);
  await stores.pool.query('ANALYZE TABLE recency_watches');
  const waits = new Map<Id, number[]>();
  const samples = { watched: spreadOver(watched, sample), others: spreadOver(others, sample) };
  {
    await using workers = new Workers(ground);
    await workers.add(1);
    for (let round = -1; round < rounds; round++) {
      const found = await waitsOf(ground, star, [...samples.watched, ...samples.others]);
      await fanOutOf(star, ground); // the one before has ended then, too
      if (round >= 0) for (const [user, ms] of found) waits.set(user, [...(waits.get(user) ?? []), ms]);
    }
  }
  await stores.primary.write('DELETE FROM recency_watches', []);
  return (['watched', 'others'] as const).map((who) => {
    const all = samples[who].flatMap((user) => waits.get(user) ?? []);
    const [p50, p99] = [quantile(all, 0.5), quantile(all, 0.99)];
    progress(`${who}: p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms`);
    return { part: 'watched', who, p50_ms: rounded(p50, 3), p99_ms: rounded(p99, 3) };
  });
}

/** Some of them, from the first to the last. */
function spreadOver(users: readonly Id[], count: number): Id[] {
  const step = Math.max(1, Math.floor(users.length / count));
  return users.filter((_, i) => i % step === 0);
}

/** An upload, and when it was in the index of each of these users, ms after the commit. */
async function waitsOf({ stores, signal }: Ground, star: Id, users: readonly Id[]): Promise<Map<Id, number>> {
  const at = await uploadBy(stores.pool, star);
  const from = performance.now();
  const waits = new Map<Id, number>();
  const look = async () => {
    const waiting = users.filter((user) => !waits.has(user));
    const readings = await stores.index.readMany(waiting, 1, false);
    for (const [i, user] of waiting.entries()) {
      const reading = readings[i];
      const head = reading?.state === 'warm' ? reading.head[0] : undefined;
      if (head?.id === star && Number(head.at) >= at) waits.set(user, performance.now() - from);
    }
    return waits.size === users.length;
  };
  if (!(await poll(look, Boolean, { everyMs: LOOK_MS, timeoutMs: PATIENCE_MS, signal }))) {
    throw new Error('a fan-out did not reach everybody');
  }
  return waits;
}

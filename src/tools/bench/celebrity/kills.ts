import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import { FOLLOWERS_A_SEGMENT } from '../../../index/segments.ts';
import type { Ground } from '../bench.ts';
import { rounded } from '../report.ts';
import type { CelebrityAudience } from './audience.ts';
import { fanOutOf, Workers } from './workers.ts';

export interface KillsSize {
  /** Workers killed, one in each fan-out. */
  readonly kills: number;
}

export interface KillsRow {
  readonly part: 'kills';
  readonly kills: number;
  readonly segments_repeated: number;
}

const WORKERS = 2;

/**
 * How much of a fan-out is done again when a worker is killed. Told from outside, by how often Redis was asked for the nonces
 * of a call's users: what a killed worker has counted is lost with it.
 */
export async function measureKills(
  ground: Ground,
  { star }: CelebrityAudience,
  { kills }: KillsSize,
): Promise<KillsRow> {
  await using workers = new Workers(ground);
  await workers.add(WORKERS);
  await fanOutOf(star, ground);
  const undisturbed = await callsOf(ground, () => fanOutOf(star, ground));
  let more = 0;
  for (let kill = 0; kill < kills; kill++) {
    const calls = await callsOf(ground, () =>
      fanOutOf(star, ground, async () => {
        await workers.killOne();
        await workers.add(1);
      }),
    );
    more += calls - undisturbed;
  }
  // Fewer calls than without a kill: that run had to ask again for reasons of its own.
  const segments = Math.max(0, more) / Math.ceil(FOLLOWERS_A_SEGMENT / PAIRS_A_CALL);
  ground.progress(`${kills} workers killed: ${segments.toFixed(2)} segments done again`);
  return { part: 'kills', kills, segments_repeated: rounded(segments, 3) };
}

async function callsOf({ stores }: Ground, work: () => Promise<unknown>): Promise<number> {
  const calls = async () =>
    Number(/^cmdstat_mget:calls=(\d+)/m.exec(await stores.redis.info('commandstats'))?.[1] ?? 0);
  const before = await calls();
  await work();
  return (await calls()) - before;
}

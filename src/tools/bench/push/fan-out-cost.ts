import type { Steps } from '../../../index/protocol.ts';
import { WatchedUsers } from '../../../index/redis/watched-users.ts';
import { workBothLanes } from '../../harness/both-lanes.ts';
import { idsFrom, loadGraph } from '../../reference-site/load-graph.ts';
import type { Ground } from '../bench.ts';
import { buildIndexes } from '../circle.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, secondsOf } from '../turns.ts';

export interface FanOutCostSize {
  readonly followers: number;
  readonly rounds: number;
  readonly warmUp: number;
}

const OWNER = '50000000';
const FIRST_FOLLOWER = 60_000_000n;

/** Of how many followers one is watched. */
const ONE_IN = 100;

/**
 * What signals add to a fan-out where they are not used, and where one follower in a hundred is watched: against a fan-out
 * without them, in turns. Every follower's index is small, so that the rest of the work is as quick as it can be.
 */
export async function measureFanOutCost(ground: Ground, size: FanOutCostSize): Promise<Measurements> {
  const { stores, namespace, signal } = ground;
  const users = idsFrom(FIRST_FOLLOWER, size.followers);
  await loadGraph(stores.pool, {
    users: [OWNER, ...users].map((id) => ({ id })),
    contacts: users.map((user) => ({ user, contact: OWNER })),
    photos: [{ owner: OWNER, audience: 0, uploadedAt: Date.now() }],
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  await buildIndexes(stores, users);
  const watched = new WatchedUsers(stores.redis, namespace.config.keyPrefix);
  const some = users.filter((_user, i) => i % ONE_IN === 0);
  const without: Steps = { ...stores.steps, signal: async () => undefined };
  const upload = { type: 'recency.photo.uploaded', owner: OWNER } as const;
  const fan = (steps: Steps) => secondsOf(() => workBothLanes([upload], steps));
  const turns = [
    { row: { arm: 'no_signal' }, take: () => fan(without) },
    { row: { arm: 'unwatched' }, take: () => fan(stores.steps) },
    {
      row: { arm: 'one_percent' },
      take: async () => {
        await watched.add(some);
        const seconds = await fan(stores.steps);
        await watched.remove(some);
        await watched.queue.drop(some);
        return seconds;
      },
    },
  ];
  const measured = await inTurns([turns], { ...size, signal });
  const rows = measured.map(({ arm, median }) => ({ arm, followers_per_second: Math.round(size.followers / median) }));
  const of = (arm: string) => measured.find((row) => row.arm === arm)?.median ?? Number.NaN;
  const costOf = (arm: string) => rounded(of(arm) / of('no_signal'));
  return { rows, ratios: { fanout_cost_unwatched: costOf('unwatched'), fanout_cost_1_percent: costOf('one_percent') } };
}

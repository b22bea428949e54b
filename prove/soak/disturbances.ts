import { setTimeout as pause } from 'node:timers/promises';
import { whileLeaseHolder } from '../../src/app/jobs.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { EpochSuspended } from '../../src/index/rebuild.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { isStoreFault } from '../../src/index/store-fault.ts';
import { StaleFence } from '../../src/mysql/leases.ts';
import { readClock } from '../../src/mysql/outbox.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { republish } from '../../src/relay/relay.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { createRepair } from '../../src/repair/repair.ts';
import { backfillAll } from '../../src/tools/demo/phases/jobs.ts';
import { between, pick, shuffled } from '../../src/tools/demo/random.ts';
import { poll } from '../../src/tools/harness/poll.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import {
  deleteUnread,
  fillRedis,
  losePlans,
  loseTasks,
  moveForward,
  publishEarly,
  sendHopelessTask,
  sendStrangeMessages,
} from './transport-faults.ts';
import type { WorkerKind } from './worker.ts';
import type { World } from './world.ts';

/** Disturbs a site; ends when it is done or the round is over. @returns details for the diary */
type Happen = (world: World, signal: AbortSignal) => Promise<string | undefined>;

export interface Disturbance {
  readonly name: string;
  /** Relative frequency. */
  readonly weight: number;
  /** The next disturbance may begin before this one ends. */
  readonly goesOn?: true;
  /** It kills a process; such are counted separately. */
  readonly kills?: true;
  readonly happen: Happen;
}

/** A disturbance by commands to Redis. */
const asking =
  (ask: (redis: RedisClient, world: World) => Promise<unknown>): Happen =>
  async (world) => {
    try {
      await ask(world.stores.redis, world);
      return undefined;
    } catch (error) {
      return `(${(error as Error).message})`;
    }
  };

/** Long enough for others to take over what a stopped process held, ms (see TAKEOVER_MS). */
const PAST_ITS_SESSION_MS = 8_000;
const SHORT_MS = 500;

const kill =
  (kind: WorkerKind): Happen =>
  ({ crew }) =>
    crew.kill(kind);

const stopFor =
  (ms: number): Happen =>
  ({ crew }, signal) =>
    crew.stopFor('consumer', ms, signal);

const USERS_EVICTED = 30;

/** Evicts one key of a user and not the other, as `allkeys-random` may. */
const evict = asking(async (redis, { cast, namespace, random }) => {
  const names = new KeyNames(namespace.config.keyPrefix);
  const users = shuffled(random, cast.players).slice(0, USERS_EVICTED);
  await Promise.all(users.map((user) => redis.unlink(random() < 0.5 ? names.set(user) : names.meta(user))));
});

/** Redis returns with its last save, or empty. */
const killRedis: Happen = async ({ redis, random }) => {
  await redis.kill();
  const away = between(random, 0, 800);
  await pause(away);
  await redis.restart();
  return `and away for ${away} ms`;
};

const starUploads: Happen = async ({ journal, cast, stores }) => {
  const at = Date.now();
  await journal.upload(cast.star, 0, at, () => uploadPhoto(stores.pool, cast.star, 0, at));
  return undefined;
};

/** Begun, or perhaps planned already and not begun: what the killed consumer had is done by another one. */
const killDuringFanOut: Happen = async (world, signal) => {
  const { stores, namespace, crew } = world;
  await starUploads(world, signal);
  const progress = new FanOutProgress(stores.redis, namespace.config.keyPrefix);
  const seen = await poll(
    () => progress.list(Date.now()),
    (some) => some.length > 0,
    { ...SOON, signal },
  );
  const killed = await crew.kill('consumer');
  return seen.length > 0 ? `${killed}, which may have had a segment` : killed;
};

/** Uploads take a moment to become plans, longer while consumers change. */
const SOON = { everyMs: 5, timeoutMs: 2_000 };

/** A user's task may arrive at any time: it drops the index and checks all who have a row with the user. */
const changeUser: Happen = async ({ stores, cast, random }) => {
  const row = "INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.changed', ?)";
  await stores.primary.write(row, [random() < 0.5 ? cast.star : pick(random, cast.players)]);
  return undefined;
};

/** Processed tasks are delivered again. */
const publishAgain: Happen = async ({ stores: { primary }, random }, signal) => {
  const now = await readClock(primary);
  const rows = await republish(primary, { from: now - between(random, 100, 3_000), to: now }, signal);
  return `${rows} rows`;
};

const beginEpoch: Happen = async ({ stores }) => await bumpEpoch(stores.primary, 'the soak wanted one');

/** A job is ended at some point, or by what else happens to its stores. */
const job =
  (work: (world: World, signal: AbortSignal) => Promise<unknown>): Happen =>
  async (world, signal) => {
    const limit = AbortSignal.timeout(between(world.random, 20, 3_000));
    try {
      await work(world, AbortSignal.any([signal, limit]));
      return 'to its end';
    } catch (error) {
      // After FLUSHALL a second job may get the lease of the first, whose writes are refused from then on.
      const isExpected = isStoreFault(error) || error instanceof EpochSuspended || error instanceof StaleFence;
      if (signal.aborted || limit.aborted || isExpected) return `until ${(error as Error).message}`;
      throw error;
    }
  };

const backfill = job(({ stores }, signal) => backfillAll({ ...stores.jobs, signal }, () => undefined));

const repair = job(async ({ stores }, signal) => {
  const jobs = { ...stores.jobs, signal };
  await whileLeaseHolder(
    jobs,
    'repair',
    () => undefined,
    async (records, lost) => {
      await runToEnd(createRepair({ ...records, kinds: jobs.kinds }, {}), { signal: lost });
    },
  );
});

/** Redis or the brokers may be unavailable at that moment. */
const tried =
  (happen: Happen): Happen =>
  async (world, signal) => {
    try {
      return await happen(world, signal);
    } catch (error) {
      return `(${(error as Error).message})`;
    }
  };

export const DISTURBANCES: readonly Disturbance[] = [
  { name: 'a consumer killed', weight: 8, kills: true, happen: kill('consumer') },
  { name: 'a consumer killed during a large fan-out', weight: 4, kills: true, happen: tried(killDuringFanOut) },
  { name: 'an unruly relay killed', weight: 2, kills: true, happen: kill('unruly relay') },
  { name: 'a relay killed', weight: 2, kills: true, happen: kill('relay') },
  { name: 'an API killed', weight: 1, kills: true, happen: kill('api') },
  { name: 'a consumer stopped past its session', weight: 2, goesOn: true, happen: stopFor(PAST_ITS_SESSION_MS) },
  { name: 'a consumer stopped for a moment', weight: 2, goesOn: true, happen: stopFor(SHORT_MS) },
  { name: 'an upload by the one with the most followers', weight: 6, happen: starUploads },
  { name: 'a user has changed', weight: 4, happen: tried(changeUser) },
  { name: 'tasks of the last seconds published again', weight: 3, happen: publishAgain },
  { name: 'one of two keys evicted', weight: 5, happen: evict },
  { name: 'FLUSHALL', weight: 2, happen: asking((redis) => redis.flushall()) },
  { name: 'SWAPDB', weight: 2, happen: asking((redis) => redis.call('SWAPDB', 0, 1)) },
  { name: 'SCRIPT FLUSH', weight: 4, happen: asking((redis) => redis.script('FLUSH')) },
  {
    name: 'every connection to Redis cut',
    weight: 2,
    happen: asking((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no')),
  },
  { name: 'Redis saves', weight: 2, happen: asking((redis) => redis.save()) },
  { name: 'Redis killed', weight: 1, happen: killRedis },
  { name: 'a new epoch', weight: 2, happen: beginEpoch },
  { name: 'messages that are no tasks', weight: 3, happen: tried(sendStrangeMessages) },
  { name: 'a task whose version never comes', weight: 2, happen: tried(sendHopelessTask) },
  { name: 'a task before its commit', weight: 4, goesOn: true, happen: tried(publishEarly) },
  { name: 'the tasks on the transport lost', weight: 2, happen: tried(loseTasks) },
  { name: 'the plans on the transport lost', weight: 1, happen: tried(losePlans) },
  { name: 'the consumers moved forward by an operator', weight: 1, happen: tried(moveForward) },
  { name: 'unread tasks deleted', weight: 1, happen: tried(deleteUnread) },
  { name: 'Redis full', weight: 2, happen: tried(fillRedis) },
  { name: 'backfill', weight: 3, goesOn: true, happen: backfill },
  { name: 'repair', weight: 3, goesOn: true, happen: repair },
];

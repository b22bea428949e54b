import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { canStartCluster, isInSync } from '../support/redis-cluster.ts';
import { closeAtEnd } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const USER = '1';
/** Comparisons at intervals come too late for these tests. */
const LOOKS = { intervalMs: 3_600_000, lookMs: 20 };

const server = await startRedis({ args: ['--enable-debug-command', 'yes'] });
closeAtEnd(() => server[Symbol.asyncDispose]());

/** A user with an index, and processes that watch Redis. */
async function watched(processes: number, url = server.url) {
  const shared = await freshStores(LIMITS);
  await writeSite(freshSitePool(shared.url), everybodyKnows([USER], ['16', '17', '18']));
  const redis = (await freshRedis(url)) as Redis;
  await redis.flushall();
  const stores = storesOn({ ...shared, redis }, LIMITS);
  const alarms: string[] = [];
  const watches = [];
  for (let i = 0; i < processes; i++)
    watches.push(await startWatch(stores, { ...LOOKS, onNewEpoch: () => void alarms.push(`of process ${i}`) }));
  await run(rebuild([USER]), stores.steps);
  alarms.length = 0;
  return { stores, redis, watches, alarms };
}

const token = async ({ primary }: Stores) => (await readEpoch(primary)).token;

/** Every process looks so often from now on. */
async function eachLooks(processes: number, redis: Redis, { prefix }: Stores, times = 2): Promise<void> {
  const marks = async () => {
    const keys = await redis.keys(`${prefix}:{*}:mark:*`);
    if (keys.length < processes) return undefined;
    return (await redis.mget(keys.sort())).map((mark) => Number(mark?.split(' ')[0]));
  };
  const before = await until(marks);
  await until(async () => (await marks())?.every((mark, i) => mark >= (before[i] ?? 0) + times));
}

it.each([
  [
    'an older file was read (DEBUG RELOAD)',
    async (redis: Redis) => {
      await redis.save();
      return () => redis.call('DEBUG', 'RELOAD', 'NOSAVE');
    },
  ],
  [
    'its keys were exchanged with a copy (SWAPDB)',
    async (redis: Redis) => {
      for (const key of await redis.keys('*')) await redis.copy(key, key, 'DB', 1);
      return () => redis.swapdb(0, 1);
    },
  ],
])('a Redis that runs on, and was set back because %s, begins one epoch for all processes', async (_what, remember) => {
  const { stores, redis, watches, alarms } = await watched(3);
  const setBack = await remember(redis);
  await freshSitePool(stores.url).query('DELETE FROM contacts WHERE user_id = 1 AND contact_id = 18');
  await run(rebuild([USER]), stores.steps);
  await eachLooks(3, redis, stores);
  const before = await token(stores);
  await setBack();
  expect(await stores.index.read(USER, 1, false), 'of an index that is wrong').toMatchObject({
    ...{ state: 'warm', epoch: before },
    head: [{ id: '18' }],
  });
  await until(async () => (await token(stores)) !== before);
  const epoch = await token(stores);
  await until(() => watches.every((watch) => watch.known()?.epoch === epoch));
  await eachLooks(3, redis, stores);
  expect(await token(stores)).toBe(epoch);
  expect(alarms).toHaveLength(1);
  expect((await readEpoch(stores.primary)).why).toMatch(/Redis holds other keys than before/);
  for (const watch of watches) {
    const reading = await trustedReads(stores.index, watch).read(USER, 1, false);
    expect(reading).toMatchObject({ state: 'warm', epoch: `?${before}` });
  }
});

it('a Redis that is looked at, saves its file, and forgets its scripts stays as it is', async () => {
  const { stores, redis, alarms } = await watched(2);
  const before = await token(stores);
  await redis.save();
  await redis.script('FLUSH');
  await redis.call('DEBUG', 'RELOAD');
  await eachLooks(2, redis, stores, 5);
  expect(await token(stores)).toBe(before);
  expect(alarms).toEqual([]);
});

it.runIf(canStartCluster())(
  'a failover to a replica that lags begins one epoch (programs: it needs redis-server on the path)',
  async () => {
    const [first, second] = [await startRedis({ from: 'programs' }), await startRedis({ from: 'programs' })];
    const proxy = await TcpProxy.before(first.url);
    closeAtEnd(() => Promise.all([first.remove(), second.remove(), proxy[Symbol.asyncDispose]()]));
    const replica = (await freshRedis(second.url)) as Redis;
    await replica.replicaof('127.0.0.1', first.port);
    await until(async () => isInSync(await replica.info('replication')));
    const { stores, redis, watches, alarms } = await watched(2, proxy.url);
    await replica.replicaof('NO', 'ONE');
    await eachLooks(2, redis, stores);
    const before = await token(stores);
    proxy.leadTo(second.url);
    await until(async () => (await token(stores)) !== before);
    const epoch = await token(stores);
    await until(() => watches.every((watch) => watch.known()?.epoch === epoch));
    await eachLooks(2, replica, stores, 5);
    expect(await token(stores)).toBe(epoch);
    expect(alarms).toHaveLength(1);
  },
);

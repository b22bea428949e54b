import type { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RedisClient } from '../../src/redis/connection.ts';
import { type RedisMaster, readMasters } from '../../src/redis/masters.ts';
import { OwnMarks } from '../../src/redis/own-marks.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { type ClusterNode, canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { freshPrefix, redisUrl } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** A process with marks in this Redis. */
function processOn(redis: RedisClient, prefix: string) {
  const marks = new OwnMarks(redis, prefix);
  return {
    areGone: async (masters?: readonly RedisMaster[]) => await marks.areGone(masters ?? (await readMasters(redis))),
  };
}

const keysOf = async (node: Redis, prefix: string) => await node.keys(`${prefix}:*`);

/** @returns a function that brings back what these keys are now */
async function remember(node: Redis, prefix: string) {
  const keys = await keysOf(node, prefix);
  const values = await Promise.all(keys.map((key) => node.dumpBuffer(key)));
  return async () => {
    for (const [i, key] of keys.entries()) await node.restore(key, 0, values[i] ?? '', 'REPLACE');
  };
}

describe('the marks of a process', () => {
  it('are there at the next look, and gone once from a Redis that was set back', async () => {
    const [redis, prefix] = [(await freshRedis()) as Redis, freshPrefix()];
    const [one, other] = [processOn(redis, prefix), processOn(redis, prefix)];
    for (const process of [one, one, other, one, other]) expect(await process.areGone()).toBe(false);
    const setBack = await remember(redis, prefix);
    for (const process of [one, other]) expect(await process.areGone()).toBe(false);
    await setBack();
    for (const process of [one, other]) expect(await process.areGone(), 'whatever the other has done').toBe(true);
    for (const process of [one, other]) expect(await process.areGone()).toBe(false);
  });

  it('are gone from a Redis that has lost everything', async () => {
    const [redis, prefix] = [(await freshRedis()) as Redis, freshPrefix()];
    const process = processOn(redis, prefix);
    await process.areGone();
    await redis.del(await keysOf(redis, prefix));
    expect(await process.areGone()).toBe(true);
  });

  it('are there, or gone, also where a reply was lost', async () => {
    const proxy = await TcpProxy.before(redisUrl());
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const [redis, prefix] = [(await freshRedis(proxy.url)) as Redis, freshPrefix()];
    const marks = new OwnMarks(redis, prefix);
    const masters = await readMasters(redis);
    await marks.areGone(masters);
    proxy.loseReplies(1);
    expect(await marks.areGone(masters), 'asked again').toBe(false);
    const setBack = await remember(redis, prefix);
    expect(await marks.areGone(masters)).toBe(false);
    await setBack();
    proxy.loseReplies(1);
    expect(await marks.areGone(masters), 'asked again').toBe(true);
    expect(proxy.toLose).toBe(0);
  });

  it('are expected of no other master', async () => {
    const [redis, prefix] = [(await freshRedis()) as Redis, freshPrefix()];
    const process = processOn(redis, prefix);
    await process.areGone();
    await redis.del(await keysOf(redis, prefix));
    const others = (await readMasters(redis)).map((master) => ({ ...master, replicationId: 'another' }));
    expect(await process.areGone(others)).toBe(false);
  });

  it.runIf(canStartCluster())(
    'are on every master of a cluster (programs: it needs redis-server on the path)',
    async () => {
      await using cluster = await RedisCluster.start();
      const [redis, prefix] = [await freshRedis(cluster.urls, { commandTimeoutMs: 2_000 }), freshPrefix()];
      const process = processOn(redis, prefix);
      await process.areGone();
      for (const { redis: node } of cluster.nodes) {
        expect(await keysOf(node, prefix)).toHaveLength(1);
        const setBack = await remember(node, prefix);
        expect(await process.areGone()).toBe(false);
        await setBack();
        expect(await process.areGone()).toBe(true);
      }
      const [first, , last] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
      const masters = await readMasters(redis);
      const setBack = await remember(first.redis, prefix);
      expect(await process.areGone()).toBe(false);
      await setBack();
      await cluster.kill(last);
      expect(await process.areGone(masters), 'although another does not answer').toBe(true);
      await expect(process.areGone(masters)).rejects.toThrow(RedisUnavailable);
    },
  );
});

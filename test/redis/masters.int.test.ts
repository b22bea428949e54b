import { describe, expect, it } from 'vitest';
import { isAnyKeyLike, scanKeys } from '../../src/redis/masters.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

describe.runIf(canStartCluster())('the keys of a Redis Cluster (programs)', () => {
  it('are not all of them, and never none, while a master is away', async () => {
    await using cluster = await RedisCluster.start();
    const client = await freshRedis(cluster.urls);
    const search = async () => {
      const keys: string[] = [];
      for await (const page of scanKeys(client, 'k:*')) keys.push(...page);
      return keys;
    };
    expect(await isAnyKeyLike(client, 'k:*', 10)).toBe(false);
    for (let i = 0; i < 30; i++) await client.set(`k:${i}`, '');
    expect(await search()).toHaveLength(30);
    const failures = async () => {
      const tries = [isAnyKeyLike(client, 'none:*', 10), search()];
      return (await Promise.allSettled(tries)).map((tried) => tried.status === 'rejected' && tried.reason);
    };
    const [first, ...others] = cluster.nodes;
    for (const { server } of others) await server.kill();
    await until(async () => (await failures()).every((failure) => failure instanceof RedisUnavailable));
    await first?.server.kill();
    for (let look = 0; look < 20; look++) {
      expect((await failures()).every((failure) => failure instanceof RedisUnavailable)).toBe(true);
    }
  });
});

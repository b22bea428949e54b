import { Redis } from 'ioredis';
import { describe, it, onTestFinished } from 'vitest';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { FailoverSite } from '../support/failover-site.ts';
import { canStartCluster, isInSync, RedisCluster } from '../support/redis-cluster.ts';
import { MASTER, RedisSentinels } from '../support/redis-sentinels.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

async function openSite(redisUrl: string): Promise<FailoverSite> {
  return await FailoverSite.open({ settings: { ...(await serviceSettings('streams')), REDIS_URL: redisUrl } });
}

/** A connection to this server alone, which may be killed. */
function alone({ url }: RunningServer): Redis {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

describe.runIf(canStartCluster())('Redis (programs: it needs redis-server on the path)', { timeout: 600_000 }, () => {
  it('0 wrong: Sentinels replace a killed master, it comes back, and takes the place of the other, which is killed', async () => {
    await using first = await startRedis({ from: 'programs' });
    await using second = await startRedis({
      from: 'programs',
      args: ['--replicaof', '127.0.0.1', `${first.port}`],
    });
    await using sentinels = await RedisSentinels.start(3, first.port);
    await sentinels.untilSettled(1);
    const site = await openSite(`redis+sentinel://${sentinels.addresses}/${MASTER}`);
    const replace = async (master: RunningServer, other: RunningServer, what: string) => {
      await site.more(30);
      const since = Date.now();
      await sentinels.kill(master);
      await sentinels.untilReplacedBy(other);
      await site.restored(what, since);
      await master.restart();
      await until(async () => isInSync(await alone(master).info('replication')));
      await site.more(30);
    };
    await replace(first, second, 'three Sentinels, the master killed');
    await replace(second, first, 'three Sentinels, the promoted one killed as well');
    await site.finish('Redis with three Sentinels');
  });

  it('0 wrong: a cluster of six replaces a killed master, it comes back, and takes the place of the other, which is killed', async () => {
    await using cluster = await RedisCluster.start(3, 1);
    const site = await openSite(cluster.urls);
    const replace = async (what: string) => {
      await site.more(30);
      const { node } = await cluster.place('recency:{1}:1:m');
      const since = Date.now();
      await cluster.kill(node);
      await site.restored(what, since);
      await cluster.restart(node);
      await until(async () => isInSync(await node.redis.info('replication')));
      await site.more(30);
    };
    await replace('a cluster of six, a master killed');
    await replace('a cluster of six, the promoted one killed as well');
    await site.finish('a Redis Cluster of six');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { appliedWatermarkOf } from '../../src/app/reports.ts';
import { sharedBarrier } from '../../src/index/drain-barrier.ts';
import { checkMysqlServer, checkRedisMasters } from '../../src/index/epoch.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { readMasters } from '../../src/redis/masters.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { ownershipOf, startWatch } from '../support/epoch-watch.ts';
import { canStartCluster, isInSync, RedisCluster } from '../support/redis-cluster.ts';
import { freshName } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const OF_INDEXES = { roles: ['index'], ownership: undefined } as const;

const LIMITS = { max: 4, min: 2 };
const USERS = ['1', '2', '3'];
const CONTACTS = Array.from({ length: 8 }, (_, i) => String(11 + i));

/** Periodic comparisons come too late for these tests. */
const ONLY_LOOKS = { intervalMs: 3_600_000 };
const NEVER = { ...ONLY_LOOKS, lookMs: 3_600_000 };

/** A replica is synchronized at once. */
const REPLICATING = ['--repl-diskless-sync-delay', '0', '--enable-protected-configs', 'yes'];

interface Twin {
  readonly server: RunningServer;
  /** Connected directly to the server. */
  readonly admin: Redis;
}

async function startTwin(): Promise<Twin> {
  const server = await startRedis({ from: 'programs', args: REPLICATING });
  const admin = new Redis(server.url);
  admin.on('error', () => undefined);
  afterAll(async () => {
    admin.disconnect();
    await server.remove();
  });
  return { server, admin };
}

/** Resolves when the replica has everything. */
async function replicate({ admin }: Twin, { server }: Twin): Promise<void> {
  await admin.replicaof('127.0.0.1', server.port);
  await until(async () => isInSync(await admin.info('replication')));
}

async function offsetOf({ admin }: Twin): Promise<string | undefined> {
  return /^master_repl_offset:(\d+)/m.exec(await admin.info('replication'))?.[1];
}

const promote = ({ admin }: Twin) => admin.replicaof('NO', 'ONE');

/** Users with an index on this Redis, on servers that are on record; everybody's best contact is 18. */
async function sitesStores(redisUrl: string): Promise<Stores> {
  const shared = await freshStores(LIMITS);
  await writeSite(freshSitePool(shared.url), everybodyKnows(USERS, CONTACTS));
  const redis = openRedis(redisUrl, { commandTimeoutMs: 2_000, connectTimeoutMs: 2_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, 5_000);
  const stores = storesOn({ ...shared, prefix: freshName(), redis }, LIMITS);
  await checkMysqlServer(stores.primary);
  const ownership = await ownershipOf(stores).claim();
  await checkRedisMasters(stores.primary, await readMasters(redis), { ...OF_INDEXES, ownership });
  await run(rebuild(USERS), stores.steps);
  return stores;
}

const loses18 = 'UPDATE contacts SET active = 0, version = version + 1 WHERE user_id = 1 AND contact_id = 18';

const token = async ({ primary }: Stores) => (await readEpoch(primary)).token;

describe.runIf(canStartCluster())('two servers (programs: it needs redis-server on the path)', () => {
  let first: Twin;
  let second: Twin;

  beforeAll(async () => {
    [first, second] = await Promise.all([startTwin(), startTwin()]);
  });

  /** Stores on the first server, through an address that can lead to the second one. */
  async function behindProxy() {
    for (const twin of [first, second]) await promote(twin);
    const proxy = await TcpProxy.before(first.server.url);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const stores = await sitesStores(proxy.url);
    return { proxy, stores };
  }

  describe('a master that becomes a replica, whose clients stay connected', () => {
    it('is no longer read by any process, and left for the new master', async () => {
      const { proxy, stores } = await behindProxy();
      const reads = trustedReads(stores.index, await startWatch(stores, NEVER));
      expect(await reads.read('1', 0, true)).toMatchObject({ state: 'warm', head: [{ id: '18' }, {}, {}, {}] });
      await replicate(second, first);
      await promote(second);
      const epoch = await token(stores);

      await first.admin.replicaof('127.0.0.1', 1); // it keeps its old state
      await expect(reads.read('1', 0, false)).rejects.toThrow(RedisUnavailable);
      await expect(reads.read('1', 0, false)).rejects.toThrow(RedisUnavailable);
      proxy.leadTo(second.server.url, { keepOld: true });
      expect(await until(() => reads.read('1', 0, false))).toMatchObject({ state: 'warm', epoch: `?${epoch}` });
      expect(await token(stores)).not.toBe(epoch); // everything on the new master is cold
    });

    it('is left as soon as a comparison finds that it is a replica, also by processes that do not read', async () => {
      const { proxy, stores } = await behindProxy();
      const watch = await startWatch(stores, NEVER);
      const epoch = await token(stores);
      await first.admin.replicaof('127.0.0.1', 1);
      stores.redis.emit('ready'); // as after a reconnect: it is compared now
      await until(() => !watch.isTrusted());
      proxy.leadTo(second.server.url, { keepOld: true });
      await until(() => watch.isTrusted());
      expect(await token(stores)).not.toBe(epoch);
      expect(await stores.redis.config('GET', 'port')).toEqual(['port', String(second.server.port)]);
    });

    it('and then master again, without a comparison meanwhile, is not read before it has been compared', async () => {
      const { stores } = await behindProxy();
      await replicate(second, first);
      const reads = trustedReads(stores.index, await startWatch(stores, NEVER));
      await run(rebuild(USERS), stores.steps);
      await until(async () => (await offsetOf(second)) === (await offsetOf(first)));
      await promote(second); // from here on it lags
      await freshSitePool(stores.url).query(loses18);
      await run(refresh([{ user: '1', contact: '18' }]), stores.steps);
      expect(await reads.read('1', 0, false)).toMatchObject({ state: 'warm', head: [{ id: '17' }, {}, {}] });
      const epoch = await token(stores);
      await replicate(first, second);
      await promote(first);
      expect(await stores.index.read('1', 0, false)).toMatchObject({
        state: 'warm',
        epoch,
        head: [{ id: '18' }, {}, {}, {}],
      });
      await expect(reads.read('1', 0, false)).rejects.toThrow(/was promoted since it was compared/);
      expect(await until(() => reads.readMany(['1'], 0, false))).toMatchObject([{ state: 'warm', epoch: `?${epoch}` }]);
      expect(await token(stores)).not.toBe(epoch);
    });

    it('and then master again, says nothing of what was delayed there before it has been compared', async () => {
      const { stores } = await behindProxy();
      const { primary, redis, delayed, rechecks, prefix } = stores;
      await replicate(second, first);
      const watch = await startWatch(stores, NEVER);
      const passed = { strictBarrier: async () => sharedBarrier(async () => true) };
      const watermark = appliedWatermarkOf(
        { primary, watch, redis, kinds: [{ delayed, rechecks }], transport: { small: passed, bulk: passed } },
        { keyPrefix: prefix },
      );
      await watermark.measure();
      await until(async () => (await offsetOf(second)) === (await offsetOf(first)));
      await promote(second); // from here on it lags
      await delayed.defer({ pairs: [{ user: '1', contact: '18' }], rebuilds: [] });
      const epoch = await token(stores);
      await replicate(first, second);
      await promote(first);
      await expect(watermark.measure()).rejects.toThrow(/was promoted since it was compared/);
      await until(() => watermark.measure().then(() => true));
      expect(await token(stores)).not.toBe(epoch);
    });

    it('is left by processes that only write', async () => {
      const { proxy, stores } = await behindProxy();
      await replicate(second, first);
      await promote(second);
      await first.admin.replicaof('127.0.0.1', 1);
      proxy.leadTo(second.server.url, { keepOld: true });
      await freshSitePool(stores.url).query(loses18);
      const refreshing = () => run(refresh([{ user: '1', contact: '18' }]), stores.steps);
      await expect(refreshing()).rejects.toThrow(RedisUnavailable);
      expect((await until(refreshing)).outcomes.applied).toBe(1);
      expect(await stores.redis.config('GET', 'port')).toEqual(['port', String(second.server.port)]);
    });
  });

  /** Reasons for a master to refuse writes, with the commands that cause and end them. */
  const REFUSALS: readonly [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['NOREPLICAS', () => set('min-replicas-to-write', 1), () => set('min-replicas-to-write', 0)],
    ['MISCONF', () => failToSave(), () => set('save', '').then(() => set('dir', kept))],
  ];

  const set = (name: string, value: string | number) => first.admin.config('SET', name, value);

  let kept = '';

  async function failToSave(): Promise<void> {
    [, kept = ''] = (await first.admin.config('GET', 'dir')) as string[];
    const dir = mkdtempSync(join(tmpdir(), 'recency-gone-'));
    await set('dir', dir);
    rmSync(dir, { recursive: true });
    await set('save', '3600 1');
    await until(() => first.admin.bgsave());
    await until(async () => /rdb_last_bgsave_status:err/.test(await first.admin.info('persistence')));
  }

  it.each(REFUSALS)(
    'a master that refuses writes (%s) is read all the same, a replica is not',
    async (why, begin, end) => {
      const { stores } = await behindProxy();
      onTestFinished(async () => void (await end()));
      await begin();
      await expect(run(rebuild(['1']), stores.steps)).rejects.toThrow(why);
      expect(await stores.index.read('1', 2, true)).toMatchObject({ state: 'warm', size: 4, head: [{ id: '18' }, {}] });
      await first.admin.replicaof('127.0.0.1', 1);
      await expect(stores.index.read('1', 2, true)).rejects.toThrow(/READONLY/);
    },
  );

  describe('another master', () => {
    const compared = (stores: Stores) =>
      readMasters(stores.redis)
        .then((masters) => checkRedisMasters(stores.primary, masters, OF_INDEXES))
        .then(({ recorded }) => recorded);

    it('is one that came back from a lagging replica, though it never restarted', async () => {
      const { stores } = await behindProxy();
      await compared(stores);
      await replicate(second, first);
      await promote(second); // from here on it lags
      await freshSitePool(stores.url).query(loses18);
      await run(refresh([{ user: '1', contact: '18' }]), stores.steps);
      await replicate(first, second);
      await promote(first);
      const { token: epoch } = await readEpoch(stores.primary);
      expect(await stores.index.read('1', 0, false)).toMatchObject({ epoch, head: [{ id: '18' }, {}, {}, {}] });
      expect(await compared(stores)).toBe('new_epoch');
    });

    /** What an operator does to a known master, and whether it then counts as another one. */
    const EVENTS: readonly [string, 'known' | 'new_epoch', () => Promise<unknown>][] = [
      ['its first replica attaches', 'new_epoch', () => replicate(second, first)],
      ['a snapshot is saved', 'known', () => until(() => first.admin.call('SAVE'))],
      ['its replica is cut off and goes on where it was', 'known', () => cutOff()],
      [
        'its replica detaches and attaches again at once',
        'known',
        () => promote(second).then(() => replicate(second, first)),
      ],
      ['all keys are deleted', 'known', () => first.admin.flushall()],
      ['no replica for repl-backlog-ttl', 'new_epoch', () => promote(second).then(() => backlogIsFreed())],
      [
        'it becomes a replica and is promoted again',
        'new_epoch',
        () => replicate(first, second).then(() => promote(first)),
      ],
    ];

    async function cutOff(): Promise<void> {
      const attached = async () => Number(/^sync_partial_ok:(\d+)/m.exec(await first.admin.info('stats'))?.[1]);
      const before = await attached();
      await first.admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
      await until(async () => (await attached()) > before && isInSync(await second.admin.info('replication')));
    }

    async function backlogIsFreed(): Promise<void> {
      await set('repl-backlog-ttl', 1);
      await until(async () => /^repl_backlog_active:0/m.test(await first.admin.info('replication')));
      await set('repl-backlog-ttl', 3_600);
    }

    it('is what a known one counts as after some commands, and not after others', async () => {
      const { stores } = await behindProxy();
      await backlogIsFreed();
      await compared(stores);
      const found: [string, string][] = [];
      for (const [what, , happens] of EVENTS) {
        await happens();
        found.push([what, await compared(stores)]);
      }
      expect(found).toEqual(EVENTS.map(([what, recorded]) => [what, recorded]));
    });
  });
});

/** By itself a client asks for the topology only after sending a command to the wrong node. */
async function knowsReplica(client: Cluster): Promise<boolean> {
  await new Promise<void>((resolve) => client.refreshSlotsCache(() => resolve()));
  const [replica] = client.nodes('slave');
  return (await replica?.ping()) === 'PONG';
}

/** Delays the answer to the client's question which node has which slots. */
function delayRefresh(client: RedisClient): () => void {
  const cluster = client as Cluster;
  const late = Promise.withResolvers<void>();
  const refresh = cluster.refreshSlotsCache.bind(cluster);
  cluster.refreshSlotsCache = (callback) => void late.promise.then(() => refresh(callback));
  return late.resolve;
}

describe.runIf(canStartCluster())('a cluster (programs: it needs redis-server on the path)', () => {
  it('with a promoted replica is not trusted before that replica has been compared', async () => {
    await using cluster = await RedisCluster.start(1, 1);
    const stores = await sitesStores(cluster.urls);
    const reads = trustedReads(stores.index, await startWatch(stores, ONLY_LOOKS));
    const epoch = await token(stores);
    const [master, replica] = cluster.nodes;
    expect(await reads.read('1', 0, false)).toMatchObject({ state: 'warm', epoch });

    await until(() => knowsReplica(stores.redis as Cluster));
    const letRefresh = delayRefresh(stores.redis);
    const isPromoted = async () => /^role:master/m.test((await replica?.redis.info('replication')) ?? '');
    await until(async () => {
      await replica?.redis.cluster('FAILOVER');
      return await until(isPromoted, { timeout: 6_000 }); // Redis gives it up after 5 s
    });
    await until(async () => isInSync((await master?.redis.info('replication')) ?? '') && (await cluster.isWhole()));
    // The old master redirects the client to the new one, which has not been compared.
    await expect(reads.read('1', 0, false)).rejects.toThrow(/has not been compared/);
    expect(await stores.index.read('1', 0, false)).toMatchObject({ state: 'warm', epoch });
    expect(await token(stores)).toBe(epoch);
    letRefresh();
    expect(await until(() => reads.read('1', 0, false))).toMatchObject({ state: 'warm', epoch: `?${epoch}` });
    expect(await token(stores)).not.toBe(epoch);
  });

  it('whose master becomes a replica and master again between two comparisons has another master', async () => {
    await using cluster = await RedisCluster.start(1, 1);
    const stores = await sitesStores(cluster.urls);
    await startWatch(stores, ONLY_LOOKS);
    const epoch = await token(stores);
    const [master, replica] = cluster.nodes.map(({ redis }) => redis) as [Redis, Redis];
    await replica.cluster('FAILOVER', 'TAKEOVER');
    await until(async () => /^role:slave/m.test(await master.info('replication')), { interval: 1 });
    await master.cluster('FAILOVER', 'TAKEOVER');
    await until(async () => (await token(stores)) !== epoch);
  });
});

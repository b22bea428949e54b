import pino from 'pino';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Task } from '../../../src/contracts/task.ts';
import { FOLLOWERS_A_PAGE } from '../../../src/index/fan-out.ts';
import { run } from '../../../src/index/protocol.ts';
import { rebuild } from '../../../src/index/rebuild.ts';
import { migrate } from '../../../src/mysql/migrate.ts';
import { chunks } from '../../../src/timing/batches.ts';
import { CONSTANTS, PRODUCTS } from '../../../src/tools/capacity/constants.ts';
import { at, fanOutCost, memoryOf } from '../../../src/tools/capacity/sizing.ts';
import { DEFAULTS } from '../../../src/tools/demo/options.ts';
import { measureMemory } from '../../../src/tools/demo/phases/measure.ts';
import { populate } from '../../../src/tools/demo/phases/populate.ts';
import { seededRandom } from '../../../src/tools/demo/random.ts';
import { startRedis } from '../../../src/tools/devservers/start-server.ts';
import { workBothLanes } from '../../../src/tools/harness/both-lanes.ts';
import { namespaceOn } from '../../../src/tools/harness/namespace.ts';
import { openHarnessStores } from '../../../src/tools/harness/stores.ts';
import { idsFrom, loadGraph } from '../../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { CountingDatabase } from '../../support/counting-database.ts';
import { freshDatabase, freshPrefix, mysqlUrl } from '../../support/servers.ts';
import { freshSitePool } from '../../support/small-site.ts';
import { freshRedis, migratedDatabase, storesOn } from '../../support/stores.ts';

/** How far off a prediction may be. */
const WITHIN = 0.25;

describe("the demonstration's memory", () => {
  test('is what is predicted for its size, of all of it and of an index', async () => {
    await using resources = new AsyncDisposableStack();
    const server = resources.use(await startRedis());
    const settings = { MYSQL_URL: await freshDatabase(), INDEX_ABOVE: '0', KEEP: '1000000' };
    const parts = { mysqlUrl: mysqlUrl(), redisUrl: server.url, kafkaBrokers: null };
    const namespace = namespaceOn(parts, { purpose: 'demo', transport: 'streams', settings });
    await migrate({ url: namespace.config.mysqlUrl });
    const { signal } = new AbortController();
    const stores = await openHarnessStores(namespace, { logger: pino({ level: 'silent' }), resources, signal });
    const random = seededRandom(DEFAULTS.seed);
    const { cast, counts } = await populate(stores.pool, DEFAULTS, random);
    const { redis, steps } = stores;
    const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);

    const users = await stores.primary.rows('SELECT DISTINCT user_id FROM contacts ORDER BY user_id', []);
    const before = await usedMemory();
    for (const page of chunks(
      users.map(([user]) => String(user)),
      100,
    ))
      await run(rebuild(page), steps);
    const grown = (await usedMemory()) - before;
    const measured = await measureMemory({ redis, namespace, cast, random });

    const site = {
      contactsPerUser: counts.contacts / counts.users,
      mostContacts: DEFAULTS.most,
      max: namespace.config.max,
      indexAbove: 0,
      keep: 1,
    };
    for (const product of PRODUCTS) {
      const predicted = memoryOf({ ...site, users: counts.users }, CONSTANTS[product]);
      const ratios = {
        indexes: predicted.indexes / users.length,
        bytes: predicted.bytes / grown,
        bytesPerIndex: predicted.bytesPerIndex / (grown / users.length),
        keyBytesPerIndex: predicted.keyBytesPerIndex / measured.mean,
        keyBytesPerFullIndex: at(CONSTANTS[product].keyBytes, measured.fullSize) / measured.full,
      };
      for (const [what, ratio] of Object.entries(ratios)) {
        expect(Math.abs(ratio - 1), `${what} on ${product}: predicted over measured`).toBeLessThan(WITHIN);
      }
    }
  });
});

describe('what tasks ask of the servers', async () => {
  const url = await migratedDatabase();
  const pool = freshSitePool(url);
  const primary = new CountingDatabase(url);
  const redis = await freshRedis();
  const stores = storesOn({ url, prefix: freshPrefix(), primary, redis }, { max: 24, min: 12 });

  const owners = idsFrom(1n, 3);
  const followers = idsFrom(10_000n, FOLLOWERS_A_PAGE + 100);
  const followed = [100, 1_200, followers.length];
  await loadGraph(pool, {
    users: [...owners, ...followers].map((id) => ({ id })),
    contacts: owners.flatMap((contact, i) => followers.slice(0, followed[i]).map((user) => ({ user, contact }))),
  });
  for (const page of chunks(followers, 500)) await run(rebuild(page), stores.steps);

  async function counted(task: Task) {
    await workBothLanes([task], stores.steps); // the scripts are known to the server by now
    const sent = vi.spyOn(redis, 'sendCommand');
    const before = primary.sent;
    await workBothLanes([task], stores.steps);
    const counts = { mysqlStatements: primary.sent - before, redisCalls: sent.mock.calls.length };
    sent.mockRestore();
    return counts;
  }

  afterAll(() => vi.restoreAllMocks());

  test.each(followed.map((count, i) => [count, owners[i] ?? '']))(
    'an upload before %i followers: what is predicted',
    async (count, owner) => {
      const at = Date.now();
      const photo = await uploadPhoto(pool, owner, 0, at);
      expect(await counted({ type: 'recency.photo.uploaded', owner, photo, at })).toEqual(fanOutCost(count));
    },
  );

  test('a contact task: one statement and three calls', async () => {
    const [contact = ''] = owners;
    const [user = ''] = followers;
    const costs = await counted({ type: 'recency.contact.changed', user, contact });
    expect(costs).toEqual({ mysqlStatements: 1, redisCalls: 3 });
  });
});

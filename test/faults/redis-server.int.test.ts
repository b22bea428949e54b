import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeChecks } from '../../src/app/checks.ts';
import { loadConfig } from '../../src/config/config.ts';
import { redisChecks } from '../../src/doctor/redis-checks.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readOutboxLag } from '../../src/mysql/outbox.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { ask, startTestApi } from '../support/api.ts';
import { startConsuming } from '../support/consuming.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { expectExact } from '../support/exact.ts';
import { freshName } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, rankedContacts, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };

/** What these tests do at once takes long on a busy machine. */
const BUSY = { timeout: 300_000 };
const USERS = Array.from({ length: 30 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 40 }, (_, i) => String(101 + i));
const SITE = everybodyKnows(USERS, CONTACTS);
const PATH = (user: string) => `/v1/users/${user}/contacts/recent?limit=4`;

/** Stores on a Redis of the test's own; every user has an index. */
async function storesAt(url: string, commandTimeoutMs = 10_000): Promise<Stores> {
  const direct = await freshStores(LIMITS);
  await writeSite(freshSitePool(direct.url), SITE);
  const redis = openRedis(url, { commandTimeoutMs, connectTimeoutMs: 10_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, 60_000);
  const stores = storesOn({ ...direct, prefix: freshName(), redis }, LIMITS);
  await run(rebuild(USERS), stores.steps);
  return stores;
}

/** For commands that only the test sends. */
function admin(url: string): Redis {
  const client = new Redis(url, { lazyConnect: false, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

describe('fault 20: Redis is loading', BUSY, () => {
  it('degrades the API, and the database answers, until it has loaded', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'recency-loading-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const slowly = ['--key-load-delay', '3000', '--loading-process-events-interval-bytes', '1024'];
    await using server = await startRedis({ dir, args: slowly });
    const stores = await storesAt(server.url, 2_000);
    const watch = await startWatch(stores);
    const client = admin(server.url);
    await client.eval("for i = 1, 6000 do redis.call('SET', 'filler' .. i, string.rep('x', 20)) end", 0);
    await client.save();
    const index = trustedReads(stores.index, watch);
    const checks = storeChecks({ ...stores, watch });
    const recentContacts = recentOn(stores, { index });
    const api = await startTestApi(stores, { ...LIMITS, checks, recentContacts });
    expect((await ask(api, '/readyz')).status).toBe(200);

    await server.kill();
    const restarted = server.restart();
    await until(() => isLoading(server.url), { interval: 5 });
    const ready = await ask(api, '/readyz');
    const answer = await ask(api, PATH('1'));
    expect(await isLoading(server.url)).toBe(true); // it was loading all the time
    expect({ status: ready.status, failing: ready.body.failing }).toEqual({ status: 200, failing: ['redis'] });
    expect({ status: answer.status, ...answer.body.answer }).toMatchObject({
      status: 200,
      source: 'database',
      reason: 'redis_unavailable',
    });
    await whileLoading(server.url, (loading) => loading.config('SET', 'key-load-delay', '0'));
    await restarted;
    await until(async () => (await ask(api, '/readyz')).body.status === 'ready');
    await until(() => run(rebuild(['1']), stores.steps));
    await until(async () => (await ask(api, PATH('1'))).body.answer.source === 'index');
  });

  const isLoading = (url: string) =>
    whileLoading(url, (client) =>
      client.ping().then(
        () => false,
        (error: Error) => error.message.startsWith('LOADING'),
      ),
    );

  /** On a connection that does not wait until Redis has loaded. */
  async function whileLoading<T>(url: string, ask: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(url, { enableReadyCheck: false, retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await ask(client);
    } finally {
      client.disconnect();
    }
  }
});

describe('fault 21: Redis is out of memory', BUSY, () => {
  it('consumers keep existing indexes up to date; no index is built and no task accepted until there is memory again', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    const stores = await storesAt(server.url);
    const client = admin(server.url);
    const full = Promise.withResolvers<void>();
    const steps: Steps = {
      ...stores.steps,
      apply: async (...args) => {
        await full.promise;
        return await stores.steps.apply(...args);
      },
    };
    const consuming = await startConsuming({ ...stores, steps } as Stores, { url: server.url });
    const pool = freshSitePool(stores.url);
    await stores.index.drop(['1']);
    // Half of the users lose most of their contacts: their indexes run low and must be rebuilt before the acknowledgement.
    for (const user of USERS) await removeContact(pool, user, '140');
    for (const user of USERS.slice(15))
      for (const contact of CONTACTS.slice(30)) await removeContact(pool, user, contact);
    for (const owner of CONTACTS.slice(0, 5)) await uploadPhoto(pool, owner, 0, 9_000 + Number(owner));
    await until(async () => ((await consuming.lag()) ?? 0) >= USERS.length + 5);
    await until(async () => (await readOutboxLag(stores.primary)).rows === 0);

    await client.config('SET', 'maxmemory', '1');
    await removeContact(pool, '2', '105'); // no room for its task
    full.resolve();
    await until(async () => (await consuming.lag()) === 0);
    expect(await consuming.transport.deadLetters.list({ limit: 10 })).toEqual([]);
    for (const user of USERS.filter((one) => one > '2')) await expectExact(stores, LIMITS, user, 'while Redis is full');
    await expect(run(rebuild(['3', '1', '4']), stores.steps)).rejects.toThrow(RedisUnavailable);
    expect((await stores.index.read('1', 0, false)).state, 'nothing was begun').toBe('cold');
    expect((await readOutboxLag(stores.primary)).rows).toBe(1);

    await client.config('SET', 'maxmemory', '0');
    await until(async () => (await readOutboxLag(stores.primary)).rows === 0 && (await consuming.lag()) === 0);
    await run(rebuild(['1']), stores.steps);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'after the memory came back');
    expect(await consuming.transport.deadLetters.list({ limit: 10 })).toEqual([]);
    await consuming.stop();
  });

  it('is detected at the first write of a script, and never between two writes', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    const client = admin(server.url);
    await client.config('SET', 'maxmemory', '1');
    const twice = "redis.call(ARGV[1], 'a', 1); return redis.call('SET', 'b', 2)";
    await expect(client.eval(twice, 0, 'SET')).rejects.toThrow(/^OOM/);
    expect(await client.exists('a', 'b')).toBe(0);
    expect(await client.eval(twice, 0, 'DEL')).toBe('OK'); // neither refused, nor is anything after it
    expect(await client.eval(`#!lua flags=allow-oom\n${twice}`, 0, 'SET')).toBe('OK');
    await expect(client.eval("#!lua\nreturn redis.call('GET', 'a')", 0)).rejects.toThrow(/^OOM/);
  });
});

describe('fault 24: BGSAVE forks under load', BUSY, () => {
  it('the API reports its latencies, and doctor the duration of the fork', async () => {
    await using server = await startRedis();
    const stores = await storesAt(server.url);
    const client = admin(server.url);
    await client.eval("for i = 1, 100000 do redis.call('SET', 'filler' .. i, string.rep('x', 200)) end", 0);
    const registry = new Registry();
    const api = await startTestApi(stores, { ...LIMITS, registry });
    let isOver = false;
    const load = Array.from({ length: 4 }, async (_, i) => {
      for (let n = i; !isOver; n++) {
        const { status } = await ask(api, PATH(USERS[n % USERS.length] as string));
        expect(status).toBe(200);
      }
    });
    for (let save = 0; save < 3; save++) {
      await client.bgsave();
      await until(async () => /^rdb_bgsave_in_progress:0/m.test(await client.info('persistence')));
    }
    isOver = true;
    await Promise.all(load);
    const { body } = await ask(api, '/metrics');
    expect(body).toMatch(
      /^recency_http_request_duration_seconds_bucket\{le="0\.5",route=.*recent.*status="200".* [1-9]/m,
    );
    const finding = await redisChecks(stores.redis, loadConfig({})).snapshots?.();
    expect(finding?.detail).toMatch(/^the last fork took \d+\.\d ms/); // a warning, where a busy machine takes long
  });
});

describe.each([
  ['fault 34: FLUSHALL under load', (_stores: Stores, client: Redis) => client.flushall()],
  ['a new epoch under load', ({ primary }: Stores) => bumpEpoch(primary, 'a test')],
])('%s', BUSY, (_what, lose) => {
  it('indexes are built on demand, one build per user; plain queries stay within their limit, and no answer is wrong', async () => {
    await using server = await startRedis();
    const stores = await storesAt(server.url);
    const client = admin(server.url);
    const most = { plain: 0, builds: 0 };
    const building = new Set<string>();
    const built: string[] = [];
    const errors: unknown[] = [];
    const coldBuilds = new ColdBuilds({
      build: async (user) => {
        expect(building, 'one build a user').not.toContain(user);
        building.add(user);
        most.builds = Math.max(most.builds, building.size);
        await run(rebuild([user]), stores.steps);
        building.delete(user);
        built.push(user);
        return 'built';
      },
      concurrency: 2,
      queue: 1_000,
      onError: (error) => errors.push(error),
    });
    class Watched extends ContactsDatabase {
      protected override read(...asked: Parameters<ContactsDatabase['read']>) {
        most.plain = Math.max(most.plain, this.heavy.running);
        return super.read(...asked);
      }
    }
    const budget = { concurrency: 3, queue: 1_000 };
    const database = new Watched(stores.url, { connections: 5, queue: 1_000, deadlineMs: 60_000, heavy: budget });
    onTestFinished(() => database.close());
    const contacts = recentOn(stores, {
      onCold: (user) => coldBuilds.request(user),
      database,
    });
    const expected = rankedContacts(SITE, '1', 'any')
      .slice(0, 4)
      .map(({ id }) => id);
    const sources = { index: 0, database: 0 };
    let isOver = false;
    const load = Array.from({ length: 24 }, async (_, i) => {
      for (let n = i; !isOver; n++) {
        const user = USERS[n % USERS.length] as string;
        const answer = await contacts.find({ user, relation: 'any', limit: 4, below: undefined });
        expect(answer.contacts.map(({ id }) => id)).toEqual(expected);
        sources[answer.source]++;
      }
    });
    await until(() => sources.index > 200);
    expect(sources.database).toBe(0);
    await lose(stores, client);
    await until(() => new Set(built).size === USERS.length && coldBuilds.underWay === 0);
    const answered = sources.index;
    await until(() => sources.index > answered + 200);
    isOver = true;
    await Promise.all(load);
    expect(errors).toEqual([]);
    expect(sources.database).toBeGreaterThan(0);
    // A user who read the old index just before the rebuild asks once more.
    expect(built.length).toBeLessThanOrEqual(2 * USERS.length);
    expect(most.plain).toBeLessThanOrEqual(3);
    expect(most.builds).toBeLessThanOrEqual(2);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'afterwards');
  });
});

type RecentOptions = ConstructorParameters<typeof RecentContacts>[0];

function recentOn({ index, primary }: Stores, parts: Partial<RecentOptions>): RecentContacts {
  return recentContactsOn({ index, primary }, LIMITS, parts);
}

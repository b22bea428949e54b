import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { ask, post, startTestApi } from '../support/api.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { expectExact } from '../support/exact.ts';
import { freshName, redisUrl } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const USERS = ['1', '2', '3'];
const CONTACTS = Array.from({ length: 8 }, (_, i) => String(11 + i));
const TIMEOUT_MS = 1_000;

const recent = (user: Id) => `/v1/users/${user}/contacts/recent?limit=2`;

const SITE = everybodyKnows(USERS, CONTACTS);

/** Stores whose Redis is behind a proxy; every user has an index. */
async function behindProxy(
  url = redisUrl(),
  commandTimeoutMs = TIMEOUT_MS,
): Promise<{ proxy: TcpProxy; stores: Stores }> {
  const direct = await freshStores(LIMITS);
  await writeSite(freshSitePool(direct.url), SITE);
  const proxy = await TcpProxy.before(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const redis = openRedis(proxy.url, { commandTimeoutMs, connectTimeoutMs: 2_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, 5_000);
  const { prefix } = url === redisUrl() ? direct : { prefix: freshName() };
  const stores = storesOn({ ...direct, prefix, redis }, LIMITS);
  await run(rebuild(USERS), stores.steps);
  return { proxy, stores };
}

describe('fault 12: a reply is lost and the command is sent again', () => {
  it('has no effect, whichever command of a refresh or a rebuild it is', async () => {
    const { proxy, stores } = await behindProxy();
    const operations = [
      () => run(refresh(USERS.map((user) => ({ user, contact: '18' }))), stores.steps),
      () => run(rebuild(USERS), stores.steps),
    ];
    for (const operation of operations) {
      for (const losses of [1, 2, 3]) {
        const pool = freshSitePool(stores.url);
        await pool.query('UPDATE users SET last_public_at = last_public_at + 100 WHERE id = 18');
        proxy.loseReplies(losses);
        await until(() => operation().then(() => true));
        await until(() => stores.redis.ping().then(() => proxy.toLose === 0));
        for (const user of USERS) await expectExact(stores, LIMITS, user, `${losses} replies lost`);
      }
    }
  });

  it('adds a delayed item once, and removes none', async () => {
    const { proxy, stores } = await behindProxy();
    proxy.loseReplies(1);
    await until(() => stores.delayed.defer({ pairs: [], rebuilds: ['1'] }).then(() => true));
    const held = await until(async () => {
      const due = await stores.delayed.take(10, 60_000);
      return due.items.length > 0 && due;
    });
    expect(held.items).toEqual([{ kind: 'rebuild', user: '1' }]);
  });
});

describe('a start during which Redis is connected to again', () => {
  it('compares it again, however often', async () => {
    const { proxy, stores } = await behindProxy();
    for (const losses of [1, 2, 3]) {
      proxy.loseReplies(losses);
      const watch = await startWatch(stores, { intervalMs: 60_000 });
      expect(proxy.toLose).toBe(0);
      await until(async () => watch.isTrusted());
      watch.stop();
    }
  });
});

describe('fault 13: a half-open Redis connection', () => {
  it('delays an answer, and is replaced by another one', async () => {
    const { proxy, stores } = await behindProxy();
    const api = await startTestApi(stores, LIMITS);
    expect((await ask(api, recent('1'))).body.answer.source).toBe('index');

    proxy.silence();
    let source = '';
    const from = performance.now();
    while (source !== 'index' && performance.now() - from < 60_000) {
      const { status, body } = await ask(api, recent('1'));
      expect(status).toBe(200);
      source = body.answer.source;
    }
    expect(source).toBe('index');
  });

  it('with no other available: the database answers, each time within one command timeout', async () => {
    const timeoutMs = 3_000;
    const { proxy, stores } = await behindProxy(redisUrl(), timeoutMs);
    const api = await startTestApi(stores, LIMITS);
    proxy.silence({ alsoNew: true });
    const times = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const begun = performance.now();
        const { status, body } = await ask(api, recent(USERS[i % 3] as Id));
        expect({ status, reason: body.answer.reason }).toEqual({ status: 200, reason: 'redis_unavailable' });
        return performance.now() - begun;
      }),
    );
    expect(Math.max(...times)).toBeLessThan(2 * timeoutMs);
    proxy.restore();
    await until(async () => (await ask(api, recent('1'))).body.answer.source === 'index');
  });
});

describe('an account of Redis that loses a permission while the API runs', () => {
  it('has its answers from the database, until it has it back', async () => {
    await using server = await startRedis();
    const { stores } = await behindProxy(server.url);
    await run(rebuild(USERS), stores.steps);
    const api = await startTestApi(stores, LIMITS);
    const admin = await freshRedis(server.url);
    const answers = async () => {
      const one = await ask(api, recent('1'));
      const many = await post(api, '/v1/recent', { users: USERS, limit: 2 });
      return [one, many].map(({ status }) => status).concat(one.body.answer.source);
    };
    expect(await answers()).toEqual([200, 200, 'index']);
    for (const lost of ['-evalsha', '-time', '-info', 'resetkeys']) {
      await admin.call('ACL', 'SETUSER', 'default', lost);
      expect(await answers(), lost).toEqual([200, 200, 'database']);
      await admin.call('ACL', 'SETUSER', 'default', '+@all', 'allkeys');
      expect(await answers(), lost).toEqual([200, 200, 'index']);
    }
  });
});

describe('fault 18: a failover that loses the last writes', () => {
  it('begins a new epoch: indexes on the promoted replica are cold, and are rebuilt', async () => {
    // Both are programs: a replica in a container would have to reach its master by the address that clients use.
    await using first = await startRedis({ from: 'programs' });
    await using second = await startRedis({ from: 'programs' });
    const { proxy, stores } = await behindProxy(first.url);
    const replica = openRedis(second.url, { commandTimeoutMs: 2_000, connectTimeoutMs: 2_000, name: 'test' });
    onTestFinished(() => replica.disconnect());
    await untilReady(replica, 5_000);
    const watch = await startWatch(stores, { intervalMs: 3_600_000, lookMs: 3_600_000 });
    await run(rebuild(USERS), stores.steps); // the first servers on record began an epoch
    const epoch = (await readEpoch(stores.primary)).token;

    await replica.call('REPLICAOF', '127.0.0.1', String(first.port));
    await until(async () => (await replica.dbsize()) >= 6);
    await replica.call('REPLICAOF', 'NO', 'ONE'); // from here on it lags forever
    const pool = freshSitePool(stores.url);
    await pool.query('UPDATE contacts SET active = 0, version = version + 1 WHERE user_id = 1 AND contact_id = 18');
    await run(refresh([{ user: '1', contact: '18' }]), stores.steps);

    await first.kill();
    proxy.leadTo(second.url);
    const reads = trustedReads(stores.index, watch);
    const reading = await until(() => reads.read('1', 0, false));
    expect(reading).toMatchObject({ state: 'warm', epoch: `?${epoch}`, head: [{ id: '18' }, {}, {}, {}] }); // the lost write
    expect((await readEpoch(stores.primary)).token).not.toBe(epoch);
    const recent = recentContactsOn({ index: reads, primary: stores.primary }, LIMITS);
    const answer = await recent.find({ user: '1', relation: 'any', limit: 2, below: undefined });
    expect(answer).toMatchObject({ reason: 'cold', contacts: [{ id: '17' }, { id: '16' }] });
    await run(rebuild(USERS), stores.steps);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'after the failover');
  });
});

describe('fault 19: Redis restarts from an older file', () => {
  it('is not believed on a connection that is gone again, although the one after it is trusted', async () => {
    const { proxy, stores } = await behindProxy(redisUrl());
    const watch = await startWatch(stores);
    const thenBroken = async <T>(found: Promise<T>): Promise<T> => {
      await found;
      const before = watch.known()?.connection;
      proxy.leadTo(redisUrl());
      await until(() => ![undefined, before].includes(watch.known()?.connection));
      return found;
    };
    const { index } = stores;
    const reads = trustedReads(
      {
        read: (...asked) => thenBroken(index.read(...asked)),
        readMany: (...asked) => thenBroken(index.readMany(...asked)),
      },
      watch,
    );
    const message = /connected to again while it was read/;
    await expect(reads.read('1', 0, false)).rejects.toThrow(message);
    await expect(reads.readMany(['1', '2'], 0, false)).rejects.toThrow(message);
  });

  it('never answers from it, not even a read that was in flight when the server died', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'recency-older-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    await using server = await startRedis({ dir });
    const { proxy, stores } = await behindProxy(server.url);
    const watch = await startWatch(stores);
    const reads = trustedReads(stores.index, watch);
    const epoch = (await readEpoch(stores.primary)).token;
    await (stores.redis as unknown as { save(): Promise<string> }).save();
    const pool = freshSitePool(stores.url);
    await pool.query('UPDATE contacts SET active = 0, version = version + 1 WHERE user_id = 1 AND contact_id = 18');
    await run(refresh([{ user: '1', contact: '18' }]), stores.steps);

    proxy.loseReplies(1); // the read is sent again over the next connection
    const asked = reads.read('1', 0, false).catch(() => undefined);
    await server.kill();
    await server.restart();
    const reading = await asked;
    const { token } = await readEpoch(stores.primary);
    const isOld = reading?.state === 'warm' && reading.epoch === token && reading.head[0]?.id === '18';
    expect(isOld).toBe(false);
    await until(async () => (await readEpoch(stores.primary)).token !== epoch);
  });
});

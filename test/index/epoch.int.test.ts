import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ENDLESS } from '../../src/index/allowance.ts';
import {
  bumpEpoch,
  bumpKeepingSuspension,
  checkMysqlServer,
  checkRedisMasters,
  noteCaughtUp,
  suspendForLoss,
} from '../../src/index/epoch.ts';
import { EpochWatch } from '../../src/index/epoch-watch.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { Database } from '../../src/mysql/database.ts';
import { lockEpoch, readEpoch } from '../../src/mysql/epoch.ts';
import { isSuspended, serverOn } from '../../src/mysql/epoch-token.ts';
import { readEpochState } from '../../src/mysql/losses.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import type { RedisRole } from '../../src/mysql/redis-masters.ts';
import type { ReplacedServers } from '../../src/mysql/replaced-servers.ts';
import { readServer } from '../../src/mysql/server-record.ts';
import { SETTING } from '../../src/mysql/settings.ts';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { RedisNotOnRecord, readMasters } from '../../src/redis/masters.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { ownershipOf } from '../support/epoch-watch.ts';
import { putOnRecord, replaceMasters } from '../support/on-record.ts';
import { freshDatabase, redisUrl } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

let database: Database;
let url: string;

beforeEach(async () => {
  url = await freshDatabase();
  await migrate({ url, viewsOnly: true });
  database = new Database(url, { connections: 4, queue: 100, deadlineMs: 60_000 });
  return () => database.close();
});

async function connect(url: string): Promise<RedisClient> {
  const client = openRedis(url, { commandTimeoutMs: 2_000, connectTimeoutMs: 2_000, name: 'test' });
  onTestFinished(() => client.disconnect());
  await untilReady(client, 10_000);
  return client;
}

const token = async () => (await readEpoch(database)).token;

const OF_INDEXES = { roles: ['index'], ownership: undefined } as const;

const compare = async (client: RedisClient, roles: readonly RedisRole[] = ['index']) =>
  (await checkRedisMasters(database, await readMasters(client), { roles, ownership: undefined })).recorded;

const ownership = (redis: RedisClient) => ownershipOf({ redis, primary: database, prefix: 'p' });

describe('a new epoch', () => {
  it('has another token, and says why it began', async () => {
    const before = await token();
    const after = await bumpEpoch(database, 'restored from the backup of Monday');
    expect(after).not.toBe(before);
    expect(after).toMatch(/^[\w-]{8}$/);
    expect(await readEpoch(database)).toMatchObject({ token: after, why: 'restored from the backup of Monday' });
  });

  it('is of the server on record, whatever begins it', async () => {
    await checkMysqlServer(database);
    const { proof } = await readServer(database);
    const ways = [
      () => bumpEpoch(database, 'a test'),
      () => bumpKeepingSuspension(database, 'a test'),
      () => suspendForLoss(database, ['a place'], 'a test'),
      () => bumpKeepingSuspension(database, 'while it is suspended'),
      async () => noteCaughtUp(database, await readEpochState(database), { ends: new Map(), passed: ['a place'] }),
    ];
    const tokens = [await token()];
    for (const begin of ways) {
      await begin();
      expect(serverOn(await token())).toBe(proof);
      expect(tokens).not.toContain(await token());
      tokens.push(await token());
    }
    expect(tokens.map(isSuspended)).toEqual([false, false, false, true, true, false]);
  });
});

describe('a Redis master', () => {
  it('begins a new epoch if it is the first: the database may be a copy, whose indexes know nothing of it', async () => {
    const before = await token();
    const client = await connect(redisUrl());
    expect(await compare(client)).toBe('first');
    const after = await token();
    expect(after).not.toBe(before);
    expect(await compare(client)).toBe('known');
    expect(await token()).toBe(after);
  });

  it('begins one new epoch if it is another one, however many processes see it at once', async () => {
    await using other = await startRedis();
    await compare(await connect(redisUrl()));
    const before = await token();
    const client = await connect(other.url);
    const seen = await Promise.all([1, 2, 3, 4].map(() => compare(client)));
    expect(seen.sort()).toEqual(['known', 'known', 'known', 'new_epoch']);
    expect(await token()).not.toBe(before);
    expect((await readEpoch(database)).why).toContain(`another Redis master: ${new URL(other.url).host} `);
  });

  it('is refused while the one that took its place is in use; later it begins one too: it missed the writes since', async () => {
    await using other = await startRedis();
    const first = await connect(redisUrl());
    const second = await connect(other.url);
    await compare(first);
    await compare(second);
    const before = await token();
    for (const again of ['refused', 'still refused']) {
      await expect(compare(first), again).rejects.toThrow(RedisNotOnRecord);
      expect(await compare(second)).toBe('known');
    }
    expect(await token()).toBe(before);
    await wereSeen('index', 31_000);
    expect(await compare(first)).toBe('new_epoch');
    await expect(compare(second)).rejects.toThrow(RedisNotOnRecord);
  });

  it('is refused for as long as it tries, and no longer remembered ten minutes after', async () => {
    await using other = await startRedis();
    const [first, second] = [await connect(redisUrl()), await connect(other.url)];
    for (const client of [first, second]) await compare(client);
    await wereSeen('index', 601_000);
    expect(await compare(second)).toBe('known');
    expect(await replacedNow('index')).toEqual({});
    expect(await compare(first)).toBe('new_epoch');
  });

  it('is refused for every role, and comes on record for none, where it is refused for one', async () => {
    await using other = await startRedis();
    const [first, second] = [await connect(redisUrl()), await connect(other.url)];
    await compare(first, ['streams']);
    await compare(second, ['streams']);
    const before = await token();
    await expect(compare(first, ['index', 'streams'])).rejects.toThrow(RedisNotOnRecord);
    expect(await token()).toBe(before);
    expect(await compare(second, ['index', 'streams'])).toBe('first');
  });

  it('is one of up to a thousand in a cluster', async () => {
    const masters = Array.from({ length: 1_000 }, (_, place) => {
      return { address: `redis-${place}:6379`, runId: randomUUID(), replicationId: randomUUID() };
    });
    expect(await checkRedisMasters(database, masters, OF_INDEXES)).toMatchObject({ recorded: 'first' });
    expect(await checkRedisMasters(database, masters, OF_INDEXES)).toMatchObject({ recorded: 'known' });
    const [, ...others] = masters;
    const instead = { address: 'redis-0:6379', runId: randomUUID(), replicationId: randomUUID() };
    expect(await checkRedisMasters(database, [instead, ...others], OF_INDEXES)).toMatchObject({
      recorded: 'new_epoch',
    });
    expect(await checkRedisMasters(database, [instead], OF_INDEXES)).toMatchObject({ recorded: 'known' });
    const back = await checkRedisMasters(database, masters, OF_INDEXES);
    expect(back, 'it comes with others that are in use').toMatchObject({ recorded: 'new_epoch' });
    await expect(checkRedisMasters(database, [instead], OF_INDEXES), 'alone it takes turns').rejects.toThrow(
      RedisNotOnRecord,
    );
  });

  it('cannot be used if it is a replica', async () => {
    await using other = await startRedis();
    const client = await connect(other.url);
    await (client as unknown as { replicaof(host: string, port: number): Promise<string> }).replicaof('127.0.0.1', 1);
    await expect(compare(client)).rejects.toThrow(/is a replica/);
  });
});

/** What is known of the masters of a role that were replaced. */
async function replacedOf(role: RedisRole): Promise<ReplacedServers> {
  const [[value] = []] = await database.rows(SETTING.read, [`redis:${role}:replaced`]);
  return JSON.parse(String(value));
}

const replacedNow = async (role: RedisRole) => (await replacedOf(role)).replaced;

/** As if all of that had been so long ago, ms. */
async function wereSeen(role: RedisRole, ago: number): Promise<void> {
  const { seenAt, replaced } = await replacedOf(role);
  const earlier = Object.fromEntries(Object.entries(replaced).map(([digest, at]) => [digest, at - ago]));
  await database.write(SETTING.write, [
    `redis:${role}:replaced`,
    JSON.stringify({ seenAt: seenAt - ago, replaced: earlier }),
  ]);
}

describe('a MySQL server', () => {
  it('is the same on every connection', async () => {
    const { identity } = await readServer(database);
    expect(identity).toMatch(/^(uuid|place):\S{20,}$/);
    expect((await readServer(database)).identity).toBe(identity);
    const before = await token();
    expect(await checkMysqlServer(database)).toBe('first');
    const after = await token();
    expect(after, 'the database may be a copy of one whose indexes are in use').not.toBe(before);
    expect(await checkMysqlServer(database)).toBe('known');
    expect(await token()).toBe(after);
  });

  it('that is known is compared without a lock, which others may hold', async () => {
    await checkMysqlServer(database);
    await database.transaction(async (connection) => {
      await lockEpoch(connection);
      expect(await checkMysqlServer(database)).toBe('known');
    });
  });

  it('begins a new epoch if it is another one than before', async () => {
    await checkMysqlServer(database);
    const before = await token();
    await putOnRecord(database);
    expect(await checkMysqlServer(database)).toBe('new_epoch');
    expect(await token()).not.toBe(before);
    expect(await checkMysqlServer(database)).toBe('known');
  });
});

/** A database whose query for the known masters waits until it is released. */
class HaltedDatabase extends Database {
  readonly halts: PromiseWithResolvers<void>[] = [];
  readonly answers: Promise<unknown>[] = [];
  isHalting = false;

  override rows(...asked: Parameters<Database['rows']>) {
    if (!this.isHalting || asked[0] !== SETTING.read) return super.rows(...asked);
    const halt = Promise.withResolvers<void>();
    const answer = halt.promise.then(() => super.rows(...asked));
    this.halts.push(halt);
    this.answers.push(answer);
    return answer;
  }
}

describe('the watch', () => {
  async function watch(client: RedisClient, intervalMs = 60_000, roles?: readonly RedisRole[]) {
    const told: string[] = [];
    const onNewEpoch = () => told.push('new epoch');
    const watching = new EpochWatch({
      ...{ client, database, logger, intervalMs, onNewEpoch, ...(roles ? { roles } : {}) },
      ownership: ownership(client),
    });
    onTestFinished(() => watching.stop());
    await watching.start();
    return { watching, told };
  }

  it('begins a new epoch when Redis restarts with an older state, and trusts nothing before', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'recency-epoch-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    await using server = await startRedis({ dir });
    const client = await connect(server.url);
    const index = new RedisContactIndex(client, {
      max: 24,
      min: 12,
      prefix: 'p',
      freshNonce: () => Math.random().toString(36),
    });
    const { watching, told } = await watch(client);
    const reads = trustedReads(index, watching);
    const epoch = await token();
    const [seen = ''] = await index.claim(['1']);
    await index.replace(epoch, [{ user: '1', seen, top: [{ id: '2', at: 5 }], allowance: ENDLESS }]);
    await (client as unknown as { save(): Promise<string> }).save();
    expect(await reads.read('1', 0, false)).toMatchObject({ state: 'warm', epoch });

    await server.kill();
    await until(() => !watching.isTrusted());
    await expect(reads.read('1', 0, false)).rejects.toThrow(RedisUnavailable);
    await server.restart();
    const reading = await until(() => reads.read('1', 0, false));
    expect(reading).toMatchObject({ state: 'warm', epoch: `?${epoch}` }); // the old index is back,
    expect(await token()).not.toBe(epoch); // and counted as cold before anybody could read it
    await until(() => told.length > 0);
    expect(told).toEqual(['new epoch']);
  });

  it('knows the master of the streams apart from that of the indexes; both lost at once are one new epoch', async () => {
    const client = await connect(redisUrl());
    expect(await compare(client, ['index', 'streams'])).toBe('first');
    expect(await compare(client, ['streams'])).toBe('known');
    await replaceMasters(url, 'streams');
    const before = await token();
    expect(await compare(client, ['index'])).toBe('known');
    expect(await compare(client, ['streams'])).toBe('new_epoch');
    const after = await token();
    expect(after).not.toBe(before);
    expect(await compare(client, ['index', 'streams'])).toBe('known');
    for (const role of ['index', 'streams'] as const) await replaceMasters(url, role);
    const { told } = await watch(client, 10_000, ['index', 'streams']);
    expect(told).toEqual(['new epoch']);
    expect(await token()).not.toBe(after);
  });

  it('uses the comparison that began last, however late an older one ends', async () => {
    const halting = new HaltedDatabase(url, { connections: 4, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => halting.close());
    await using proxy = await TcpProxy.before(redisUrl());
    const client = await connect(proxy.url);
    const watching = new EpochWatch({
      ...{ client, database: halting, logger, intervalMs: 3_600_000 },
      ownership: ownership(client),
    });
    onTestFinished(() => watching.stop());
    await watching.start();

    for (const late of [undefined, new Error('the connection of the statement broke')]) {
      halting.isHalting = true;
      proxy.leadTo(redisUrl());
      await until(() => halting.halts.length > 0 && client.status === 'ready');
      halting.isHalting = false;
      proxy.leadTo(redisUrl());
      await until(() => client.status === 'ready' && watching.isTrusted());
      for (const { resolve, reject } of halting.halts.splice(0)) late ? reject(late) : resolve();
      await Promise.allSettled(halting.answers);
      await new Promise(setImmediate); // what follows from the answers has followed
      expect(watching.isTrusted()).toBe(true);
    }
  });

  it('also compares periodically', async () => {
    const { told } = await watch(await connect(redisUrl()), 50);
    await replaceMasters(url, 'index');
    await until(() => told.length > 0);
    await putOnRecord(database);
    await until(() => told.length > 1);
  });

  it('reports at its start that MySQL or Redis is unavailable', async () => {
    const client = openRedis('redis://127.0.0.1:1', { commandTimeoutMs: 500, connectTimeoutMs: 500, name: 'test' });
    onTestFinished(() => client.disconnect());
    const watching = new EpochWatch({ client, database, logger, ownership: ownership(client) });
    onTestFinished(() => watching.stop());
    await expect(watching.start()).rejects.toThrow(RedisUnavailable);
    expect(watching.isTrusted()).toBe(false);
  });
});

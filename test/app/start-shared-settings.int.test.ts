import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  adoptSettings,
  agreedSettings,
  agreeOnSettings,
  compareSettings,
  watchSettings,
} from '../../src/app/shared-settings.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Key } from '../../src/contracts/key.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { Database } from '../../src/mysql/database.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { freshDatabase, freshPrefix, redisUrl } from '../support/servers.ts';

let database: Database;

beforeEach(async () => {
  const url = await freshDatabase();
  await migrate({ url, viewsOnly: true });
  database = new Database(url, { connections: 4, queue: 100, deadlineMs: 10_000 });
  return () => database.close();
});

describe('settings that every process must share', () => {
  it('are recorded by the first process', async () => {
    const config = loadConfig({ RECENCY_KEY_PREFIX: 'a' });
    expect(await agreeOnSettings(database, config)).toEqual([]);
    expect(await agreeOnSettings(database, config)).toEqual([]);
    expect(await compareSettings(database, config)).toEqual([]);
  });

  it.each([
    ['RECENCY_KEY_PREFIX', 'b'],
    ['RECENCY_TRANSPORT', 'kafka'],
    ['RECENCY_TOPIC', 'b.tasks'],
    ['RECENCY_KAFKA_GROUP', 'b'],
    ['RECENCY_KINDS', 'contacts,groups'],
    ['RECENCY_SEPARATE_IDS', 'true'],
  ])('%s: a process with a different value is refused until the value is adopted', async (name, value) => {
    await agreeOnSettings(database, loadConfig({}));
    const other = loadConfig({ [name]: value });
    await expect(agreeOnSettings(database, other)).rejects.toThrow(
      new RegExp(`^${name} is "${value}" here.*config adopt`, 's'),
    );
    expect(await compareSettings(database, other)).toMatchObject([{ name, here: value, refused: true }]);
    await adoptSettings(database, other);
    expect(await agreeOnSettings(database, other)).toEqual([]);
    await expect(agreeOnSettings(database, loadConfig({}))).rejects.toThrow(name);
  });

  it('STREAMS_URL: only whether tasks have a separate Redis is compared; hosts may use different addresses for it', async () => {
    const apart = loadConfig({ RECENCY_STREAMS_URL: 'redis://:secret@one:6379' });
    await agreeOnSettings(database, apart);
    expect(await agreeOnSettings(database, loadConfig({ RECENCY_STREAMS_URL: 'redis://two:6379' }))).toEqual([]);
    const together = agreeOnSettings(database, loadConfig({}));
    await expect(together).rejects.toThrow(/^RECENCY_STREAMS_URL is "not set" here.*use "set"/s);
    await adoptSettings(database, loadConfig({ RECENCY_TRANSPORT: 'kafka', RECENCY_STREAMS_URL: 'redis://one:6379' }));
    expect(await agreeOnSettings(database, loadConfig({ RECENCY_TRANSPORT: 'kafka' }))).toEqual([]);
  });

  it('MAX and MIN: a process with different values starts, with a warning', async () => {
    await agreeOnSettings(database, loadConfig({}));
    const other = loadConfig({ RECENCY_MAX: '20' });
    expect(await agreeOnSettings(database, other)).toEqual([
      { name: 'RECENCY_MAX', here: '20', remembered: '24', refused: false },
    ]);
    expect(await agreeOnSettings(database, other)).toEqual([]);
  });

  it('are not recorded by a read-only command', async () => {
    const other = loadConfig({ RECENCY_TOPIC: 'b.tasks', RECENCY_MAX: '20' });
    expect(await agreedSettings(database, other)).toEqual([]);
    await agreeOnSettings(database, loadConfig({}));
    await expect(agreedSettings(database, other)).rejects.toThrow(/RECENCY_TOPIC/);
    expect(await agreedSettings(database, loadConfig({ RECENCY_MAX: '20' }))).toMatchObject([{ refused: false }]);
    expect(await agreeOnSettings(database, loadConfig({}))).toEqual([]);
  });
});

describe('a process that runs', () => {
  it('ends if other settings are adopted meanwhile', async () => {
    const config = loadConfig({});
    await agreeOnSettings(database, config);
    const stop = new AbortController();
    const watching = watchSettings({ config, logger: pino({ level: 'silent' }) }, database, stop.signal, 20);
    await agreeOnSettings(database, loadConfig({ RECENCY_MAX: '30' })); // which any process may
    await adoptSettings(database, loadConfig({ RECENCY_KEY_PREFIX: 'b' }));
    await expect(watching).rejects.toThrow(/RECENCY_KEY_PREFIX is "recency" here/);
  });

  it('stops watching at the signal', async () => {
    const stop = new AbortController();
    const context = { config: loadConfig({}), logger: pino({ level: 'silent' }) };
    const watching = watchSettings(context, database, stop.signal, 20);
    stop.abort();
    await watching;
  });
});

describe('an index built with a different MAX or MIN', () => {
  const prefix = freshPrefix();
  const top = (count: number): Key[] => Array.from({ length: count }, (_, i) => ({ id: String(i + 1), at: 1_000 - i }));

  async function indexOf(made: { max: number; min: number }, size: number) {
    const client = openRedis(redisUrl(), { commandTimeoutMs: 2_000, connectTimeoutMs: 2_000, name: 'test' });
    onTestFinished(() => client.disconnect());
    await untilReady(client, 10_000);
    const freshNonce = () => randomBytes(9).toString('base64url');
    const open = (limits: { max: number; min: number }) =>
      new RedisContactIndex(client, { ...limits, prefix, freshNonce });
    const index = open(made);
    await index.drop(['1']);
    const [seen = ''] = await index.claim(['1']);
    await index.replace('epoch', [{ user: '1', seen, top: top(size) }]);
    return async (now: { max: number; min: number }, changes: Key[]) => {
      const changed = open(now);
      const [nonce = ''] = await changed.nonces(['1']);
      const [outcome] = await changed.apply('epoch', [{ user: '1', seen: nonce, changes }]);
      return { outcome, reading: await changed.read('1', 0, false) };
    };
  }

  it.each([
    ['an addition', [{ id: '99', at: 2_000 }], ['99', '1', '2', '3'], '4'],
    ['a removal', [{ id: '2', at: 0 }], ['1', '3', '4', '5'], '6'],
    ['nothing new', [{ id: '77', at: 1 }], ['1', '2', '3', '4'], '5'],
  ])('is cut to the new max by %s, and the floor is the best that was cut', async (_what, changes, left, floor) => {
    const apply = await indexOf({ max: 8, min: 2 }, 9);
    const { outcome, reading } = await apply({ max: 4, min: 2 }, changes);
    expect(outcome).toBe('applied');
    if (reading.state !== 'warm') throw new Error(reading.state);
    expect(reading.head.map(({ id }) => id)).toEqual(left);
    expect(reading.size).toBe(left.length);
    expect(reading.floor?.id).toBe(floor);
  });

  it('is due for a rebuild under a greater min', async () => {
    const apply = await indexOf({ max: 8, min: 2 }, 9);
    expect((await apply({ max: 16, min: 9 }, [{ id: '77', at: 1 }])).outcome).toBe('rebuild_due');
  });
});

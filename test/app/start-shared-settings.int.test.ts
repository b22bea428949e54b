import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { adopt } from '../../src/app/adopt-settings.ts';
import {
  adoptSettings,
  agreedSettings,
  agreeOnSettings,
  compareSettings,
  watchSettings,
} from '../../src/app/shared-settings.ts';
import { inForce, setSize } from '../../src/app/shared-sizes.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Environment } from '../../src/config/environment.ts';
import type { Key } from '../../src/contracts/key.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { Database } from '../../src/mysql/database.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { groupHistory } from '../../src/mysql/settings.ts';
import { streamRecord } from '../../src/mysql/stream-record.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { freshDatabase, freshPrefix, redisUrl } from '../support/servers.ts';

let url: string;
let database: Database;

beforeEach(async () => {
  url = await freshDatabase();
  await migrate({ url, viewsOnly: true });
  database = new Database(url, { connections: 4, queue: 100, deadlineMs: 60_000 });
  return () => database.close();
});

describe('settings that every process must share', () => {
  it('are recorded by the first process', async () => {
    const config = loadConfig({ RECENCY_KEY_PREFIX: 'a' });
    await agreeOnSettings(database, config);
    await agreeOnSettings(database, config);
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
    expect(await compareSettings(database, other)).toMatchObject([{ name, here: value }]);
    await adoptSettings(database, other);
    await agreeOnSettings(database, other);
    await expect(agreeOnSettings(database, loadConfig({}))).rejects.toThrow(name);
  });

  it('STREAMS_URL: only whether tasks have a separate Redis is compared; hosts may use different addresses for it', async () => {
    const apart = loadConfig({ RECENCY_STREAMS_URL: 'redis://:secret@one:6379' });
    await agreeOnSettings(database, apart);
    await agreeOnSettings(database, loadConfig({ RECENCY_STREAMS_URL: 'redis://two:6379' }));
    const together = agreeOnSettings(database, loadConfig({}));
    await expect(together).rejects.toThrow(/^RECENCY_STREAMS_URL is "not set" here.*use "set"/s);
    await adoptSettings(database, loadConfig({ RECENCY_TRANSPORT: 'kafka', RECENCY_STREAMS_URL: 'redis://one:6379' }));
    await agreeOnSettings(database, loadConfig({ RECENCY_TRANSPORT: 'kafka' }));
  });

  it('MYSQL_URL: a process on a copy beside the database is refused, by whatever address and user it connects', async () => {
    const at = (url: string) => loadConfig({ RECENCY_MYSQL_URL: url });
    await agreeOnSettings(database, at('mysql://root:secret@a/recency'));
    await agreeOnSettings(database, at('mysql://other@b:3307/recency'));
    const refused = agreeOnSettings(database, at('mysql://root:secret@a/copy'));
    await expect(refused).rejects.toThrow(/^RECENCY_MYSQL_URL is "database copy" here.*use "database recency"/s);
    await expect(refused).rejects.not.toThrow('secret');
  });

  it.each([
    ['REDIS_URL', 'redis://a/0', 'redis://b/1'],
    ['REDIS_URL', 'redis://a', 'redis://a?db=3'],
    ['REDIS_URL', 'redis+sentinel://a:26379/main', 'redis+sentinel://a:26379/main/2'],
    ['STREAMS_URL', 'redis://:secret@a:6379', 'redis://:secret@b:6379/1'],
  ])(
    '%s: a process on another database of the server is refused, whatever the address',
    async (setting, one, other) => {
      const name = `RECENCY_${setting}`;
      await agreeOnSettings(database, loadConfig({ [name]: one }));
      const refused = agreeOnSettings(database, loadConfig({ [name]: other }));
      await expect(refused).rejects.toThrow(new RegExp(`^${name} is "database [123]" here.*use "database 0"`, 's'));
      await expect(refused).rejects.not.toThrow('secret');
      await agreeOnSettings(database, loadConfig({ [name]: one.replace('a', 'c') }));
    },
  );

  it('the databases of a cluster, and those of the transport kafka, are not compared', async () => {
    const cluster = loadConfig({ RECENCY_REDIS_URL: 'redis://a:1,redis://b:2/0' });
    await agreeOnSettings(database, cluster);
    await agreeOnSettings(database, loadConfig({ RECENCY_REDIS_URL: 'redis://a:1/0' }));
  });

  it('are not recorded by a read-only command', async () => {
    const other = loadConfig({ RECENCY_TOPIC: 'b.tasks', RECENCY_MAX: '20' });
    await agreedSettings(database, other);
    await agreeOnSettings(database, loadConfig({}));
    await expect(agreedSettings(database, other)).rejects.toThrow(/RECENCY_TOPIC/);
    await expect(agreedSettings(database, loadConfig({ RECENCY_MAX: '20' }))).rejects.toThrow(/RECENCY_MAX/);
    await agreeOnSettings(database, loadConfig({}));
  });
});

describe('a size', () => {
  const signal = new AbortController().signal;
  const own = (environment: Environment = {}) => loadConfig({ RECENCY_MYSQL_URL: url, ...environment });
  const inForceWith = async (environment: Environment) => (await inForce({ config: own(environment), signal })).config;

  it.each([
    ['MAX', '20', '24'],
    ['MIN', '11', '12'],
    ['INDEX_ABOVE', '0', '64'],
    ['KEEP', '1000000', '1'],
  ])(
    '%s: a process whose environment has another value is refused, and changes nothing',
    async (size, here, shared) => {
      await agreeOnSettings(database, own());
      const name = `RECENCY_${size}`;
      const other = agreeOnSettings(database, await inForceWith({ [name]: here }));
      const command = `recency config set ${size.toLowerCase()} ${here}`;
      await expect(other).rejects.toThrow(`${name} is ${here} here, but ${shared} for all processes.`);
      await expect(other).rejects.toThrow(command);
      await agreeOnSettings(database, await inForceWith({ [name]: shared }));
    },
  );

  it('is what the first process has, for those whose environment does not name it', async () => {
    await agreeOnSettings(database, await inForceWith({ RECENCY_MAX: '50', RECENCY_MIN: '40' }));
    expect(await inForceWith({})).toMatchObject({ max: 50, min: 40, indexAbove: 64 });
    await agreeOnSettings(database, await inForceWith({}));
  });

  it('that is changed for all is used from the next start on, and refused to those who name the former one', async () => {
    await agreeOnSettings(database, own());
    expect(await setSize(database, 'max', '50')).toEqual({ name: 'RECENCY_MAX', value: '50', before: '24' });
    expect(await setSize(database, 'RECENCY_MAX', '50')).toMatchObject({ value: '50', before: '50' });
    expect((await inForceWith({})).max).toBe(50);
    await expect(agreeOnSettings(database, await inForceWith({ RECENCY_MAX: '24' }))).rejects.toThrow(
      /^RECENCY_MAX is 24 here, but 50 for all/,
    );
    await expect(agreeOnSettings(database, own())).rejects.toThrow(/start it again/);
  });

  it.each([
    ['MAX', '12', /RECENCY_MIN must be less than RECENCY_MAX/],
    ['min', '9', /RECENCY_MIN must be at least 10/],
    ['MAX', '128', /whole number from 1 to 127/],
    ['TOPIC', 'b', /changes MAX, MIN, INDEX_ABOVE, KEEP; TOPIC is not one of them/],
  ])('%s cannot become %s', async (name, value, why) => {
    await agreeOnSettings(database, own());
    await expect(setSize(database, name, value)).rejects.toThrow(why);
    expect(await inForceWith({})).toMatchObject({ max: 24, min: 12 });
  });
});

describe('adopting other settings', () => {
  it('forgets what was published to the streams of before, and who consumed them, which the new ones need not have', async () => {
    await agreeOnSettings(database, loadConfig({}));
    const record = streamRecord(database, 'recency:recency.tasks');
    await record.replace(undefined, { origin: 'a', added: 7, last: '7-0' });
    const group = groupHistory(database, 'streams:recency:recency.tasks:recency');
    await group.recordStart();
    await adopt(database, loadConfig({}));
    expect([await record.read(), await group.hasStarted()]).toEqual([expect.anything(), true]);
    await adopt(database, loadConfig({ RECENCY_STREAMS_URL: 'redis://tasks:6379' }));
    expect([await record.read(), await group.hasStarted()]).toEqual([undefined, false]);
  });

  it('of which one was never recorded begins an epoch: nobody knows whether it is the same', async () => {
    const config = loadConfig({ RECENCY_TRANSPORT: 'kafka' });
    await agreeOnSettings(database, config);
    const { token } = await readEpoch(database);
    const transport = { location: async () => new Map([['KAFKA_BROKERS:cluster', 'cluster A']]) };
    const { changed, epoch } = await adopt(database, config, transport);
    expect(changed).toEqual([{ name: 'RECENCY_KAFKA_BROKERS', here: 'cluster A', remembered: 'not known' }]);
    expect(epoch).not.toBe(token);
    expect(await adopt(database, config, transport)).toMatchObject({ changed: [], epoch });
  });

  /** A database whose client is killed in front of a statement that changes something. */
  class Killed extends Database {
    at: 'transaction' | 'write' | undefined;

    override async transaction<T>(...work: Parameters<Database['transaction']>): Promise<T> {
      if (this.at === 'transaction') throw new Error('killed');
      return (await super.transaction(...work)) as T;
    }

    override async write(...statement: Parameters<Database['write']>): ReturnType<Database['write']> {
      if (this.at === 'write') throw new Error('killed');
      return await super.write(...statement);
    }
  }

  it.each(['transaction', 'write'] as const)(
    'killed in front of a %s and repeated: no index of before is trusted',
    async (step) => {
      const killed = new Killed(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
      onTestFinished(() => killed.close());
      await agreeOnSettings(database, loadConfig({}));
      const before = await readEpoch(database);
      const other = loadConfig({ RECENCY_KEY_PREFIX: 'b' });
      killed.at = step;
      await expect(adopt(killed, other)).rejects.toThrow('killed');
      const { epoch } = await adopt(database, other);
      expect(epoch).not.toBe(before.token);
      expect(await compareSettings(database, other)).toEqual([]);
      expect(await adopt(database, other)).toEqual({ changed: [], epoch, suspended: false });
    },
  );
});

describe('a process that runs', () => {
  it('ends if other settings are adopted meanwhile', async () => {
    const config = loadConfig({});
    await agreeOnSettings(database, config);
    const stop = new AbortController();
    const watching = watchSettings(
      { config, logger: pino({ level: 'silent' }) },
      { primary: database },
      stop.signal,
      20,
    );
    await setSize(database, 'max', '30'); // which ends no process
    await adoptSettings(database, loadConfig({ RECENCY_KEY_PREFIX: 'b' }));
    await expect(watching).rejects.toThrow(/RECENCY_KEY_PREFIX is "recency" here/);
  });

  it('stops watching at the signal', async () => {
    const stop = new AbortController();
    const context = { config: loadConfig({}), logger: pino({ level: 'silent' }) };
    const watching = watchSettings(context, { primary: database }, stop.signal, 20);
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
    await index.replace('epoch', [{ user: '1', seen, top: top(size), allowance: ENDLESS }]);
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

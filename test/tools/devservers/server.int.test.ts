import { copyFileSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mayInstall } from '../../../src/tools/devservers/given.ts';
import { findProgram } from '../../../src/tools/devservers/launch/machine.ts';
import { type RunningServer, startKafka, startMysql, startRedis } from '../../../src/tools/devservers/start-server.ts';
import { isAlive, SUPERVISOR_FILE } from '../../../src/tools/devservers/supervisor/reaper.ts';
import { hasKafka, sql } from '../../support/servers.ts';

async function redisCommand<T>(server: RunningServer, run: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url, { retryStrategy: () => null });
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('missing programs are installed for the tests of a checkout', () => {
  expect(mayInstall(process.env)).toBe(true);
});

describe('a Redis of one’s own', () => {
  it('answers on loopback, and is gone with its data when it is removed', async () => {
    const server = await startRedis();
    // A container of a daemon elsewhere answers at that daemon's address.
    if (server.pid !== undefined) expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await redisCommand(server, (redis) => redis.ping())).toBe('PONG');
    await server.remove();
    await expect(redisCommand(server, (redis) => redis.ping())).rejects.toThrow();
    if (server.pid !== undefined) expect(isAlive(server.pid)).toBe(false);
    if (server.facts.dir !== undefined) expect(existsSync(server.facts.dir)).toBe(false);
  });

  it('takes more arguments, and keeps nothing over a restart unless they say so', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction', '--hz', '20'] });
    const setting = await redisCommand(server, (redis) => redis.config('GET', 'hz'));
    expect(setting).toEqual(['hz', '20']);
    await redisCommand(server, (redis) => redis.set('k', '1'));
    const before = server.pid;
    await server.restart();
    expect(await redisCommand(server, (redis) => redis.get('k'))).toBeNull();
    if (before !== undefined) expect(server.pid).not.toBe(before);
  });

  it('starts again on the same port from an older dump after a kill', async () => {
    const dir = freshFolder();
    await using server = await startRedis({ dir });
    const { port } = server;
    await redisCommand(server, (redis) => redis.set('k', 'old').then(() => redis.call('SAVE')));
    copyFileSync(join(dir, 'dump.rdb'), join(dir, 'old.rdb'));
    await redisCommand(server, (redis) => redis.set('k', 'new').then(() => redis.call('SAVE')));
    await server.kill();
    copyFileSync(join(dir, 'old.rdb'), join(dir, 'dump.rdb'));
    await server.restart();
    expect(server.port).toBe(port);
    expect(await redisCommand(server, (redis) => redis.get('k'))).toBe('old');
  });

  it('leaves a directory of the caller’s alone', async () => {
    const dir = freshFolder();
    const server = await startRedis({ dir });
    await redisCommand(server, (redis) => redis.call('SAVE'));
    await server.remove();
    expect(existsSync(join(dir, 'dump.rdb'))).toBe(true);
  });

  it('says what is wrong when its fixed port is taken', async () => {
    await using first = await startRedis();
    await expect(startRedis({ port: first.port })).rejects.toThrow(/in use|already allocated/i);
  });

  it('can be held by a signal and let go', async () => {
    await using server = await startRedis();
    // What is asked while it connects has no limit: the server has just started.
    const later = { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null };
    const redis = new Redis(server.url, { ...later, commandTimeout: 300 });
    onTestFinished(() => redis.disconnect());
    await redis.connect();
    await server.kill('SIGSTOP');
    await expect(redis.ping()).rejects.toThrow('timed out');
    await server.kill('SIGCONT');
    expect(await redisCommand(server, (again) => again.ping())).toBe('PONG');
  });
});

describe('a MySQL of one’s own', () => {
  it('leaves the temporary tables of other servers alone', async () => {
    const folder = freshFolder();
    const table = join(folder, '#sql-temptable-1-1-1.MAI');
    writeFileSync(table, '');
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using _server = await startMysql();
    expect(existsSync(table)).toBe(true);
  });

  it('keeps what was committed when it is killed and started again', async () => {
    await using server = await startMysql({ args: ['--wait-timeout=77'] });
    const { port } = server;
    await sql(server.url, 'CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY)');
    await sql(server.url, 'INSERT INTO t VALUES (18446744073709551615)');
    await server.kill();
    await expect(sql(server.url, 'SELECT 1')).rejects.toThrow();
    await server.restart();
    expect(server.port).toBe(port);
    expect(await sql(server.url, 'SELECT CAST(id AS CHAR) AS id, @@wait_timeout AS timeout FROM t')).toEqual([
      { id: '18446744073709551615', timeout: 77 },
    ]);
  });
});

describe.runIf(hasKafka())('a Kafka of one’s own', () => {
  it('keeps its topics when it is killed and started again', async () => {
    await using server = await startKafka();
    await withAdmin(server, (admin) => admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 3 }] }));
    await server.kill();
    await server.restart();
    expect(await withAdmin(server, (admin) => admin.listTopics())).toEqual(['kept']);
  });

  it('says what is wrong when its fixed port is taken', async () => {
    await using first = await startRedis();
    await expect(startKafka({ port: first.port })).rejects.toThrow(/in use|already allocated/i);
  });
});

async function withAdmin<T>(
  server: RunningServer,
  work: (admin: ReturnType<Kafka['admin']>) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({ clientId: 'test', brokers: [server.url], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

describe.runIf(process.platform === 'linux' && findProgram('redis-server') !== undefined)(
  'the supervisor of a server',
  () => {
    it('is not needed for the end: its server ends even if it was killed', async () => {
      const server = await startRedis({ from: 'programs', dir: freshFolder() });
      const run = dirname(dirname(readlinkSync(`/proc/${server.pid}/fd/1`)));
      process.kill(Number(readFileSync(join(run, SUPERVISOR_FILE), 'utf8')), 'SIGKILL');
      await server.remove();
      expect(isAlive(server.pid ?? 0)).toBe(false);
      expect(existsSync(run)).toBe(false);
      await expect(server.restart()).rejects.toThrow('the servers’ supervisor has ended');
    });
  },
);

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportLines } from '../../../src/tools/devservers/detached.ts';
import type { LaunchContext } from '../../../src/tools/devservers/launch/instance.ts';
import { launch } from '../../../src/tools/devservers/launch/launch.ts';
import { type LaunchedServer, PartUnavailable } from '../../../src/tools/devservers/server.ts';
import { describePart, gatherParts } from '../../../src/tools/devservers/stack.ts';

const redis: LaunchedServer = {
  name: 'redis',
  product: 'Redis',
  version: '7.0.15',
  origin: 'program',
  source: '/usr/bin/redis-server',
  url: 'redis://127.0.0.1:6400',
  host: '127.0.0.1',
  port: 6400,
};

describe('a server that cannot be had', () => {
  const context = { signal: new AbortController().signal } as LaunchContext;
  const ways = { containers: async () => 'no daemon', programs: async () => 'no program' };

  it('is reported with every reason and how to get it', async () => {
    const attempt = launch({ name: 'redis' }, context, ways);
    await expect(attempt).rejects.toThrow(PartUnavailable);
    await expect(attempt).rejects.toThrow(/Redis cannot be had: no daemon; no program. .* RECENCY_REDIS_URL/);
  });

  it.each([
    ['containers', 'no daemon'],
    ['programs', 'no program'],
  ] as const)('is only looked for in %s when that is forced', async (from, reason) => {
    await expect(launch({ name: 'redis', from }, context, ways)).rejects.toThrow(`had: ${reason}. To`);
  });

  const owner = {
    launch: async ({ name }: { name: string }) => {
      if (name === 'redis') return { server: 1, facts: redis };
      throw new PartUnavailable(`no ${name}`);
    },
  };

  it('is only missing when it is Kafka', async () => {
    const parts = await gatherParts(['redis', 'kafka'], owner, { environment: {} });
    expect(parts.missing).toEqual([{ name: 'kafka', reason: 'no kafka' }]);
    expect(parts).toMatchObject({ redisUrl: redis.url, kafkaBrokers: null, mysqlUrl: '' });
  });

  it('is an error when it is anything else, and for Kafka in CI; every part is named', async () => {
    const gathered = gatherParts(['mysql', 'kafka'], owner, { environment: {} });
    await expect(gathered).rejects.toThrow('no mysql\nno kafka');
    await expect(gathered).rejects.toThrow(PartUnavailable);
    await expect(gatherParts(['kafka'], owner, { environment: { CI: 'true' } })).rejects.toThrow('no kafka');
  });

  it('is an error when its address was given', async () => {
    const environment = { RECENCY_KAFKA_BROKERS: '127.0.0.1:1' };
    await expect(gatherParts(['kafka'], owner, { environment })).rejects.toThrow(
      /RECENCY_KAFKA_BROKERS: no server answers at 127.0.0.1:1 \(.*ECONNREFUSED.*\): start it, or unset/,
    );
  });
});

describe('a given server', () => {
  it('that does not answer is named without its password', async () => {
    const environment = {
      RECENCY_MYSQL_URL: 'mysql://root:secret@127.0.0.1:1/db',
      RECENCY_REDIS_URL: 'redis://:secret@127.0.0.1:1',
    };
    const gathered = gatherParts(['mysql', 'redis'], undefined, { environment });
    await expect(gathered).rejects.toThrow(
      /RECENCY_MYSQL_URL: no server answers.*\nRECENCY_REDIS_URL: no server answers/,
    );
    await expect(gathered).rejects.not.toThrow(/secret/);
  });
});

/** Answers as a Redis of this version would, which no machine has any more. */
async function oldRedis(version: string): Promise<string> {
  const info = `redis_version:${version}\r\nprocess_id:1\r\n`;
  const answers: Record<string, string> = {
    HELLO: '%1\r\n+server\r\n+redis\r\n',
    PING: '+PONG\r\n',
    INFO: `$${info.length}\r\n${info}\r\n`,
  };
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      for (const [name] of `${data}`.matchAll(/(?<=\*\d+\r\n\$\d+\r\n)\w+/g)) {
        socket.write(answers[name.toUpperCase()] ?? '-ERR unknown command\r\n');
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a given server’s version', () => {
  it('is refused when it is too old', async () => {
    const environment = { RECENCY_REDIS_URL: await oldRedis('6.2.14') };
    await expect(gatherParts(['redis'], undefined, { environment })).rejects.toThrow(
      'Redis 6.2.14 (RECENCY_REDIS_URL) is too old: Recency needs Redis 7.0 or newer',
    );
  });

  it('is told when it is not', async () => {
    const environment = { RECENCY_REDIS_URL: await oldRedis('7.0.0') };
    const { parts } = await gatherParts(['redis'], undefined, { environment });
    expect(parts).toMatchObject([{ product: 'Redis', version: '7.0.0', origin: 'given', source: 'RECENCY_REDIS_URL' }]);
  });
});

describe('what a person reads', () => {
  it('one line for a part, without a password', () => {
    expect(describePart(redis)).toBe('Redis 7.0.15 at 127.0.0.1:6400 (program /usr/bin/redis-server)');
    const given = {
      ...redis,
      origin: 'given' as const,
      source: 'RECENCY_REDIS_URL',
      url: 'redis://:secret@r:1,redis://s:2',
    };
    expect(describePart(given)).toBe('Redis 7.0.15 at r:1 (given by RECENCY_REDIS_URL)');
  });

  it('settings as lines for a shell', () => {
    expect(exportLines({ parts: [redis] })).toEqual(['export RECENCY_REDIS_URL=redis://127.0.0.1:6400']);
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportLines } from '../../../src/tools/devservers/detached.ts';
import { describeServer, gatherServers } from '../../../src/tools/devservers/devservers.ts';
import { type Apt, fromProgram, launch } from '../../../src/tools/devservers/launch/launch.ts';

import {
  type LaunchContext,
  type LaunchedServer,
  type LaunchOrder,
  PartUnavailable,
} from '../../../src/tools/devservers/server.ts';

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

describe('a server that is not available', () => {
  const context = { signal: new AbortController().signal } as LaunchContext;
  const ways = { containers: async () => 'no daemon', programs: async () => 'no program' };

  it('is reported with every reason and with how to get it', async () => {
    const attempt = launch({ name: 'redis' }, context, ways);
    await expect(attempt).rejects.toThrow(PartUnavailable);
    await expect(attempt).rejects.toThrow(/Redis is not available: no daemon; no program. .* RECENCY_REDIS_URL/);
  });

  it.each([
    ['containers', 'no daemon'],
    ['programs', 'no program'],
  ] as const)('is looked for in %s only when that is forced', async (from, reason) => {
    await expect(launch({ name: 'redis', from }, context, ways)).rejects.toThrow(`available: ${reason}. To`);
  });

  const supervisor = {
    launch: async ({ name }: { name: string }) => {
      if (name === 'redis') return { server: 1, facts: redis };
      throw new PartUnavailable(`no ${name}`);
    },
  };

  it('is only missing when it is Kafka', async () => {
    const parts = await gatherServers(['redis', 'kafka'], supervisor, { environment: {} });
    expect(parts.missing).toEqual([{ name: 'kafka', reason: 'no kafka' }]);
    expect(parts).toMatchObject({ redisUrl: redis.url, kafkaBrokers: null, mysqlUrl: '' });
  });

  it('is an error when it is not Kafka, and in CI also then; every missing server is named', async () => {
    const gathered = gatherServers(['mysql', 'kafka'], supervisor, { environment: {} });
    await expect(gathered).rejects.toThrow('no mysql\nno kafka');
    await expect(gathered).rejects.toThrow(PartUnavailable);
    await expect(gatherServers(['kafka'], supervisor, { environment: { CI: 'true' } })).rejects.toThrow('no kafka');
  });

  it('is an error when its address was given', async () => {
    const environment = { RECENCY_KAFKA_BROKERS: '127.0.0.1:1' };
    await expect(gatherServers(['kafka'], supervisor, { environment })).rejects.toThrow(
      /RECENCY_KAFKA_BROKERS: no server answers at 127.0.0.1:1 \(.*ECONNREFUSED.*\): start it, or unset/,
    );
  });
});

describe('a missing program', () => {
  /** Finds nothing, then what was installed; that is enough to see, so its start fails. */
  function machine() {
    const installed: string[][] = [];
    const kind = {
      product: 'Redis',
      findProgram: async () => {
        if (installed.length > 0) throw new Error('found after the installation');
        return { what: 'redis-server is not on the path', packages: ['redis-server'] };
      },
    };
    const apt: Apt = {
      unavailable: () => undefined,
      install: async (packages) => void installed.push([...packages]),
    };
    const attempt = (install?: boolean) => fromProgram({ name: 'redis', install }, context, kind, apt);
    return { installed, attempt };
  }
  const context = { log: () => undefined } as unknown as LaunchContext;

  it.each([undefined, false])(
    'is named with the command that installs it, and not installed (install: %s)',
    async (install) => {
      const { installed, attempt } = machine();
      expect(await attempt(install)).toMatch(
        /^redis-server is not on the path; `apt-get install redis-server` installs it/,
      );
      expect(installed).toEqual([]);
    },
  );

  it('is installed when that is allowed', async () => {
    const { installed, attempt } = machine();
    expect(await attempt(true)).toBe('found after the installation');
    expect(installed).toEqual([['redis-server']]);
  });

  it.each([
    [{ install: true }, true],
    [{ install: false, environment: { STACK_INSTALL: 'true' } }, false],
    [{ environment: { STACK_INSTALL: 'true' } }, true],
    [{ environment: {} }, false],
  ])('may be installed as the options %j say', async (options, expected) => {
    const orders: (boolean | undefined)[] = [];
    const supervisor = {
      launch: async ({ install }: LaunchOrder) => {
        orders.push(install);
        return { server: 1, facts: redis };
      },
    };
    await gatherServers(['redis'], supervisor, { environment: {}, ...options });
    expect(orders).toEqual([expected]);
  });

  it('is installed by the scripts of a checkout, which say so', () => {
    const file = new URL('../../../package.json', import.meta.url);
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> };
    expect(scripts.demo).toMatch(/ demo --install$/);
    expect(scripts.bench).toMatch(/ bench --install$/);
  });
});

describe('a given server', () => {
  it('that does not answer is named without its password', async () => {
    const environment = {
      RECENCY_MYSQL_URL: 'mysql://root:secret@127.0.0.1:1/db',
      RECENCY_REDIS_URL: 'redis://:secret@127.0.0.1:1',
    };
    const gathered = gatherServers(['mysql', 'redis'], undefined, { environment });
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
    await expect(gatherServers(['redis'], undefined, { environment })).rejects.toThrow(
      'Redis 6.2.14 (RECENCY_REDIS_URL) is too old: Recency needs Redis 7.0 or newer',
    );
  });

  it('is reported when it is recent enough', async () => {
    const environment = { RECENCY_REDIS_URL: await oldRedis('7.0.0') };
    const { parts } = await gatherServers(['redis'], undefined, { environment });
    expect(parts).toMatchObject([{ product: 'Redis', version: '7.0.0', origin: 'given', source: 'RECENCY_REDIS_URL' }]);
  });
});

describe('what people see', () => {
  it('is one line per server, without a password', () => {
    expect(describeServer(redis)).toBe('Redis 7.0.15 at 127.0.0.1:6400 (program /usr/bin/redis-server)');
    const given = {
      ...redis,
      origin: 'given' as const,
      source: 'RECENCY_REDIS_URL',
      url: 'redis://:secret@r:1,redis://s:2',
    };
    expect(describeServer(given)).toBe('Redis 7.0.15 at r:1 (given by RECENCY_REDIS_URL)');
  });

  it('is the settings as lines for a shell', () => {
    expect(exportLines({ parts: [redis] })).toEqual(['export RECENCY_REDIS_URL=redis://127.0.0.1:6400']);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';
import { WatchedSite } from '../support/watched-site.ts';

const USERS = ['1', '2', '3', '4', '5', '6'];
const CONTACTS = Array.from({ length: 8 }, (_, i) => String(101 + i));

/** What happens to the processes of this file is over when the file is. */
const WITH_FILE = { onTestFinished: (end: () => unknown) => void ENDINGS.push(end) } as Parameters<
  typeof startProcess
>[2];
const ENDINGS: (() => unknown)[] = [];

let redis: RunningServer;
let settings: Settings & { MYSQL_URL: string };
let pool: Pool;
let endpoint: Server;
let status = 204;
let site: WatchedSite;

beforeAll(async () => {
  redis = await startRedis();
  settings = { ...(await serviceSettings()), REDIS_URL: redis.url, WEBHOOK_ALLOW_PRIVATE: 'true', TAKEOVER_MS: '6000' };
  pool = openSitePool(settings.MYSQL_URL, 4);
  site = new WatchedSite(pool, USERS, CONTACTS);
  await indexedSite(settings, USERS, CONTACTS);
  endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      response.writeHead(status).end();
      if (status === 204) site.receive(String(request.headers['webhook-id']), body);
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  for (const end of ENDINGS.reverse()) await end();
  endpoint?.closeAllConnections();
  endpoint?.close();
  await pool?.end();
  await redis?.[Symbol.asyncDispose]();
});

describe('watches whose webhooks go to one endpoint', () => {
  let notifiers: CliProcess[];
  const start = (command: Parameters<typeof startProcess>[0]) => startProcess(command, settings, WITH_FILE);
  const killed = async (cli: CliProcess) => {
    cli.signal('SIGKILL');
    await cli.ended;
  };
  let [relay, consume]: CliProcess[] = [];
  const onRedis = () => {
    const client = new Redis(redis.url);
    client.on('error', () => undefined); // it is killed
    onTestFinished(() => client.disconnect());
    return client;
  };

  it('are told of every upload', async () => {
    relay = await start('relay');
    consume = await start('consume');
    notifiers = [await start('notify'), await start('notify')];
    const serve = await start('serve');
    const [, url] = /"address":"([^"]+)"/.exec(serve.stdout) ?? [];
    const { port } = endpoint.address() as AddressInfo;
    await site.watch(String(url), { channel: 'webhook', url: `http://127.0.0.1:${port}/` });
    await site.uploads();
    await site.allTold();
  });

  it('are told when a notifier is killed, by the other, and when both are, by the next', async () => {
    const [first, second] = notifiers as [CliProcess, CliProcess];
    await Promise.all([site.uploads(), killed(first)]);
    await site.allTold();
    await Promise.all([site.uploads(), killed(second)]);
    await site.uploads();
    notifiers = [await start('notify')];
    await site.allTold();
  });

  it('are told when the relay and the consumer are killed', async () => {
    await Promise.all([site.uploads(), killed(relay as CliProcess), killed(consume as CliProcess)]);
    await site.uploads();
    relay = await start('relay');
    consume = await start('consume');
    await site.allTold();
  });

  it('are told when Redis is emptied, and when it is killed', async () => {
    const client = onRedis();
    await Promise.all([site.uploads(), client.flushall()]);
    await site.allTold();
    await site.uploads();
    await redis.kill();
    await site.uploads();
    await redis.restart();
    await site.allTold();
    await site.uploads();
    await site.allTold();
  });

  it('are told when Redis comes back with old data', async () => {
    const client = onRedis();
    await client.set('saved', 'yes');
    await client.save();
    await site.uploads();
    await site.allTold(); // of which this data knows nothing
    await Promise.all([site.uploads(), redis.kill()]);
    await site.uploads();
    await redis.restart();
    expect(await client.get('saved')).toBe('yes');
    await site.allTold();
    await site.uploads();
    await site.allTold();
  });

  it('are told when their endpoint was down', async () => {
    status = 503;
    await site.uploads();
    await until(async () => (await site.count('outgoing IS NOT NULL')) === USERS.length);
    await site.uploads();
    status = 204;
    await site.allTold();
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { Ledger } from '../../src/tools/harness/push-ledger.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USERS = ['1', '2', '3', '4', '5', '6'];
const CONTACTS = Array.from({ length: 8 }, (_, i) => String(101 + i));
const EVERYBODY = () => USERS;

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
const ledger = new Ledger();
let at = 1_000;
let photos = 0;

beforeAll(async () => {
  redis = await startRedis();
  settings = { ...(await serviceSettings()), REDIS_URL: redis.url, WEBHOOK_ALLOW_PRIVATE: 'true', TAKEOVER_MS: '6000' };
  pool = openSitePool(settings.MYSQL_URL, 4);
  await indexedSite(settings, USERS, CONTACTS);
  endpoint = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      response.writeHead(status).end();
      if (status === 204) told(String(request.headers['webhook-id']), body);
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
}, 120_000);

afterAll(async () => {
  for (const end of ENDINGS.reverse()) await end();
  endpoint?.closeAllConnections();
  endpoint?.close();
  await pool?.end();
  await redis?.[Symbol.asyncDispose]();
}, 60_000);

function told(notification: string, body: string): void {
  const { user, sources } = JSON.parse(body).data;
  for (const { id, last_upload_at } of sources) {
    ledger.told({ user, contact: id, at: Date.parse(last_upload_at), notification, receivedAt: 0 });
  }
}

/** Everybody's contacts upload a photo each, one of which only its owner may see. */
async function uploads(): Promise<void> {
  await Promise.all(
    CONTACTS.map(async (owner) => {
      at += 1_000;
      const [time, isVisible] = [at, ++photos % 4 !== 0];
      await uploadPhoto(pool, owner, isVisible ? 0 : 4, time);
      ledger.upload({ owner, at: time, isVisible, committedAt: 0 });
    }),
  );
}

/** Everybody has been told of everything, nothing else, and of nothing twice but under one id. */
async function allTold(): Promise<void> {
  await until(async () => ledger.isComplete(EVERYBODY), { timeout: 60_000, interval: 100, what: 'everybody told' });
  expect(ledger.account(EVERYBODY)).toMatchObject({ missed: 0, wrongIds: 0, notVisible: 0 });
}

describe('watches whose webhooks go to one endpoint', { timeout: 180_000 }, () => {
  let notifiers: CliProcess[];
  const start = (command: Parameters<typeof startProcess>[0]) => startProcess(command, settings, WITH_FILE);
  const killed = async (cli: CliProcess) => {
    cli.signal('SIGKILL');
    await cli.ended;
  };
  let [relay, consume]: CliProcess[] = [];

  it('are told of every upload', async () => {
    relay = await start('relay');
    consume = await start('consume');
    notifiers = [await start('notify'), await start('notify')];
    const serve = await start('serve');
    const [, url] = /"address":"([^"]+)"/.exec(serve.stdout) ?? [];
    const { port } = endpoint.address() as AddressInfo;
    for (const user of USERS) {
      const body = JSON.stringify({ user, channel: 'webhook', url: `http://127.0.0.1:${port}/` });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${url}/v1/watches`, { method: 'POST', headers, body })).status).toBe(201);
    }
    await until(async () => {
      const [rows] = await pool.query("SELECT 1 FROM recency_watches WHERE told = '{}' OR due_at IS NOT NULL");
      return (rows as unknown[]).length === 0;
    });
    await uploads();
    await allTold();
  });

  it('are told when a notifier is killed, by the other, and when both are, by the next', async () => {
    const [first, second] = notifiers as [CliProcess, CliProcess];
    await Promise.all([uploads(), killed(first)]);
    await allTold();
    await Promise.all([uploads(), killed(second)]);
    await uploads();
    notifiers = [await start('notify')];
    await allTold();
  });

  it('are told when the relay and the consumer are killed', async () => {
    await Promise.all([uploads(), killed(relay as CliProcess), killed(consume as CliProcess)]);
    await uploads();
    relay = await start('relay');
    consume = await start('consume');
    await allTold();
  });

  it('are told when Redis is emptied, and when it is killed', async () => {
    await uploads();
    await redis.kill();
    await uploads();
    await redis.restart();
    await allTold();
    await uploads();
    await allTold();
  });

  it('are told when their endpoint was down', async () => {
    status = 503;
    await uploads();
    await until(async () => {
      const [rows] = await pool.query('SELECT 1 FROM recency_watches WHERE outgoing IS NOT NULL');
      return (rows as unknown[]).length === USERS.length;
    });
    await uploads();
    status = 204;
    await allTold();
  });
});

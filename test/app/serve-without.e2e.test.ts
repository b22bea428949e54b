import type { Pool } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { REFERENCE_VIEWS } from '../../src/mysql/reference-views.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { ask, post } from '../support/api.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { replaceMasters } from '../support/on-record.ts';
import { hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const RECENT = '/v1/users/2/contacts/recent';
const TASK = { type: 'recency.contact.added', user: '2', contact: '1' };

async function startServe(settings: Settings) {
  const cli = new CliProcess(['serve'], settings).killAtEnd();
  await cli.says('listening at');
  return { cli, url: String(/"address":"(http:[^"]+)"/.exec(cli.stdout)?.[1]) };
}

/** The reference view with a column that is passed on. */
const EXTENDED = REFERENCE_VIEWS.get(CONTACTS.view)
  ?.select(new Set())
  .replace('contacts.version', 'contacts.version, users.id AS extra_number');

/** A site, its indexes, and its pool. */
async function site(settings: Settings & { MYSQL_URL: string }): Promise<Pool> {
  const pool = openSitePool(settings.MYSQL_URL, 2);
  onTestFinished(() => pool.end());
  const users = ['1', '2', '3'].map((id) => ({ id }));
  const contacts = [
    { user: '2', contact: '1' },
    { user: '2', contact: '3' },
  ];
  await loadGraph(pool, { users, contacts, photos: [{ owner: '3', audience: 0, uploadedAt: 1_000 }] });
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW recency_contacts AS ${EXTENDED}`);
  expect((await runInProcess(['backfill'], settings)).code).toBe(0);
  return pool;
}

async function one(pool: Pool, statement: string): Promise<string> {
  const [[row]] = (await pool.query({ sql: statement, rowsAsArray: true })) as unknown as [[unknown][], unknown];
  return String(row?.[0]);
}

const epochOf = (pool: Pool) => one(pool, 'SELECT token FROM recency_epoch');
const remembered = (pool: Pool) => one(pool, "SELECT COUNT(*) FROM recency_settings WHERE name = 'setting:KEY_PREFIX'");
const nowhere = (protocol: string) => TcpProxy.before(`${protocol}://127.0.0.1:1`);

describe('serve', () => {
  it('waits for MySQL, answers without Redis and the transport, and uses them once they are available', async () => {
    const direct = await serviceSettings();
    const pool = await site(direct);
    await replaceMasters(direct.MYSQL_URL, 'index'); // so Redis is not the one that it was
    const before = await epochOf(pool);
    await using mysql = await nowhere('mysql');
    await using redis = await nowhere('redis');
    const url = new URL(mysql.url);
    url.pathname = new URL(direct.MYSQL_URL).pathname;
    url.username = new URL(direct.MYSQL_URL).username;
    url.password = new URL(direct.MYSQL_URL).password;
    const { cli, ...api } = await startServe({ ...direct, MYSQL_URL: url.href, REDIS_URL: redis.url });

    await cli.says('waiting: No MySQL answers');
    expect((await ask(api, '/livez')).status).toBe(200);
    expect((await ask(api, '/startupz')).status).toBe(503);
    const unready = await ask(api, '/readyz');
    expect(unready).toMatchObject({ status: 503, body: { status: 'unready' } });
    expect(unready.body.failing).toEqual(['start', 'mysql', 'redis', 'transport']);
    const starting = await ask(api, RECENT);
    expect(starting).toMatchObject({ status: 503, body: { code: 'starting' } });
    expect(starting.headers.get('retry-after')).toBe('1');

    mysql.leadTo(direct.MYSQL_URL);
    await cli.says('answering at');
    expect((await ask(api, '/startupz')).status).toBe(200);
    const degraded = { status: 200, body: { status: 'degraded', failing: ['redis', 'transport'] } };
    expect(await ask(api, '/readyz')).toMatchObject(degraded);
    expect((await ask(api, RECENT)).body).toMatchObject({
      contacts: [{ id: '3', extra: { number: '3' } }],
      answer: { source: 'database', reason: 'redis_unavailable', exact: true },
    });
    const refused = await post(api, '/v1/tasks', TASK);
    expect(refused).toMatchObject({ status: 503, body: { code: 'transport_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    const kept = await ask(api, '/v1/users/2/index', { method: 'DELETE' });
    expect(kept).toMatchObject({ status: 503, body: { code: 'redis_unavailable' } });
    expect(await remembered(pool)).toBe('0'); // it binds nobody to settings that may be wrong

    redis.leadTo(redisUrl());
    await until(async () => {
      const { source } = (await ask(api, RECENT)).body.answer;
      if (source === 'index') expect(await epochOf(pool)).not.toBe(before);
      return source === 'index';
    });
    await until(async () => (await ask(api, '/readyz')).body.status === 'ready');
    expect(await remembered(pool)).toBe('1');
    expect((await post(api, '/v1/tasks', TASK)).status).toBe(202);
    cli.signal('SIGTERM');
    expect((await cli.ended).code).toBe(0);
  });

  it('ends in order while it waits for MySQL', async () => {
    const settings = { ...(await serviceSettings()), MYSQL_URL: 'mysql://root@127.0.0.1:1/x' };
    const { cli } = await startServe(settings);
    await cli.says('waiting: No MySQL answers');
    cli.signal('SIGTERM');
    expect((await cli.ended).code).toBe(0);
  });

  it.runIf(hasKafka())('trusts no index and accepts no task until Kafka has been reachable', async () => {
    const direct = await serviceSettings('kafka');
    await site(direct);
    await using kafka = await nowhere('kafka');
    const { cli, ...api } = await startServe({ ...direct, KAFKA_BROKERS: new URL(kafka.url).host });
    await cli.says('answering at');
    const degraded = { status: 200, body: { status: 'degraded', failing: expect.arrayContaining(['transport']) } };
    expect(await ask(api, '/readyz')).toMatchObject(degraded);
    expect((await ask(api, RECENT)).body.answer).toMatchObject({ source: 'database', reason: 'redis_unavailable' });
    expect(await post(api, '/v1/tasks', TASK)).toMatchObject({
      status: 503,
      body: { code: 'transport_unavailable' },
    });
    kafka.leadTo(`kafka://${kafkaBrokers()[0]}`);
    await until(async () => (await ask(api, '/readyz')).body.status === 'ready');
    await until(async () => (await ask(api, RECENT)).body.answer.source === 'index');
    expect((await post(api, '/v1/tasks', TASK)).status).toBe(202);
  });
});

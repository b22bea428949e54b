import { once } from 'node:events';
import { connect } from 'node:net';
import { createConnection } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { hasKafka, redisUrl, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const STAR = '1';
const FOLLOWERS = 6_000;

async function start(command: string, settings: Settings, says: string): Promise<CliProcess> {
  const cli = new CliProcess([command], settings);
  onTestFinished(() => cli[Symbol.asyncDispose]());
  await cli.says(says);
  return cli;
}

/** Sends SIGTERM. Returns the process's exit code and signal, and after how many ms it ended. */
async function terminated(cli: CliProcess): Promise<{ code: number | null; ms: number }> {
  const from = performance.now();
  cli.signal('SIGTERM');
  const { code } = await cli.ended;
  return { code, ms: performance.now() - from };
}

function addressOf(serve: CliProcess): string {
  return String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
}

async function json(url: string) {
  return (await (await fetch(url)).json()) as {
    contacts: { id: string; last_upload_at: string }[];
    status: string;
    answer: { source: string };
  };
}

describe.each(['streams', ...(hasKafka() ? ['kafka' as const] : [])] as const)(
  'the three processes, on %s',
  (transport) => {
    let settings: Settings & { MYSQL_URL: string };
    beforeAll(async () => {
      settings = await serviceSettings(transport);
    });

    it('carry an upload from the site to the answer, and shut down cleanly', async () => {
      const pool = openSitePool(settings.MYSQL_URL, 2);
      onTestFinished(() => pool.end());
      const users = ['1', '2', '3', '5', '6'].map((id) => ({ id }));
      const contacts = [
        { user: '2', contact: '1' },
        { user: '2', contact: '3' },
        { user: '5', contact: '6' },
      ];
      await loadGraph(pool, { users, contacts, photos: [{ owner: '3', audience: 0, uploadedAt: 1_000 }] });
      await pool.query('UPDATE users SET last_public_at = 9000 WHERE id = 6'); // who has no photo
      const metricsPort = String(await freePort());
      const [serve, consume, relay] = await Promise.all([
        start('serve', settings, 'answering at'),
        start('consume', { ...settings, METRICS_PORT: metricsPort }, 'consuming'),
        start('relay', settings, 'relaying'),
      ]);
      const contradicted = '"uploads":"column","example":{"user":"5","contact":"6","view_says":9000,"photos_say":null}';
      await Promise.all([serve, consume].map((process) => process.says(contradicted)));
      const recent = `${addressOf(serve)}/v1/users/2/contacts/recent`;
      expect((await json(`${addressOf(serve)}/readyz?verbose`)).status).toBe('ready');
      await until(async () => (await json(recent)).answer.source === 'index');
      await uploadPhoto(pool, '1', 0, 2_000);
      const inspected = async () => JSON.parse((await runCli(['inspect', '2', '--json'], settings)).stdout);
      await until(async () => (await inspected()).members[0]?.id === '1', { timeout: 60_000, interval: 200 });
      expect((await json(recent)).contacts.map(({ id }) => id)).toEqual(['1', '3']);

      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      expect(metrics).toMatch(/^recency_tasks_total\{process="consume"\} [1-9]/m);
      expect(metrics).toMatch(/^recency_fan_out_followers_total\{process="consume"\} [1-9]/m);
      expect(metrics).toMatch(/^recency_refreshes_total\{outcome="applied",process="consume"\} [1-9]/m);
      expect(metrics).toMatch(/^recency_sampled_pairs_total\{outcome="wrong",process="consume"\} [1-9]/m);
      expect(metrics).toMatch(/^recency_delay_queue_items\{process="consume"\} \d/m);
      expect(metrics).toMatch(/^recency_transport_lag_tasks\{process="consume"\} \d/m);

      const ended = await Promise.all([serve, consume, relay].map(terminated));
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
      for (const { ms } of ended) expect(ms).toBeLessThan(10_000);
      for (const cli of [serve, consume, relay]) expect(cli.stdout).toMatch(/"msg":"ended"\}\n$/);
    });
  },
);

describe('a consumer in the middle of a fan-out', () => {
  let settings: Settings & { MYSQL_URL: string };

  beforeAll(async () => {
    settings = await serviceSettings();
    const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 2));
    await indexedSite(settings, followers, [STAR]);
  }, 120_000);

  async function upload(at: number): Promise<void> {
    const pool = openSitePool(settings.MYSQL_URL, 1);
    await uploadPhoto(pool, STAR, 0, at);
    await pool.end();
  }

  async function isAllRight(): Promise<void> {
    const { code, stdout } = await runCli(['verify', '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({ warm: FOLLOWERS, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
  }

  /** While MySQL's table is locked, every read of the views blocks. The sampler is off then, so the blocked one is the fan-out. */
  async function lockUsers() {
    const connection = await createConnection(settings.MYSQL_URL);
    await connection.query('LOCK TABLES users WRITE');
    return () => connection.end();
  }

  it('exits with 0 within 10 s of SIGTERM; the next one does the rest', async () => {
    const relay = await start('relay', settings, 'relaying');
    const first = await start('consume', { ...settings, METRICS_PORT: '0' }, 'consuming');
    await upload(2_000);
    await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
    const { code, ms } = await terminated(first);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(10_000);
    const second = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight();
    await Promise.all([relay, second].map(terminated));
  }, 120_000);

  it('that has no time left returns the rest between two steps, and exits with 0', async () => {
    const relay = await start('relay', settings, 'relaying');
    const brief = { MYSQL_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '3000', SAMPLE_RATE: '0' };
    const consume = await start('consume', { ...settings, ...brief }, 'consuming');
    const unlock = await lockUsers();
    await addTask(settings);
    await until(() => isWorking(settings));
    const from = performance.now();
    consume.signal('SIGTERM');
    await until(() => performance.now() - from > 1_700); // past half of the time that it has
    await unlock();
    expect((await consume.ended).code).toBe(0);
    const waiting = await runCli(['doctor', '--json'], settings);
    expect(waiting.stdout).toMatch(/"check":"transport","state":"fine","detail":"1 tasks wait"/);
    const next = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight();
    await Promise.all([relay, next].map(terminated));
  }, 120_000);

  it('that hangs exits with 1 at the deadline, or at once on a second signal; nothing is lost', async () => {
    const relay = await start('relay', settings, 'relaying');
    for (const signals of [1, 2]) {
      const timeout = signals === 1 ? '1500' : '60000';
      const patient = { MYSQL_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: timeout, SAMPLE_RATE: '0' };
      const consume = await start('consume', { ...settings, ...patient }, 'consuming');
      const unlock = await lockUsers();
      await addTask(settings);
      await until(() => isWorking(settings));
      const from = performance.now();
      consume.signal('SIGTERM');
      await consume.says('"msg":"ending"');
      if (signals === 2) {
        consume.signal('SIGTERM'); // twice at once is one signal
        await until(() => performance.now() - from > 1_300);
        expect(consume.stdout).not.toContain('second signal:');
        consume.signal('SIGTERM');
      }
      expect((await consume.ended).code).toBe(1);
      expect(performance.now() - from).toBeLessThan(8_000);
      expect(consume.stdout).toContain(signals === 2 ? 'second signal:' : 'not everything was closed in time');
      await unlock();
    }
    const last = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight();
    await Promise.all([relay, last].map(terminated));
  }, 240_000);
});

/** Adds a task without a transaction of the site, which the lock would block. */
async function addTask({ MYSQL_URL }: { MYSQL_URL: string }): Promise<void> {
  await sql(MYSQL_URL, `INSERT INTO recency_outbox (type, user_id) VALUES ('recency.photo.uploaded', ${STAR})`);
}

/** Does a statement wait for the lock? */
async function isWorking({ MYSQL_URL }: { MYSQL_URL: string }): Promise<boolean> {
  const rows = await sql(MYSQL_URL, 'SHOW FULL PROCESSLIST');
  const database = new URL(MYSQL_URL).pathname.slice(1);
  return (rows as { db: string; State: string | null; Info: string | null }[]).some(
    ({ db, State, Info }) =>
      db === database && /metadata lock|table lock/i.test(State ?? '') && /recency_contacts/.test(Info ?? ''),
  );
}

describe('a process without an API', () => {
  const getter = (port: string) => async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };

  it.each([
    [
      'relay',
      ['mysql', 'transport', 'publishing', 'outbox'],
      /^recency_outbox_unpublished_rows\{process="relay"\} 0$/m,
    ],
    ['consume', ['mysql', 'redis', 'tasks', 'delay_queue'], /^recency_delay_queue_items\{process="consume"\} 0$/m],
  ] as const)('serves its metrics, liveness and readiness: %s', async (command, checks, metric) => {
    const settings = await serviceSettings();
    const port = String(await freePort());
    const cli = await start(command, { ...settings, METRICS_PORT: port }, 'metrics at');
    const get = getter(port);
    expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"alive"}' });
    expect((await get('/metrics')).text).toMatch(metric);
    expect((await get('/other')).status).toBe(404);
    await until(async () => (await get('/readyz')).status === 200);
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'ready', failing: [] });
    expect(Object.keys(JSON.parse((await get('/readyz?verbose')).text).checks)).toEqual(checks);
    // Neither a load balancer's spare connection nor a client that stops mid-request delays the shutdown.
    const [idle, halfway] = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
    for (const socket of [idle, halfway]) {
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }
    halfway.write('GET /livez HTTP/1.1\r\n');
    expect((await terminated(cli)).code).toBe(0);
  });

  it('is not ready while a store is unavailable', async () => {
    await using mysql = await TcpProxy.before((await serviceSettings()).MYSQL_URL);
    await using redis = await TcpProxy.before(redisUrl());
    const direct = await serviceSettings();
    const url = new URL(mysql.url);
    url.pathname = new URL(direct.MYSQL_URL).pathname;
    const settings = { ...direct, MYSQL_URL: url.href, REDIS_URL: redis.url };
    const ports = { consume: String(await freePort()), relay: String(await freePort()) };
    for (const command of ['consume', 'relay'] as const) {
      await start(command, { ...settings, METRICS_PORT: ports[command] }, 'metrics at');
      await until(async () => (await getter(ports[command])('/readyz')).status === 200);
    }
    const failing = async (command: 'consume' | 'relay') => {
      const { status, text } = await getter(ports[command])('/readyz');
      return status === 503 ? (JSON.parse(text) as { failing: string[] }).failing : [];
    };
    redis.silence({ alsoNew: true });
    await until(async () => (await failing('consume')).includes('redis'));
    await until(async () => (await failing('consume')).includes('tasks'));
    await until(async () => (await failing('relay')).includes('transport'));
    expect(await failing('relay')).not.toContain('mysql');
    redis.restore();
    for (const command of ['consume', 'relay'] as const) {
      await until(async () => (await getter(ports[command])('/readyz')).status === 200);
    }
    mysql.silence({ alsoNew: true });
    for (const command of ['consume', 'relay'] as const) {
      await until(async () => (await failing(command)).includes('mysql'));
    }
  }, 240_000);

  it.each([
    ['consume', 8471],
    ['relay', 8472],
  ] as const)('has a port by default, on loopback: %s', async (command, port) => {
    const { METRICS_PORT: _, ...settings } = await serviceSettings();
    const cli = await start(
      command,
      { ...settings, HOST: 'localhost' },
      command === 'relay' ? 'relaying' : 'consuming',
    );
    // The developer who runs the tests may have a process on that port.
    expect(cli.stdout).toMatch(
      new RegExp(`"host":"127.0.0.1","port":${port},"msg":"(metrics at|another process uses this port)`),
    );
  });

  it('continues without metrics if its port is taken', async () => {
    const settings = { ...(await serviceSettings()), METRICS_PORT: String(await freePort()) };
    await start('relay', settings, 'metrics at');
    const second = await start('relay', settings, 'relaying');
    expect(second.stdout).toMatch(/"level":"warn",.*another process uses this port/);
    expect((await terminated(second)).code).toBe(0);
  });
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { hasKafka, redisUrl, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const STAR = '1';
const FOLLOWERS = 6_000;

/** Followers of whom everything is compared with plain SQL. */
const VERIFIED = 500;

const UPLOADED_AT = 2_000;

/** @param test where tests run side by side */
async function start(
  command: string,
  settings: Settings,
  says: string,
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<CliProcess> {
  const cli = new CliProcess([command], settings).killAtEnd(test);
  await cli.says(says);
  return cli;
}

/** Sends SIGTERM. Returns the process's exit code, which is 1 if it took nine tenths of SHUTDOWN_TIMEOUT_MS. */
async function terminated(cli: CliProcess): Promise<number | null> {
  cli.signal('SIGTERM');
  return (await cli.ended).code;
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

describe.concurrent.each(['streams', ...(hasKafka() ? ['kafka' as const] : [])] as const)(
  'the three processes, on %s',
  (transport) => {
    let settings: Settings & { MYSQL_URL: string };
    beforeAll(async () => {
      settings = await serviceSettings(transport);
    });

    it('carry an upload from the site to the answer, and shut down cleanly', async (test) => {
      const pool = openSitePool(settings.MYSQL_URL, 2);
      test.onTestFinished(() => pool.end());
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
        start('serve', settings, 'answering at', test),
        start('consume', { ...settings, METRICS_PORT: metricsPort }, 'consuming', test),
        start('relay', settings, 'relaying', test),
      ]);
      const contradicted = '"uploads":"column","example":{"user":"5","contact":"6","view_says":9000,"photos_say":null}';
      await Promise.all([serve, consume].map((process) => process.says(contradicted)));
      const recent = `${addressOf(serve)}/v1/users/2/contacts/recent`;
      await until(async () => (await json(`${addressOf(serve)}/readyz?verbose`)).status === 'ready');
      await until(async () => (await json(recent)).answer.source === 'index');
      await uploadPhoto(pool, '1', 0, 2_000);
      const inspected = async () => JSON.parse((await runInProcess(['inspect', '2', '--json'], settings)).stdout);
      await until(async () => (await inspected()).members[0]?.id === '1', { interval: 200 });
      expect((await json(recent)).contacts.map(({ id }) => id)).toEqual(['1', '3']);

      for (const series of [
        /^recency_tasks_total\{process="consume"\} [1-9]/m,
        /^recency_fan_out_followers_total\{process="consume"\} [1-9]/m,
        /^recency_refreshes_total\{outcome="applied",process="consume"\} [1-9]/m,
        /^recency_sampled_pairs_total\{outcome="wrong",process="consume"\} [1-9]/m,
        /^recency_delay_queue_items\{process="consume"\} \d/m,
        /^recency_transport_lag_tasks\{process="consume"\} \d/m,
      ]) {
        const metrics = async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        await until(async () => series.test(await metrics()), { what: String(series) });
      }

      const ended = await Promise.all([serve, consume, relay].map(terminated));
      expect(ended).toEqual([0, 0, 0]);
      for (const cli of [serve, consume, relay]) expect(cli.stdout).toMatch(/"msg":"ended"\}\n$/);
    });
  },
);

describe('a consumer in the middle of a fan-out', () => {
  let settings: Settings & { MYSQL_URL: string };
  let redis: Redis;

  /** One relay publishes for all tests. */
  beforeAll(async () => {
    settings = await serviceSettings();
    const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 2));
    await indexedSite(settings, followers, [STAR]);
    redis = new Redis(redisUrl());
    const relay = new CliProcess(['relay'], settings);
    await relay.says('relaying');
    return async () => {
      redis.disconnect();
      await relay[Symbol.asyncDispose]();
    };
  });

  async function upload(at: number): Promise<void> {
    const pool = openSitePool(settings.MYSQL_URL, 1);
    await uploadPhoto(pool, STAR, 0, at);
    await pool.end();
  }

  const names = () => new KeyNames(String(settings.KEY_PREFIX));

  /** Waits until every follower's index has this upload, and compares a sample with plain SQL, once all work is done. */
  async function isAllRight(at: number): Promise<void> {
    const everyIndexSays = async () => {
      const pipeline = redis.pipeline();
      for (let id = 2; id <= FOLLOWERS + 1; id++) pipeline.zrange(names().set(String(id)), '0', '-1', 'WITHSCORES');
      return ((await pipeline.exec()) ?? []).every(([, index]) => String(index) === `${STAR},${at}`);
    };
    await until(everyIndexSays, { interval: 500 });
    const { code, stdout } = await runInProcess(['verify', '--users', `${VERIFIED}`, '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({ warm: VERIFIED, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
  }

  /** While MySQL's table is locked, every read of the views blocks. The sampler is off then, so the blocked one is the fan-out. */
  async function lockUsers() {
    const connection = await createConnection(settings.MYSQL_URL);
    await connection.query('LOCK TABLES users WRITE');
    return () => connection.end();
  }

  it('exits with 0 on SIGTERM; the next one does the rest', async () => {
    const first = await start('consume', { ...settings, SHUTDOWN_TIMEOUT_MS: '60000' }, 'consuming');
    await upload(UPLOADED_AT);
    await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
    expect(await terminated(first)).toBe(0);
    const second = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight(UPLOADED_AT);
    await terminated(second);
  });

  it('that has no time left returns the rest between two steps, and exits with 0', async () => {
    const brief = { MYSQL_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '12000', SAMPLE_RATE: '0' };
    const consume = await start('consume', { ...settings, ...brief }, 'consuming');
    const unlock = await lockUsers();
    await addTask(settings);
    await until(() => isWorking(settings));
    consume.signal('SIGTERM');
    await consume.says('"msg":"ending"');
    const from = performance.now();
    await until(() => performance.now() - from > 6_500); // past half of the time that it has
    await unlock();
    expect((await consume.ended).code).toBe(0);
    const waiting = await runInProcess(['doctor', '--json'], settings);
    expect(waiting.stdout).toMatch(/"check":"transport","state":"(?:fine|warning)","detail":"1 tasks wait[^"]*"/);
    const next = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight(UPLOADED_AT);
    await terminated(next);
  });

  it('whose statement hangs gives it up and exits with 0, or with 1 at once on a second signal; nothing is lost', async () => {
    for (const signals of [1, 2]) {
      const timeout = signals === 1 ? '8000' : '60000';
      const patient = { MYSQL_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: timeout, SAMPLE_RATE: '0' };
      const consume = await start('consume', { ...settings, ...patient }, 'consuming');
      const unlock = await lockUsers();
      await addTask(settings);
      await until(() => isWorking(settings));
      consume.signal('SIGTERM');
      await consume.says('"msg":"ending"');
      if (signals === 2) {
        const heard = performance.now();
        await until(() => performance.now() - heard > 1_100); // twice at once would be one signal
        consume.signal('SIGTERM');
      }
      expect((await consume.ended).code).toBe(signals - 1);
      expect(consume.stdout).toContain(signals === 2 ? 'second signal:' : '"msg":"ended"');
      await unlock();
    }
    const last = await start('consume', { ...settings, TAKEOVER_MS: '6000' }, 'consuming');
    await isAllRight(UPLOADED_AT);
    await terminated(last);
  });
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

/** What processes without an API say of themselves. */
const WITHOUT_API = {
  relay: {
    checks: ['mysql', 'transport', 'publishing', 'outbox', 'secrets'],
    metric: /^recency_outbox_unpublished_rows\{process="relay"\} 0$/m,
  },
  consume: {
    checks: ['mysql', 'redis', 'tasks', 'delay_queue', 'secrets'],
    metric: /^recency_delay_queue_items\{process="consume"\} 0$/m,
  },
} as const;

type WithoutApi = keyof typeof WITHOUT_API;

describe.concurrent('a process without an API', () => {
  const getter = (port: string) => async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };

  async function expectServes(command: WithoutApi, port: string): Promise<void> {
    const get = getter(port);
    const { checks, metric } = WITHOUT_API[command];
    expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"alive"}' });
    expect((await get('/metrics')).text).toMatch(metric);
    expect((await get('/other')).status).toBe(404);
    await until(async () => (await get('/readyz')).status === 200);
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'ready', failing: [] });
    expect(Object.keys(JSON.parse((await get('/readyz?verbose')).text).checks)).toEqual(checks);
  }

  /** Neither a load balancer's spare connection nor a client that stops mid-request delays the shutdown. */
  async function expectEnds(cli: CliProcess, port: string, test: Pick<TestContext, 'onTestFinished'>): Promise<void> {
    const [idle, halfway] = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
    for (const socket of [idle, halfway]) {
      socket.on('error', () => undefined);
      test.onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }
    halfway.write('GET /livez HTTP/1.1\r\n');
    expect(await terminated(cli)).toBe(0);
  }

  it('serves its metrics, liveness and readiness, and is not ready while a store is unavailable', async (test) => {
    const direct = await serviceSettings();
    await using mysql = await TcpProxy.before(direct.MYSQL_URL);
    await using redis = await TcpProxy.before(redisUrl());
    const settings = { ...direct, MYSQL_URL: mysql.url, REDIS_URL: redis.url };
    const ports = { consume: String(await freePort()), relay: String(await freePort()) };
    const started = async (command: WithoutApi) => {
      const cli = await start(command, { ...settings, METRICS_PORT: ports[command] }, 'metrics at', test);
      await expectServes(command, ports[command]);
      return cli;
    };
    const running = { consume: await started('consume'), relay: await started('relay') };
    const failing = async (command: WithoutApi) => {
      const { status, text } = await getter(ports[command])('/readyz');
      return status === 503 ? (JSON.parse(text) as { failing: string[] }).failing : [];
    };
    redis.silence({ alsoNew: true });
    await until(async () => (await failing('consume')).includes('redis'));
    await until(async () => (await failing('consume')).includes('tasks'));
    await until(async () => (await failing('relay')).includes('transport'));
    expect(await failing('relay')).not.toContain('mysql');
    redis.restore();
    const areReady = async () => {
      for (const port of Object.values(ports)) await until(async () => (await getter(port)('/readyz')).status === 200);
    };
    await areReady();
    mysql.silence({ alsoNew: true });
    for (const command of ['consume', 'relay'] as const) {
      await until(async () => (await failing(command)).includes('mysql'));
    }
    mysql.restore();
    await areReady();
    for (const command of ['consume', 'relay'] as const) await expectEnds(running[command], ports[command], test);
  });

  it.for([
    ['consume', 8471],
    ['relay', 8472],
  ] as const)('has a port by default, on loopback: %s', async ([command, port], test) => {
    const { METRICS_PORT: _, ...settings } = await serviceSettings();
    const cli = await start(
      command,
      { ...settings, HOST: 'localhost' },
      command === 'relay' ? 'relaying' : 'consuming',
      test,
    );
    // The developer who runs the tests may have a process on that port.
    expect(cli.stdout).toMatch(
      new RegExp(`"host":"127.0.0.1","port":${port},"msg":"(metrics at|another process uses this port)`),
    );
  });

  it('continues without metrics if its port is taken', async (test) => {
    const other = createServer().listen(0, '127.0.0.1');
    test.onTestFinished(() => void other.close());
    await once(other, 'listening');
    const METRICS_PORT = String((other.address() as AddressInfo).port);
    const relay = await start('relay', { ...(await serviceSettings()), METRICS_PORT }, 'relaying', test);
    expect(relay.stdout).toMatch(/"level":"warn",.*another process uses this port/);
    expect(await terminated(relay)).toBe(0);
  });
});

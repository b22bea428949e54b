import { createConnection } from 'mysql2/promise';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { residentBytes } from '../../src/rig/processes/resident-bytes.ts';
import { loadGraph } from '../../src/site/load-graph.ts';
import { uploadPhoto } from '../../src/site/photos.ts';
import { removeContact } from '../../src/site/relationships.ts';
import { openSitePool } from '../../src/site/transaction.ts';
import { freePort } from '../../src/stack/launch/free-port.ts';
import { type RunningServer, startMysql, startRedis } from '../../src/stack/start-server.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { freshTopic, hasKafka, kafkaBrokers } from '../support/servers.ts';
import { until } from '../support/until.ts';

const USERS = Array.from({ length: 50 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 30 }, (_, i) => String(101 + i));

/** While a store is away, with as many requests as one connection at a time can make: as many as in minutes of a site. */
const AWAY_MS = 5_000;
const GROWTH = 20 * 2 ** 20;

interface System {
  readonly settings: Settings & { MYSQL_URL: string };
  readonly address: string;
  readonly metricsPorts: readonly number[];
}

async function start(command: string, settings: Settings, says: string): Promise<CliProcess> {
  const cli = new CliProcess([command], settings);
  onTestFinished(() => cli[Symbol.asyncDispose]());
  await cli.says(says, 40_000);
  return cli;
}

/** The three processes on stores of their own; Kafka, where there is one, keeps the tasks when Redis forgets everything. */
async function startSystem(mysql: RunningServer, redis: RunningServer): Promise<System> {
  await migrate({ url: mysql.url });
  const transport: Settings = hasKafka()
    ? { TRANSPORT: 'kafka', KAFKA_BROKERS: kafkaBrokers().join(','), TOPIC: await freshTopic({ partitions: 2 }) }
    : { TRANSPORT: 'streams' };
  const [port, metrics] = [await freePort(), await freePort()];
  const settings = {
    ...{ MYSQL_URL: mysql.url, REDIS_URL: redis.url, PORT: String(port), ...transport },
    ...{ REDIS_TIMEOUT_MS: '300', MYSQL_TIMEOUT_MS: '1000', CONNECT_TIMEOUT_MS: '500', LOG_LEVEL: 'error' },
  };
  const pool = openSitePool(mysql.url, 2);
  await loadGraph(pool, {
    users: [...USERS, ...CONTACTS].map((id) => ({ id })),
    contacts: USERS.flatMap((user) => CONTACTS.map((contact) => ({ user, contact }))),
    photos: CONTACTS.map((owner, i) => ({ owner, audience: 0, uploadedAt: 1_000 + i })),
  });
  await pool.end();
  expect((await runCli(['backfill'], settings)).code).toBe(0);
  const loud = { ...settings, LOG_LEVEL: 'info' };
  await Promise.all([
    start('serve', loud, 'answering at'),
    start('consume', { ...loud, METRICS_PORT: String(metrics) }, 'consuming'),
    start('relay', loud, 'relaying'),
  ]);
  return { settings, address: `http://127.0.0.1:${port}`, metricsPorts: [port, metrics] };
}

/** Changes while MySQL is there: their tasks are on their way. */
async function change({ settings: { MYSQL_URL } }: System, contact: string): Promise<void> {
  const pool = openSitePool(MYSQL_URL, 2);
  for (const user of USERS.slice(0, 20)) await removeContact(pool, user, contact);
  for (const owner of CONTACTS.slice(0, 5)) await uploadPhoto(pool, owner, 0, 9_000 + Number(owner));
  await pool.end();
}

/** How often each status was seen. */
async function ask({ address }: System, ms: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const end = performance.now() + ms;
  const one = async (first: number) => {
    for (let n = first; performance.now() < end; n++) {
      const response = await fetch(`${address}/v1/users/${USERS[n % USERS.length]}/contacts/recent`);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all([0, 10, 20, 30].map(one));
  return statuses;
}

const memory = ({ metricsPorts }: System) => Promise.all(metricsPorts.map(residentBytes));

/** Neither the API nor the consumer grows while it lasts. */
async function expectFlat(system: System, before: readonly number[]): Promise<void> {
  const after = await memory(system);
  for (const [i, bytes] of after.entries()) expect(bytes - Number(before[i])).toBeLessThanOrEqual(GROWTH);
}

async function outboxIsEmpty({ settings }: System): Promise<boolean> {
  const connection = await createConnection(settings.MYSQL_URL);
  const [rows] = await connection.query('SELECT 1 FROM recency_outbox WHERE published_at IS NULL');
  await connection.end();
  return (rows as unknown[]).length === 0;
}

/** Nothing was lost and nothing was put aside; verify waits for what is still on its way. */
async function expectRight(system: System): Promise<void> {
  await until(() => outboxIsEmpty(system));
  const { stdout } = await runCli(['verify', '--json'], system.settings);
  expect(JSON.parse(stdout)).toMatchObject({ users: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
  expect((await runCli(['dlq', 'list', '--json'], system.settings)).stdout.trim()).toBe('');
}

it('faults 11 and 14: Redis away, then MySQL: answers or 503, memory flat, no dead letters, nothing lost', {
  timeout: 120_000,
}, async () => {
  await using mysql = await startMysql();
  await using redis = await startRedis(hasKafka() ? {} : { args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  // Or V8 lets garbage lie, more the more requests there are, which looks like growth.
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=64 --max-semi-space-size=2');
  onTestFinished(() => void vi.unstubAllEnvs());
  const system = await startSystem(mysql, redis);
  expect([...(await ask(system, AWAY_MS)).keys()]).toEqual([200]);

  const before = await memory(system);
  await redis.kill();
  await change(system, '130');
  const withoutRedis = await ask(system, AWAY_MS);
  await expectFlat(system, before);
  expect([...withoutRedis.keys()]).toEqual([200]);
  expect(withoutRedis.get(200)).toBeGreaterThan(50);
  await redis.restart();
  await expectRight(system);

  await change(system, '129');
  await mysql.kill();
  const withoutMysql = await ask(system, AWAY_MS);
  await expectFlat(system, before);
  expect([...withoutMysql.keys()]).toEqual([503]);
  await mysql.restart();
  await until(async () => (await ask(system, 100)).has(200));
  await expectRight(system);
});

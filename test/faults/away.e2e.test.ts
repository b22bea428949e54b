import process from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { type RunningServer, startMysql, startRedis } from '../../src/tools/devservers/start-server.ts';
import { residentBytes } from '../../src/tools/harness/http.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { freshTopic, hasKafka, kafkaBrokers } from '../support/servers.ts';
import { until } from '../support/until.ts';

const USERS = Array.from({ length: 50 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 30 }, (_, i) => String(101 + i));

/**
 * How long a store is unavailable, under as many requests as a few connections can make one after another; five minutes
 * with `npm run test:away`.
 */
const AWAY_MS = 1_000 * Number(process.env.AWAY_SECONDS ?? 3);
const LOOKS = 10;
/** Between the halves of that time: in the first one a process still learns what a fault is. */
const GROWTH = 20 * 2 ** 20;

interface System {
  readonly settings: Settings & { MYSQL_URL: string };
  readonly address: string;
  readonly metricsPorts: readonly number[];
}

/** The three processes on stores of their own. Kafka, where available, keeps the tasks when Redis loses everything. */
async function startSystem(mysql: RunningServer, redis: RunningServer): Promise<System> {
  await migrate({ url: mysql.url });
  const transport: Settings = hasKafka()
    ? { TRANSPORT: 'kafka', KAFKA_BROKERS: kafkaBrokers().join(','), TOPIC: await freshTopic({ partitions: 2 }) }
    : { TRANSPORT: 'streams' };
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const [port, consumePort, relayPort] = ports;
  const settings = {
    ...{ MYSQL_URL: mysql.url, REDIS_URL: redis.url, PORT: String(port), ...transport },
    LOG_LEVEL: 'error',
  };
  await indexedSite(settings, USERS, CONTACTS);
  const loud = { ...settings, LOG_LEVEL: 'info' };
  await Promise.all([
    startProcess('serve', loud),
    startProcess('consume', { ...loud, METRICS_PORT: String(consumePort) }),
    startProcess('relay', { ...loud, METRICS_PORT: String(relayPort) }),
  ]);
  return { settings, address: `http://127.0.0.1:${port}`, metricsPorts: ports };
}

/** Makes changes while MySQL is available; their tasks are on their way. */
async function change({ settings: { MYSQL_URL } }: System, contact: string): Promise<void> {
  const pool = openSitePool(MYSQL_URL, 2);
  for (const user of USERS.slice(0, 20)) await removeContact(pool, user, contact);
  for (const owner of CONTACTS.slice(0, 5)) await uploadPhoto(pool, owner, 0, 9_000 + Number(owner));
  await pool.end();
}

/** Where each of those who read side by side begins among the users. */
const READERS = [0, 10, 20, 30];

/** Counts of each status. */
type Statuses = Map<number, number>;

async function ask({ address }: System, ms: number): Promise<Statuses> {
  const statuses: Statuses = new Map();
  const end = performance.now() + ms;
  const one = async (first: number) => {
    for (let n = first; performance.now() < end; n++) {
      const response = await fetch(`${address}/v1/users/${USERS[n % USERS.length]}/contacts/recent`);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(READERS.map(one));
  return statuses;
}

const memory = ({ metricsPorts }: System) => Promise.all(metricsPorts.map(residentBytes));

/** Sends requests while a store is unavailable, and expects that no process grows. */
async function askWithin(system: System, what: string): Promise<Statuses> {
  const statuses: Statuses = new Map();
  const looks: number[][] = [];
  for (let look = 0; look < LOOKS; look++) {
    for (const [status, times] of await ask(system, AWAY_MS / LOOKS)) {
      statuses.set(status, (statuses.get(status) ?? 0) + times);
    }
    looks.push(await memory(system));
  }
  // What lies between two collections of garbage is not what it keeps.
  const least = (some: readonly number[][], i: number) => Math.min(...some.map((look) => Number(look[i])));
  const growth = system.metricsPorts.map(
    (_, i) => least(looks.slice(LOOKS / 2), i) - least(looks.slice(0, LOOKS / 2), i),
  );
  const mb = growth.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ');
  const requests = [...statuses].map(([status, times]) => `${times} × ${status}`);
  process.stdout.write(
    `${what} away for ${AWAY_MS / 1_000} s, ${requests}: serve, consume and relay grew by ${mb} MB\n`,
  );
  for (const bytes of growth) expect(bytes).toBeLessThanOrEqual(GROWTH);
  return statuses;
}

/** Expects that nothing is lost or a dead letter; `verify` waits for pending work. */
async function expectRight(system: System): Promise<void> {
  await until(async () => (await unpublished(system.settings.MYSQL_URL)) === 0);
  const { stdout } = await runInProcess(['verify', '--json'], system.settings);
  expect(JSON.parse(stdout)).toMatchObject({ users: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
  expect((await runInProcess(['dlq', 'list', '--json'], system.settings)).json()).toEqual([{ dead_letters: [] }]);
}

it('faults 11 and 14: Redis down, then MySQL: answers or 503, memory flat, no dead letters, nothing lost', {
  timeout: 400_000 + 3 * AWAY_MS,
}, async () => {
  await using mysql = await startMysql();
  await using redis = await startRedis(hasKafka() ? {} : { args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  // Otherwise V8 leaves garbage uncollected, the more requests the more, which looks like growth.
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=64 --max-semi-space-size=2');
  onTestFinished(() => void vi.unstubAllEnvs());
  const system = await startSystem(mysql, redis);
  expect([...(await ask(system, 2_000)).keys()]).toEqual([200]);

  await redis.kill();
  await change(system, '130');
  const withoutRedis = await askWithin(system, 'Redis');
  expect([...withoutRedis.keys()]).toEqual([200]);
  expect(withoutRedis.get(200)).toBeGreaterThan(READERS.length * LOOKS); // not each waits for a time limit
  await redis.restart();
  await expectRight(system);

  await change(system, '129');
  await mysql.kill();
  const withoutMysql = await askWithin(system, 'MySQL');
  expect([...withoutMysql.keys()]).toEqual([503]);
  await mysql.restart();
  await until(async () => (await ask(system, 100)).has(200));
  await expectRight(system);
});

import { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USERS = Array.from({ length: 300 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 40 }, (_, i) => String(1_001 + i));

/** Memory left for the backlog, bytes. */
const ROOM = 3 * 2 ** 20;

/** Tasks of 220 bytes each: more than fit. */
const TASKS = 20_000;

async function withIndexes(redisUrl: string) {
  const settings = { ...(await serviceSettings()), REDIS_URL: redisUrl, SAMPLE_RATE: '0' };
  const pool = openSitePool(settings.MYSQL_URL, 2);
  onTestFinished(() => pool.end());
  await indexedSite(settings, USERS, CONTACTS);
  return { settings, pool };
}

/** Writes more tasks than Redis has room for; some of the changes move every index, and empty some below their minimum. */
async function writeBacklog(pool: Pool): Promise<void> {
  for (const owner of CONTACTS.slice(0, 10)) await uploadPhoto(pool, owner, 0, 9_000 + Number(owner));
  for (const user of USERS.slice(0, 5)) {
    for (const contact of CONTACTS.slice(10)) await removeContact(pool, user, contact);
  }
  const values = (n: number) => `('recency.contact.changed', ${USERS[n % 300]}, ${CONTACTS[n % 40]}, 0)`;
  for (let from = 0; from < TASKS; from += 5_000) {
    const rows = Array.from({ length: 5_000 }, (_, i) => values(from + i)).join(',');
    await pool.query(`INSERT INTO recency_outbox (type, user_id, other_id, at) VALUES ${rows}`);
  }
  for (const owner of CONTACTS.slice(5, 12)) await uploadPhoto(pool, owner, 0, 19_000 + Number(owner));
}

it('a backlog fills Redis to its maxmemory: consumers that start then drain it, and nothing is lost', async () => {
  await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
  const { settings, pool } = await withIndexes(server.url);
  const redis = new Redis(server.url);
  redis.on('error', () => undefined); // the server ends before the client
  onTestFinished(() => redis.disconnect());
  const stream = `${settings.KEY_PREFIX}:${settings.TOPIC}`;
  await redis.xadd(stream, '*', 'body', 'not a task');
  await redis.set('of somebody else', 'x'.repeat(100_000));
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used + ROOM));
  await writeBacklog(pool);
  const relay = await startProcess('relay', settings);
  await until(() => relay.stdout.includes('OOM command not allowed'));
  expect(await unpublished(settings.MYSQL_URL)).toBeGreaterThan(3_000);
  // A relay's tasks go in together or not at all, so less than they need may be left; and what it sent takes memory for a moment.
  const refusal = () => redis.set('another', 'x'.repeat(500_000)).catch(({ message }: Error) => message);
  await until(async () => (await refusal()).startsWith('OOM'));

  const killed = await startProcess('consume', settings);
  await until(async () => (await redis.xpending(stream, settings.KAFKA_GROUP ?? '')).length > 0);
  killed.signal('SIGKILL');
  await killed.ended;
  const consumer = await startProcess('consume', settings);
  await until(async () => (await unpublished(settings.MYSQL_URL)) === 0, { interval: 200 });
  const doctor = async () => (await runInProcess(['doctor', '--json'], settings)).stdout;
  await until(async () => (await doctor()).includes('"detail":"0 tasks wait'), { interval: 500 });
  const verify = await runInProcess(['verify', '--users', 'all', '--json'], settings);
  expect(JSON.parse(verify.stdout)).toMatchObject({ warm: 300, wrong: 0, answers_wrong: 0, unsettled: 0 });
  const [{ dead_letters: letters }] = (await runInProcess(['dlq', 'list', '--json'], settings)).json();
  expect(letters).toHaveLength(1);
  expect(await redis.strlen('of somebody else')).toBe(100_000);
  expect(consumer.stdout).not.toContain('tasks were lost');
});

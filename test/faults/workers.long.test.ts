import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { BRISK } from '../support/brisk-main.ts';
import { type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { hasKafka, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USER = '1';
const CONTACTS = Array.from({ length: 20 }, (_, i) => String(2 + i));
const BEST = '21';

const TRANSPORTS = ['streams', ...(hasKafka() ? ['kafka' as const] : [])] as const;

type Site = Settings & { MYSQL_URL: string };

const PATIENT: Settings = { MYSQL_TIMEOUT_MS: '120000', SAMPLE_RATE: '0' };

/** One user with twenty contacts and an index. A statement may take longer than the test waits for what holds it up; the sampler's own would do so too. */
async function freshSite(transport: 'streams' | 'kafka'): Promise<Site> {
  const settings = { ...(await serviceSettings(transport)), TAKEOVER_MS: '6000', ...PATIENT };
  await indexedSite(settings, [USER], CONTACTS);
  return settings;
}

/** Locks a table, which stops a consumer between reading the nonces and writing. */
async function lockUsers(url: string): Promise<() => Promise<void>> {
  const connection = await createConnection(url);
  await connection.query('LOCK TABLES users WRITE');
  return () => connection.end();
}

/** Waits until the consumer's statement waits for the lock. */
async function isHeldUp(url: string): Promise<boolean> {
  const rows = (await sql(url, 'SHOW FULL PROCESSLIST')) as { db: string | null; Info: string | null }[];
  const database = new URL(url).pathname.slice(1);
  return rows.some(({ db, Info }) => db === database && /JSON_TABLE[\s\S]*recency_contacts/.test(Info ?? ''));
}

/** Writes a task without a transaction of the site, which would wait for the lock. */
async function addTask(url: string): Promise<void> {
  const columns = "('recency.contact.changed', 1, 21)";
  await sql(url, `INSERT INTO recency_outbox (type, user_id, other_id) VALUES ${columns}`);
}

async function best(settings: Settings): Promise<string | undefined> {
  return JSON.parse((await runInProcess(['inspect', USER, '--json'], settings)).stdout).members[0]?.id;
}

async function expectRight(settings: Settings): Promise<void> {
  const { code, stdout } = await runInProcess(['verify', '--json'], settings);
  expect(JSON.parse(stdout)).toMatchObject({ warm: 1, wrong: 0, answers_wrong: 0, unsettled: 0 });
  expect(code).toBe(0);
}

describe.concurrent('fault 2: a worker is stopped past its session between its read and its write', () => {
  it.for(TRANSPORTS)(
    '%s: another one takes over, and what the first one read is not written',
    async (transport, context) => {
      const settings = await freshSite(transport);
      const { MYSQL_URL } = settings;
      await startProcess('relay', settings, context);
      const port = String(await freePort());
      const stopped = await startProcess('consume', { ...settings, METRICS_PORT: port }, context);
      const unlock = await lockUsers(MYSQL_URL);
      await addTask(MYSQL_URL);
      await until(() => isHeldUp(MYSQL_URL));
      stopped.signal('SIGSTOP');
      await unlock(); // its outdated answer is now on its way to it

      const pool = openSitePool(MYSQL_URL, 1);
      await removeContact(pool, USER, BEST);
      await pool.end();
      await startProcess('consume', settings, context);
      await until(async () => (await best(settings)) === '20', { interval: 250 });

      stopped.signal('SIGCONT');
      // It continues with what it had read; or ends, where it was stopped for so long that it made no progress.
      const isAlive = async () => (await fetch(`http://127.0.0.1:${port}/livez`)).ok;
      await Promise.race([until(isAlive), stopped.ended]);
      expect(await best(settings)).toBe('20');
      await expectRight(settings);
    },
  );
});

describe.concurrent('fault 8: a consumer hangs while its heartbeats go on', () => {
  it.for(TRANSPORTS)(
    '%s: it exits when it has made no progress for its limit, although its handler never returns; the next one does the work',
    async (transport, context) => {
      const settings = await freshSite(transport);
      const { MYSQL_URL } = settings;
      await startProcess('relay', settings, context);
      const hanging = await startProcess('consume', settings, context, BRISK);
      const unlock = await lockUsers(MYSQL_URL);
      context.onTestFinished(unlock);
      await addTask(MYSQL_URL);
      await until(() => isHeldUp(MYSQL_URL));
      expect((await hanging.ended).code).toBe(1);
      expect(hanging.stdout).toContain('no progress for');
      await unlock();
      await startProcess('consume', settings, context);
      await expectRight(settings);
    },
  );
});

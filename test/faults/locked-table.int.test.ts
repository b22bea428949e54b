import { createConnection } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { askTables, GRANTS } from '../../src/health/check-mysql.ts';
import { answersAtOnce, askViews } from '../../src/index/store-fault.ts';
import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { FailedUsers } from '../../src/repair/failed-users.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { post } from '../support/api.ts';
import { startProcess } from '../support/cli.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshSitePool } from '../support/small-site.ts';
import { migratedDatabase } from '../support/stores.ts';
import { until } from '../support/until.ts';

const own = new OwnMysql();

const USERS = Array.from({ length: 5 }, (_, i) => String(1 + i));
const OWNERS = Array.from({ length: 12 }, (_, i) => String(101 + i));

/** @returns what lets them go */
async function lock(url: string, tables: string): Promise<() => Promise<unknown>> {
  const locker = await createConnection(url);
  onTestFinished(() => locker.end());
  await locker.query(`LOCK TABLES ${tables}`);
  return () => locker.query('UNLOCK TABLES');
}

/** As whatever waits to alter the table does. */
const lockContacts = (url: string) => lock(url, 'contacts WRITE');

/** A transaction that has read the table holds up an ALTER, which holds up everybody else. */
async function alterContacts(url: string): Promise<void> {
  const [reader, owner] = await Promise.all([createConnection(url), createConnection(url)]);
  onTestFinished(async () => {
    reader.destroy();
    await altered;
    await owner.end();
  });
  await reader.query('START TRANSACTION');
  await reader.query('SELECT * FROM contacts LIMIT 1');
  const altered = owner.query('ALTER TABLE contacts ADD COLUMN note INT');
  const waiting =
    "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table metadata lock'";
  await until(async () => (await sql(url, waiting)).length > 0);
}

async function openDatabase(deadlineMs: number) {
  const url = await migratedDatabase();
  const primary = new ContactsDatabase(url, { connections: 2, queue: 10, deadlineMs });
  onTestFinished(() => primary.close());
  return { url, primary };
}

describe('a table that is locked counts as MySQL that does not answer', () => {
  it('for consumers: no task becomes a dead letter, no epoch begins, and all is right afterwards', async () => {
    const settings = { ...(await serviceSettings()), MYSQL_TIMEOUT_MS: '1000' };
    await indexedSite(settings, USERS, OWNERS);
    const consumer = await startProcess('consume', settings);
    await startProcess('relay', settings);
    const epoch = () => sql(settings.MYSQL_URL, 'SELECT token FROM recency_epoch');
    const before = await epoch();

    const unlock = await lockContacts(settings.MYSQL_URL);
    await uploadPhoto(freshSitePool(settings.MYSQL_URL), '101', 0, 9_000);
    const failures = () => consumer.stdout.concat(consumer.stderr).split('a batch failed').length - 1;
    await until(() => failures() > 1, { what: 'the same batch, begun again' });
    await unlock();

    await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
    const { stdout } = await runInProcess(['verify', '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({ users: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect((await runInProcess(['dlq', 'list', '--json'], settings)).json()).toEqual([{ dead_letters: [] }]);
    expect(await epoch()).toEqual(before);
  });

  it('for consumers, also where a backup has locked what they write', async () => {
    const settings = { ...(await serviceSettings()), MYSQL_TIMEOUT_MS: '1000' };
    await indexedSite(settings, USERS, OWNERS);
    const [consumer, serve] = await Promise.all([startProcess('consume', settings), startProcess('serve', settings)]);
    const unlock = await lock(settings.MYSQL_URL, 'recency_outbox READ');
    // Its transaction has not committed yet, so it is to be looked at again.
    const task = { type: 'recency.contact.changed', user: '1', contact: '101', version: '900' };
    const url = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
    expect(await post({ url }, '/v1/tasks', task)).toMatchObject({ status: 202 });
    await until(() => consumer.stdout.split('a batch failed').length > 2, { what: 'the same batch, begun again' });
    await unlock();
    const waiting = 'SELECT COUNT(*) AS n FROM recency_outbox WHERE is_recheck = TRUE';
    await until(async () => Number((await sql(settings.MYSQL_URL, waiting))[0]?.n) === 1);
    expect((await runInProcess(['dlq', 'list', '--json'], settings)).json()).toEqual([{ dead_letters: [] }]);
  });

  it.each(['consume', 'notify'] as const)('for %s, also during FLUSH TABLES WITH READ LOCK', async (account) => {
    const url = await own.createDatabase();
    await migrate({ url });
    const primary = new ContactsDatabase(url, { connections: 10, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => primary.close());
    const answers = (ms: number) => answersAtOnce(askTables(primary, GRANTS[account]), ms)();
    expect(await answers(60_000)).toBe(true);
    const backup = await createConnection(url);
    onTestFinished(() => backup.destroy());
    await backup.query('FLUSH TABLES WITH READ LOCK');
    expect(await answers(500)).toBe(false);
    await backup.query('UNLOCK TABLES');
    expect(await answers(60_000)).toBe(true);
  });

  it.each([
    ['is locked', lockContacts],
    ['waits to be altered', alterContacts],
  ])('for jobs, when it %s: no user counts as failed', async (_, hold) => {
    const { url, primary } = await openDatabase(300);
    const failed = new FailedUsers(primary, [{ kind: CONTACTS }]);
    const work = () => primary.rows('SELECT * FROM recency_contacts', []);
    await hold(url);
    await expect(failed.workOn(['1'], work)).rejects.toThrow(DatabaseUnavailable);
    expect(failed.named).toEqual([]);
  });

  it('and one that MySQL refuses to read or to write does not: it has answered', async () => {
    const { url, primary } = await openDatabase(60_000);
    const answers = answersAtOnce([...askViews(primary, [CONTACTS]), ...askTables(primary, GRANTS.consume)], 60_000);
    await sql(url, 'DROP VIEW recency_photos', 'DROP TABLE recency_leases');
    expect(await answers()).toBe(true);
  });
});

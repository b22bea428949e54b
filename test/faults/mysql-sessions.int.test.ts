import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { closeAtEnd, freshName, freshPrefix } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, type Stores, storesOn as storesOf } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };
const USERS = ['1', '2'];
const SITE = everybodyKnows(USERS, ['101', '102', '103', '104', '105']);

const AUTOCOMMIT_OFF = 'SET GLOBAL autocommit = 0';
const READ_UNCOMMITTED = 'SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED';

const AS_BEFORE = ['SET GLOBAL autocommit = 1', 'SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE'];

const own = new OwnMysql();
beforeAll(() => own.run("CREATE USER app@'%' IDENTIFIED BY 'secret'", "GRANT ALL ON `t%`.* TO app@'%'"));

/** The database's URL for an account that may do what Recency needs, and no more. */
function accountUrl(database: string): string {
  const url = new URL(own.server.url);
  [url.username, url.password, url.pathname] = ['app', 'secret', `/${database}`];
  return url.href;
}

/** Stores whose connections are opened under these settings. The site's own connections are opened before. */
async function storesOn(settings: readonly string[]): Promise<{ stores: Stores; site: Pool }> {
  const name = freshName();
  await own.createDatabase(name);
  const url = accountUrl(name);
  await migrate({ url });
  const site = freshSitePool(url);
  await writeSite(site, SITE);
  await own.run(...settings);
  onTestFinished(() => own.run(...AS_BEFORE));
  const primary = new ContactsDatabase(url, { connections: 1, queue: 100, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  const stores = storesOf({ url, prefix: freshPrefix(), primary, redis: await freshRedis() }, LIMITS);
  await run(rebuild(USERS), stores.steps);
  return { stores, site };
}

describe('a server whose sessions begin', () => {
  it('without autocommit: a refresh reads the current state, not the first snapshot of its connection', async () => {
    const { stores, site } = await storesOn([AUTOCOMMIT_OFF]);
    await removeContact(site, '1', '105');
    await run(refresh([{ user: '1', contact: '105' }]), stores.steps);
    expect(await members(stores, '1')).toEqual(['104', '103', '102', '101']);
  });

  it('with READ UNCOMMITTED: what another transaction has not committed stays out of the index', async () => {
    const { stores, site } = await storesOn([READ_UNCOMMITTED]);
    const connection = await site.getConnection();
    onTestFinished(() => connection.release());
    await connection.query('START TRANSACTION');
    await connection.query('UPDATE contacts SET active = FALSE WHERE user_id = 2 AND contact_id = 105');
    await run(refresh([{ user: '2', contact: '105' }]), stores.steps);
    await connection.query('ROLLBACK');
    expect(await members(stores, '2')).toContain('105');
  });

  it('without a time limit: the server ends a statement at the deadline of its call', async () => {
    const { stores } = await storesOn([]);
    const database = new ContactsDatabase(stores.url, { connections: 1, queue: 10, deadlineMs: 300 });
    onTestFinished(() => database.close());
    const rows = () =>
      stores.primary.rows("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT BENCHMARK(%'", []);
    await expect(database.rows("SELECT BENCHMARK(1000000000, MD5('x'))", [])).rejects.toThrow();
    await until(async () => (await rows()).length === 0);
  });
});

describe('a session that cannot be set up', () => {
  it('is not used: its error reaches the caller, and the next call opens another one', async () => {
    const { stores } = await storesOn([]);
    await using proxy = await TcpProxy.before(stores.url);
    const database = new ContactsDatabase(proxy.url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    proxy.loseReplies(2); // of the handshake and of the first statement
    await expect(database.rows('SELECT @@autocommit', [])).rejects.toThrow(DatabaseUnavailable);
    await own.run(AUTOCOMMIT_OFF);
    await until(async () => (await database.rows('SELECT @@autocommit', []).catch(() => []))[0]?.[0] === 1);
  });
});

async function members(stores: Stores, user: string): Promise<string[]> {
  const reading = await stores.index.read(user, 0, false);
  return reading.state === 'warm' ? reading.head.map(({ id }) => id) : [reading.state];
}

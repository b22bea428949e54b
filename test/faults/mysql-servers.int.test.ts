import { describe, expect, it, onTestFinished } from 'vitest';
import { NotReady } from '../../src/api/readiness.ts';
import { primaryCheck } from '../../src/app/checks.ts';
import { StartError } from '../../src/config/start-error.ts';
import { checkPrimary } from '../../src/health/check-mysql.ts';
import type { Finding } from '../../src/health/finding.ts';
import { bumpEpoch, checkMysqlServer } from '../../src/index/epoch.ts';
import { fanOut } from '../../src/index/fan-out.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { Database, DatabaseNotPrimary } from '../../src/mysql/database.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { readServer } from '../../src/mysql/server-record.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { expectExact } from '../support/exact.ts';
import { runInProcess } from '../support/in-process.ts';
import { putOnRecord } from '../support/on-record.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { closeAtEnd, freshDatabase, freshPrefix } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, migratedDatabase, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };
const USERS = ['1', '2'];
const SITE = everybodyKnows(USERS, ['101', '102', '103', '104', '105']);

const own = new OwnMysql();

/** Stores with the site in this database, on the server on record; every user has an index. `primary` connects to `via`. */
async function storesIn(url: string, via = url): Promise<Stores> {
  await migrate({ url });
  await writeSite(freshSitePool(url), SITE);
  const primary = new ContactsDatabase(via, { connections: 2, queue: 100, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  const stores = storesOn({ url, prefix: freshPrefix(), primary, redis: await freshRedis() }, LIMITS);
  expect(await checkMysqlServer(primary)).toBe('first');
  await run(rebuild(USERS), stores.steps);
  return stores;
}

/** The current answer for user 1. */
async function answer(stores: Stores, limit = 4) {
  return await recentContactsOn(stores, LIMITS).find({ user: '1', relation: 'any', limit, below: undefined });
}

const token = async ({ primary }: Stores) => (await readEpoch(primary)).token;

describe('a primary that no longer accepts writes', () => {
  it('is not used for writes to indexes, is not ready, and its answers count as those of a replica', async () => {
    const stores = await storesIn(await own.createDatabase());
    expect(await answer(stores)).toMatchObject({ source: 'index', exact: true });
    await own.run('SET GLOBAL read_only = 1'); // existing connections stay open
    onTestFinished(() => own.run('SET GLOBAL read_only = 0'));

    const before = await stores.index.read('1', 0, false);
    await expect(run(refresh([{ user: '1', contact: '105' }]), stores.steps)).rejects.toThrow(DatabaseNotPrimary);
    await expect(run(rebuild(['1']), stores.steps)).rejects.toThrow(DatabaseNotPrimary);
    await expect(run(fanOut(['105'], 'contacts'), stores.steps)).rejects.toThrow(DatabaseNotPrimary);
    expect(await stores.index.read('1', 0, false)).toEqual(before);
    expect(await answer(stores)).toMatchObject({ source: 'index', exact: false, replica: true });
    expect(await answer(stores, 100)).toMatchObject({ exact: false, replica: true });
    await expect(primaryCheck(stores.primary)()).rejects.toThrow(NotReady);
    await expect(checkPrimary(stores.primary)).rejects.toThrow(StartError);
    const epoch = await token(stores);
    await expect(checkMysqlServer(stores.primary)).rejects.toThrow(/takes no writes/);
    expect(await token(stores)).toBe(epoch);

    await own.run('SET GLOBAL read_only = 0');
    await primaryCheck(stores.primary)();
    await run(rebuild(['1']), stores.steps);
    expect(await answer(stores)).toMatchObject({ source: 'index', exact: true });
  });
});

describe('a different server behind the same address', () => {
  it('only answers plain queries until it has been compared; then a new epoch begins', async () => {
    const url = await freshDatabase();
    await using proxy = await TcpProxy.before(url);
    const stores = await storesIn(url, proxy.url);
    expect(await answer(stores)).toMatchObject({ source: 'index' });
    proxy.leadTo(await own.copyOf(url)); // nothing is compared in between: no watch runs here

    expect(await answer(stores)).toMatchObject({ source: 'database', reason: 'cold' });
    await expect(run(refresh([{ user: '2', contact: '105' }]), stores.steps)).rejects.toThrow(DatabaseNotPrimary);
    expect(await stores.index.read('2', 0, false)).toMatchObject({ state: 'warm' });
    const epoch = await token(stores);
    const outcomes = await Promise.all([1, 2, 3].map(() => checkMysqlServer(stores.primary)));
    expect(outcomes.sort()).toEqual(['known', 'known', 'new_epoch']);
    expect(await token(stores)).not.toBe(epoch);
    await run(rebuild(USERS), stores.steps);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'after the failover');
    expect(await answer(stores)).toMatchObject({ source: 'index', exact: true });
  });

  it('that alternates with the one on record is refused, and begins no epoch', async () => {
    const stores = await storesIn(await own.createDatabase());
    const { proof } = await readServer(stores.primary);
    await replacedBy(stores, 'uuid:of-the-other-writer', { seenAt: Date.now(), replaced: { [proof]: Date.now() } });
    const epoch = await bumpEpoch(stores.primary, 'as it is whenever another server comes on record');
    for (let i = 0; i < 3; i++) await expect(checkMysqlServer(stores.primary)).rejects.toThrow(/in turns/);
    expect(await token(stores)).toBe(epoch);
    await expect(run(refresh([{ user: '1', contact: '105' }]), stores.steps)).rejects.toThrow(DatabaseNotPrimary);
    const later = Date.now() - 31_000; // the other one has not been seen since
    await replacedBy(stores, 'uuid:of-the-other-writer', { seenAt: later, replaced: { [proof]: Date.now() } });
    expect(await checkMysqlServer(stores.primary)).toBe('new_epoch');
    expect(await checkMysqlServer(stores.primary)).toBe('known');
  });

  it('that comes back because the one on record was made read-only is put on record at once', async () => {
    const url = await freshDatabase();
    await using proxy = await TcpProxy.before(url);
    const stores = await storesIn(url, proxy.url);
    const { primary } = stores;
    const { proof: first } = await readServer(primary);
    proxy.leadTo(await own.copyOf(url));
    await until(() => checkMysqlServer(primary).then((outcome) => outcome === 'new_epoch'));
    const { identity: second } = await readServer(primary);
    await own.run('SET GLOBAL read_only = 1');
    onTestFinished(() => own.run('SET GLOBAL read_only = 0'));
    const record = { seenAt: Date.now() - 1, replaced: { [first]: Date.now() } };
    await expect(run(rebuild(['1']), stores.steps)).rejects.toThrow(DatabaseNotPrimary);

    proxy.leadTo(url); // which has what the other one recorded, as a replica of it would
    await until(async () => (await readServer(primary)).proof === first);
    await replacedBy(stores, second, record);
    expect(await checkMysqlServer(primary)).toBe('new_epoch');
  });

  it('is named by doctor, together with the one on record, and the process is not ready', async () => {
    const url = await migratedDatabase();
    await using proxy = await TcpProxy.before(url);
    proxy.alternateWith(await own.copyOf(url));
    const both = new Database(proxy.url, { connections: 3, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => both.close());
    await expect(primaryCheck(both)()).rejects.toThrow(/several MySQL servers answer in turns: .+; .+/);
    const { json } = await runInProcess(['doctor', '--json'], { ...(await serviceSettings()), MYSQL_URL: proxy.url });
    const [{ findings }] = json() as [{ findings: Finding[] }];
    expect(findings.find(({ area, check }) => area === 'mysql' && check === 'primary')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(/^several servers answer in turns: .+; .+/),
    });
  });

  async function replacedBy({ primary }: Stores, identity: string, replacements: object): Promise<void> {
    await putOnRecord(primary, identity);
    const value = JSON.stringify(replacements);
    await primary.write("REPLACE INTO recency_settings (name, value) VALUES ('mysql:replaced', ?)", [value]);
  }
});

describe('a session that Recency has not set up', () => {
  it('is not used: the connection is replaced', async () => {
    const stores = await storesIn(await own.createDatabase());
    await Promise.all(
      [1, 2].map(() => stores.primary.rows('SET @recency_server = NULL, @recency_proof = NULL, autocommit = 0', [])),
    );
    await run(refresh([{ user: '1', contact: '105' }]), stores.steps);
    expect(await stores.primary.rows('SELECT @@autocommit', [])).toEqual([[1]]);
  });
});

describe('a restarted server', () => {
  it('counts as the same one if it flushes every commit, and as another one if a crash may lose some', async () => {
    const DURABLE = 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'; // the test's server starts with 2
    await own.run(DURABLE);
    const stores = await storesIn(await own.createDatabase());
    expect(await readServer(stores.primary)).toMatchObject({ isRelaxed: false });
    await own.server.restart();
    await own.run(DURABLE);
    expect(await checkMysqlServer(stores.primary)).toBe('known');
    const epoch = await token(stores);

    await own.run('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
    await expect(checkMysqlServer(stores.primary)).rejects.toThrow(/flush less/); // sessions opened before
    expect(await checkMysqlServer(stores.primary)).toBe('new_epoch'); // unknown since when
    expect(await checkMysqlServer(stores.primary)).toBe('known');
    const relaxed = await token(stores);
    expect(relaxed).not.toBe(epoch);
    await run(rebuild(USERS), stores.steps);
    const startedAt = Number((await readServer(stores.primary)).identity.split('@')[1]);
    await until(() => Date.now() / 1_000 > startedAt + 1); // starts are distinguished by their second
    await own.server.kill();
    await own.server.restart();
    expect(await answer(stores)).toMatchObject({ reason: 'cold' });
    expect(await checkMysqlServer(stores.primary)).toBe('new_epoch');
    expect(await checkMysqlServer(stores.primary)).toBe('known');
    expect(await token(stores)).not.toBe(relaxed);
  });
});

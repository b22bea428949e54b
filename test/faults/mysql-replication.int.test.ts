import { createConnection } from 'mysql2/promise';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { replicationVerdict } from '../../src/doctor/mysql-server-checks.ts';
import { bumpEpoch, checkMysqlServer, checkRedisMasters } from '../../src/index/epoch.ts';
import { fanOut } from '../../src/index/fan-out.ts';
import { outboxBarrier } from '../../src/index/index-drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { Database, DatabaseNotPrimary } from '../../src/mysql/database.ts';
import { EPOCH, readAnswer, readEpoch, readProvenEpoch } from '../../src/mysql/epoch.ts';
import { eraseUser } from '../../src/mysql/erase.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { expectExact } from '../support/exact.ts';
import { putOnRecord } from '../support/on-record.ts';
import { recorder, silent } from '../support/outbox-bench.ts';
import { ReplicatedMysql } from '../support/replicated-mysql.ts';
import { closeAtEnd, freshName, freshPrefix, sql } from '../support/servers.ts';
import { everybodyKnows, writeSite } from '../support/small-site.ts';
import { freshRedis, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const CONNECTIONS = { connections: 4, queue: 100, deadlineMs: 60_000 };
const LIMITS = { max: 8, min: 4 };
const USERS = ['1', '2'];
const CONTACTS = ['101', '102', '103', '104', '105'];

const servers = new ReplicatedMysql();

let urls: { primary: string; replica: string };
let pool: ReturnType<typeof openSitePool>;

beforeEach(async () => {
  urls = await servers.createDatabase(freshName());
  await migrate({ url: urls.primary });
  pool = openSitePool(urls.primary, 2);
  onTestFinished(() => pool.end());
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  expect(await checkMysqlServer(await open(urls.primary))).toBe('first');
  await servers.catchUp();
});

async function open(url: string): Promise<ContactsDatabase> {
  const database = new ContactsDatabase(url, CONNECTIONS);
  closeAtEnd(() => database.close());
  return database;
}

function relayOn(database: Database) {
  const { tasks, publish } = recorder();
  const publisher = { publish, checkRoom: async () => undefined };
  const relay = new OutboxRelay({ database, publisher, deadLetters: { put: async () => undefined }, logger: silent });
  return { relay, tasks };
}

/** An upload whose task the primary's relay has published, and whose rows the replica has received and not applied. */
async function uploadWithheld(): Promise<void> {
  await servers.hold();
  await uploadPhoto(pool, '101', 0, 2_000_000_000_000);
  const { relay, tasks } = relayOn(await open(urls.primary));
  await relay.runOnce();
  expect(tasks).toHaveLength(1);
}

/** The replica is written to instead of the primary. */
async function failOver(redis?: Stores['redis']): Promise<Stores> {
  const primary = await open(urls.replica);
  expect(await checkMysqlServer(primary)).toBe('new_epoch');
  const stores = await storesAt(urls.replica, primary, redis);
  await run(rebuild(USERS), stores.steps);
  return stores;
}

describe('a replica that is written to before it has applied what it received', () => {
  it('publishes what arrives as published elsewhere, once, and its lag counts it until then', async () => {
    await uploadWithheld();
    const stores = await failOver();
    const { primary } = stores;
    await servers.release();
    const arrived = 'SELECT 1 FROM recency_outbox WHERE published_at IS NOT NULL';
    await until(async () => (await sql(urls.replica, arrived)).length === 1);

    const barrier = await outboxBarrier(primary)([]);
    expect(await barrier.passed(), 'a change is on its way').toBe(false);
    const { relay, tasks } = relayOn(primary);
    expect(await relay.runOnce()).toMatchObject({ published: 0 });
    expect(await relay.publishOthers()).toBe(1);
    expect(tasks.map(({ task }) => task)).toMatchObject([{ type: 'recency.photo.uploaded', owner: '101' }]);
    expect(await barrier.passed()).toBe(true);
    expect(await relay.publishOthers(), 'it is its own now').toBe(0);
    await run(fanOut(['101'], 'contacts'), stores.steps);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'after the failover');
  });

  it('publishes nothing of those who were erased', async () => {
    await uploadWithheld();
    const { primary } = await failOver();
    await servers.release();
    const arrived = 'SELECT 1 FROM recency_outbox WHERE published_at IS NOT NULL';
    await until(async () => (await sql(urls.replica, arrived)).length === 1);
    expect(await eraseUser(primary, '101', true)).toMatchObject({ outbox: 1 });
    const barrier = await outboxBarrier(primary)([]);
    expect(await barrier.passed()).toBe(true);
    expect(await relayOn(primary).relay.publishOthers()).toBe(0);
  });

  it('certifies nothing while it still applies that', async () => {
    const locked = await createConnection(urls.replica);
    onTestFinished(() => locked.destroy());
    await locked.query('LOCK TABLES users WRITE, photos WRITE');
    await uploadPhoto(pool, '101', 0, 2_000_000_000_000);
    const primary = await open(urls.replica);
    await until(() => checkMysqlServer(primary).catch((error: Error) => /still applies/.test(error.message)));
    const epoch = (await readEpoch(primary)).token;
    await expect(checkMysqlServer(primary)).rejects.toThrow(/still applies what it has received from/);
    expect((await readEpoch(primary)).token).toBe(epoch);
    await locked.query('UNLOCK TABLES');
    const accepted = () => checkMysqlServer(primary).catch(() => undefined);
    expect(await until(accepted)).toBe('new_epoch');
  });
});

async function storesAt(url: string, primary: ContactsDatabase, redis?: Stores['redis']): Promise<Stores> {
  return storesOn({ url, prefix: freshPrefix(), primary, redis: redis ?? (await freshRedis()) }, LIMITS);
}

describe('an epoch of the primary that arrives after its replica was put on record', () => {
  it('brings none of its indexes back, here or at a replica of this server', async () => {
    const before = await storesAt(urls.primary, await open(urls.primary));
    await servers.hold();
    const lost = await bumpEpoch(before.primary, 'tasks were lost');
    await run(rebuild(USERS), before.steps);
    const { primary } = await failOver(before.redis);
    const put = (await readEpoch(primary)).token;
    await uploadPhoto(openPool(urls.replica), '101', 0, 2_000_000_000_000); // the indexes of that epoch lack it
    await servers.release();
    await until(async () => (await readEpoch(primary)).token === lost);

    await expect(readProvenEpoch(primary)).rejects.toThrow(DatabaseNotPrimary);
    const statement = `SELECT ${EPOCH} FROM recency_epoch AS e`;
    expect((await readAnswer(primary, statement, [])).epoch).not.toBe(lost);
    const replica = new Database(urls.replica, { ...CONNECTIONS, replicaOf: primary });
    onTestFinished(() => replica.close());
    expect((await readAnswer(replica, statement, [])).epoch).not.toBe(lost);
    await servers.catchUp();
    expect(await checkMysqlServer(primary)).toBe('new_epoch');
    expect([lost, put]).not.toContain(await readProvenEpoch(primary));
    expect((await readAnswer(replica, statement, [])).epoch).toBe(await readProvenEpoch(primary));
  });

  it.each(['MINIMAL', 'FULL'])('whatever part of its row the log holds (%s)', async (image) => {
    const before = await open(urls.primary);
    const [[was] = []] = await before.rows('SELECT @@global.binlog_row_image', []);
    await sql(urls.primary, `SET GLOBAL binlog_row_image = ${image}`);
    onTestFinished(() => sql(urls.primary, `SET GLOBAL binlog_row_image = '${was}'`).then(() => undefined));
    before.renewConnections();
    await servers.hold();
    const lost = await bumpEpoch(await open(urls.primary), 'tasks were lost');
    const { primary } = await failOver();
    await servers.catchUp();
    expect((await readEpoch(primary)).token).toBe(lost);
    await expect(readProvenEpoch(primary)).rejects.toThrow(DatabaseNotPrimary);
  });
});

describe('what each of two servers has recorded of Redis and of the other, while they were apart', () => {
  it('stops no replication when it arrives', async () => {
    const before = await open(urls.primary);
    const masters = (runId: string) => [{ address: 'redis:6379', runId, replicationId: 'x' }];
    await checkRedisMasters(before, masters('first'), { roles: ['index', 'streams'], ownership: undefined });
    await servers.catchUp();
    await servers.hold();
    expect(
      await checkRedisMasters(before, masters('second'), { roles: ['index', 'streams'], ownership: undefined }),
    ).toMatchObject({
      recorded: 'new_epoch',
    });
    const { primary } = await failOver();
    expect(
      await checkRedisMasters(primary, masters('second'), { roles: ['index', 'streams'], ownership: undefined }),
    ).toMatchObject({
      recorded: 'new_epoch',
    });
    await servers.catchUp();
    expect(await checkMysqlServer(primary)).toBe('new_epoch');
    expect(await replicationVerdict(primary)).toMatchObject({ state: 'warning' });
  });
});

describe('a replication that has stopped', () => {
  it('is a problem that doctor names', async () => {
    const ROW = "INSERT INTO recency_settings (name, value) VALUES ('of both', '')";
    await sql(urls.replica, ROW);
    await sql(urls.primary, ROW);
    const primary = await open(urls.replica);
    const state = async () => (await replicationVerdict(primary)).state;
    await until(async () => (await state()) === 'problem');
    expect(await replicationVerdict(primary)).toMatchObject({
      detail: expect.stringMatching(/^the replication from .+:\d+ has stopped: .+/),
    });
    await sql(urls.replica, "DELETE FROM recency_settings WHERE name = 'of both'");
    await servers.catchUp();
    expect(await state()).toBe('warning');
  });
});

describe('the server on record', () => {
  it('leaves what it has published itself, and what had arrived when it came on record', async () => {
    await uploadPhoto(pool, '101', 0, 2_000_000_000_000);
    const { relay } = relayOn(await open(urls.primary));
    await relay.runOnce();
    await sql(urls.primary, 'UPDATE recency_outbox SET published_at = published_at - 3600000');
    await uploadPhoto(pool, '102', 0, 2_000_000_000_001);
    await relay.runOnce();
    expect(await relay.publishOthers()).toBe(0);
    await servers.catchUp();
    const { primary } = await failOver();
    const after = relayOn(primary);
    await uploadPhoto(openPool(urls.replica), '103', 0, 2_000_000_000_002);
    await after.relay.runOnce();
    expect(await after.relay.publishOthers(), 'only the latest minute').toBe(1);
    expect(after.tasks.map(({ task }) => 'owner' in task && task.owner)).toEqual(['103', '102']);
  });

  it('is the only one that publishes what others have: each would publish what the other has, again and again', async () => {
    await uploadWithheld();
    const { primary } = await failOver();
    await servers.release();
    const other = await open(urls.primary);
    await until(async () => (await relayOn(primary).relay.publishOthers()) === 1);
    await other.write('UPDATE recency_outbox SET published_by = ?', ['another']);
    await other.write("REPLACE INTO recency_settings (name, value) VALUES ('outbox:others_marks', '{}')", []);
    await putOnRecord(other, 'uuid:another');
    expect(await relayOn(other).relay.publishOthers()).toBe(0);
  });
});

function openPool(url: string) {
  const opened = openSitePool(url, 1);
  onTestFinished(() => opened.end());
  return opened;
}

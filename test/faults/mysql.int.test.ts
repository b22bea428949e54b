import { createConnection, createPool } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import type { DatabaseOptions } from '../../src/mysql/database.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { readCandidates } from '../../src/mysql/statements/candidates.ts';
import { readFollowerAt, readFollowers } from '../../src/mysql/statements/followers.ts';
import { readPairs } from '../../src/mysql/statements/pairs.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { ask, startTestApi } from '../support/api.ts';
import { startConsuming } from '../support/consuming.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { expectExact } from '../support/exact.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { closeAtEnd, freshDatabase, freshPrefix } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };
const USERS = Array.from({ length: 20 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 30 }, (_, i) => String(101 + i));
const SITE = everybodyKnows(USERS, CONTACTS);
const PATH = (user: string) => `/v1/users/${user}/contacts/recent?limit=4`;

const own = new OwnMysql();

type Options = Partial<DatabaseOptions>;

function database(url: string, options: Options = {}): ContactsDatabase {
  const opened = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000, ...options });
  closeAtEnd(() => opened.close());
  return opened;
}

/** Stores on a database of the test's own server, with the site in it; every user has an index. */
async function storesOnOwnServer(options: Options = {}, site: SmallSite = SITE): Promise<Stores> {
  const url = await own.createDatabase();
  await migrate({ url });
  await writeSite(freshSitePool(url), site);
  const primary = database(url, options);
  const stores = storesOn({ url, prefix: freshPrefix(), primary, redis: await freshRedis() }, LIMITS);
  await run(rebuild(USERS), stores.steps);
  return stores;
}

/** Stores whose MySQL is behind a proxy; the pool's connections are open. */
async function behindProxy(options: Options): Promise<{ proxy: TcpProxy; stores: Stores }> {
  const direct = await freshStores(LIMITS);
  await writeSite(freshSitePool(direct.url), SITE);
  const proxy = await TcpProxy.before(direct.url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const stores = storesOn({ ...direct, primary: database(proxy.url, options) }, LIMITS);
  await run(rebuild(USERS), stores.steps);
  await Promise.all(USERS.slice(0, 5).map(() => stores.primary.rows('SELECT SLEEP(0.2)', [])));
  return { proxy, stores };
}

describe('fault 11: MySQL is down', () => {
  it('the consumers pause, nothing goes to the dead letters, and all tasks are done afterwards', async () => {
    const stores = await storesOnOwnServer({ deadlineMs: 2_000 });
    const consuming = await startConsuming(stores);
    const pool = freshSitePool(stores.url);
    for (const user of USERS) await removeContact(pool, user, '130');
    await until(async () => (await readOutbox(stores)) === 0 && (await consuming.lag()) === 0);
    await own.server.kill();
    await consuming.transport.publisher.publish(
      USERS.map((user) => {
        const task = { type: 'recency.contact.removed', user, contact: '129' } as const;
        return { task, id: `129-${user}`, source: '/test', time: Date.now() };
      }),
    );
    await expect(stores.primary.rows('SELECT 1', [])).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    await until(async () => (await consuming.lag()) === USERS.length);
    await own.server.restart();
    await until(async () => (await consuming.lag()) === 0);
    expect(await consuming.transport.deadLetters.list({ limit: 10 })).toEqual([]);
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'after MySQL came back');
    await consuming.stop();
  });

  async function readOutbox({ primary }: Stores): Promise<number> {
    const [row] = await primary.rows('SELECT COUNT(*) FROM recency_outbox WHERE published_at IS NULL', []);
    return Number(row?.[0]);
  }
});

describe('fault 25: half-open MySQL connections', () => {
  it('one deadline, one retry on another connection, and no waiting for the others', async () => {
    const deadlineMs = 4_000;
    const { proxy, stores } = await behindProxy({ deadlineMs });
    const api = await startTestApi(stores, LIMITS);
    expect(proxy.connections).toBeGreaterThanOrEqual(5);
    proxy.silence();
    const times: number[] = [];
    for (let i = 0; i < 6; i++) {
      const from = performance.now();
      expect((await ask(api, PATH('1'))).status).toBe(200);
      times.push(performance.now() - from);
    }
    expect(times[0]).toBeGreaterThanOrEqual(deadlineMs - 10);
    expect(Math.max(...times.slice(1))).toBeLessThan(deadlineMs - 100);
  });

  it('with no other available: 503 after two deadlines, and answers once there is one', async () => {
    const deadlineMs = 3_000;
    const { proxy, stores } = await behindProxy({ deadlineMs });
    const api = await startTestApi(stores, LIMITS);
    proxy.silence({ alsoNew: true });
    const from = performance.now();
    expect(await ask(api, PATH('1'))).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(performance.now() - from).toBeLessThan(3 * deadlineMs);
    proxy.restore();
    await until(async () => (await ask(api, PATH('1'))).status === 200);
  });
});

describe('fault 26: idle connections closed by wait_timeout', () => {
  it('go unnoticed: one retry, no 5xx', async () => {
    const stores = await storesOnOwnServer();
    const name = new URL(stores.url).pathname.slice(1);
    const connections = async () => {
      const rows = (await own.query('SHOW PROCESSLIST')) as { Id: number; db: string | null }[];
      return rows.filter(({ db }) => db === name).map(({ Id }) => Id);
    };
    const before = new Set(await connections());
    await own.run('SET GLOBAL wait_timeout = 1'); // for connections that are opened from here on
    onTestFinished(() => own.run('SET GLOBAL wait_timeout = 28800'));
    const api = await startTestApi(storesOn({ ...stores, primary: database(stores.url) }, LIMITS), LIMITS);
    const open = async () => (await connections()).filter((id) => !before.has(id)).length;
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(USERS.map((user) => ask(api, PATH(user))));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      if (round < 2) await until(async () => (await open()) === 0, { interval: 1 });
    }
  });
});

describe('fault 27: the pool is exhausted (2 connections, 200 clients)', () => {
  it('requests wait up to the limit, the others get 503 at once, and all are answered afterwards', async () => {
    const stores = await freshStores(LIMITS);
    await writeSite(freshSitePool(stores.url), SITE);
    await run(rebuild(USERS), stores.steps);
    const small = database(stores.url, { connections: 2, queue: 20, deadlineMs: 60_000 });
    const api = await startTestApi(storesOn({ ...stores, primary: small }, LIMITS), LIMITS);
    const locked = await createConnection(stores.url);
    await locked.query('LOCK TABLES contacts WRITE, users WRITE');
    const times: number[] = [];
    const asked = Array.from({ length: 200 }, async (_, i) => {
      const from = performance.now();
      const { status, body, headers } = await ask(api, PATH(USERS[i % USERS.length] as string));
      times.push(performance.now() - from);
      return { status, code: body.code, retry: headers.get('retry-after') };
    });
    await until(() => times.length === 178);
    expect(Math.max(...times)).toBeLessThan(30_000);
    await locked.end();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(178);
    for (const one of refused) expect(one).toEqual({ status: 503, code: 'database_busy', retry: '1' });
    expect((await ask(api, PATH('1'))).status).toBe(200);
  });
});

/** Number of narrowed queries; a million take some minutes: FAULTS_QUERIES=1000000. */
const QUERIES = Number(process.env.FAULTS_QUERIES ?? 6_000);

async function preparedStatements(of: ContactsDatabase): Promise<number> {
  const [row] = await of.rows("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'", []);
  return Number(row?.[1]);
}

describe('fault 28: very many queries with varying numbers of parameters', () => {
  it('leave the number of prepared statements unchanged', async () => {
    const stores = await storesOnOwnServer({ connections: 1 });
    const { primary } = stores;
    const recent = recentContactsOn(stores, LIMITS);
    const askAll = (n: number) =>
      Promise.all([
        readCandidates(primary, '1', CONTACTS.slice(0, n)),
        readPairs(
          primary,
          CONTACTS.slice(0, n).map((contact) => ({ user: '1', contact })),
        ),
        readTopContacts(primary, USERS.slice(0, 1 + (n % USERS.length)), 1 + n),
        readFollowers(primary, { owner: '101', after: '0' }, n),
        readFollowers(primary, { owner: '101', after: '0', through: '9' }, n),
        readFollowerAt(primary, { owner: '101', after: '0' }, n),
        recent.find({ user: '1', relation: 'any', limit: n, below: undefined }),
      ]);
    const prepared = () => preparedStatements(primary);
    for (const n of [1, 20, 29]) await askAll(n); // a single user has a statement text of its own
    await prepared();
    const before = await prepared();
    for (let n = 1; n < 150; n++) await askAll(1 + (n % 29));
    // Other tests' connections to this server may still close, or prepare a statement.
    expect((await prepared()) - before).toBeLessThan(5);
  });

  it(`leave it unchanged over ${QUERIES} queries with 1 to 127 candidates`, {
    timeout: 90_000 + QUERIES * 20,
  }, async () => {
    const connections = 5;
    const { primary } = await storesOnOwnServer({ connections });
    const candidates = Array.from({ length: 127 }, (_, i) => String(101 + i));
    let asked = 0;
    const askOn = async (until: number) => {
      while (asked < until) await readCandidates(primary, '1', candidates.slice(0, 1 + (asked++ % candidates.length)));
    };
    const askUntil = (until: number) => Promise.all(Array.from({ length: 4 * connections }, () => askOn(until)));
    // Every connection has been used, also for the count.
    await askUntil(QUERIES / 100);
    await Promise.all(Array.from({ length: 4 * connections }, () => preparedStatements(primary)));
    const seen: number[] = [];
    const begun = performance.now();
    for (let part = 1; part <= 20; part++) {
      await askUntil((QUERIES * part) / 20);
      seen.push(await preparedStatements(primary));
    }
    console.log(
      `${asked} queries, ${Math.round((asked / (performance.now() - begun)) * 1_000)} a second; prepared: ${seen}`,
    );
    expect(asked).toBeGreaterThanOrEqual(QUERIES);
    // One statement text per number of candidates would now be 100 per connection, the most that it keeps.
    expect(Math.max(...seen) - Math.min(...seen)).toBeLessThan(connections);
  });
});

describe('fault 29: a replica lags', () => {
  it('refresh and rebuild read the primary; an answer from the replica says so, and is not exact', async () => {
    const stores = await freshStores(LIMITS);
    const pool = freshSitePool(stores.url);
    await writeSite(pool, SITE);
    const behind = await freshDatabase();
    await migrate({ url: behind });
    await writeSite(freshSitePool(behind), SITE); // the primary's state at this time, forever
    await run(rebuild(['1']), stores.steps);
    await removeContact(pool, '1', '130');
    await run(refresh([{ user: '1', contact: '130', version: '2' }]), stores.steps);
    await run(rebuild(['2']), stores.steps);
    for (const user of ['1', '2']) await expectExact(stores, LIMITS, user, 'of the primary');
    const recent = recentContactsOn(stores, LIMITS, { database: database(behind, { replicaOf: stores.primary }) });
    const answer = await recent.find({ user: '1', relation: 'any', limit: 2, below: undefined });
    expect(answer).toMatchObject({ exact: false, replica: true });
  });

  it('a row that is older than its task is re-checked', async () => {
    const stores = await freshStores(LIMITS);
    await writeSite(freshSitePool(stores.url), SITE);
    await run(rebuild(['1']), stores.steps);
    const { behind } = await run(refresh([{ user: '1', contact: '130', version: '9' }]), stores.steps);
    expect(behind).toEqual([{ user: '1', contact: '130', version: '9' }]);
  });
});

describe('fault 30: deadlock and lock timeout', () => {
  const UPDATE = 'UPDATE recency_settings SET value = CONCAT(value, ?) WHERE name = ?';

  it('a transaction that lost is retried after a while, and loses nothing', async () => {
    const { primary } = await storesOnOwnServer({ connections: 8 });
    await primary.write("INSERT INTO recency_settings (name, value) VALUES ('a', ''), ('b', '')", []);
    await Promise.all(Array.from({ length: 8 }, () => primary.rows('SELECT SLEEP(0.2)', []))); // all are open
    let attempts = 0;
    const both = (names: readonly string[]) =>
      primary.transaction(async (connection) => {
        attempts++;
        for (const name of names) {
          await connection.execute(UPDATE, ['x', name]);
          await connection.query('SELECT SLEEP(0.02)');
        }
      });
    await Promise.all(Array.from({ length: 16 }, (_, i) => both(i % 2 === 0 ? ['a', 'b'] : ['b', 'a'])));
    expect(attempts).toBeGreaterThan(16);
    const rows = await primary.rows("SELECT value FROM recency_settings WHERE name IN ('a', 'b')", []);
    expect(rows).toEqual([['x'.repeat(16)], ['x'.repeat(16)]]);
  });

  it('a statement that waited too long for a lock is retried as well', async () => {
    await own.run('SET GLOBAL innodb_lock_wait_timeout = 1');
    const stores = await storesOnOwnServer();
    await own.run('SET GLOBAL innodb_lock_wait_timeout = 50');
    await stores.primary.write("INSERT INTO recency_settings (name, value) VALUES ('a', '')", []);
    const other = createPool({ uri: stores.url, connectionLimit: 1 });
    onTestFinished(() => other.end());
    const holder = await other.getConnection();
    await holder.beginTransaction();
    await holder.execute(UPDATE, ['y', 'a']);
    const written = stores.primary.write(UPDATE, ['x', 'a']);
    const from = performance.now();
    await until(() => performance.now() - from > 1_500);
    await holder.commit();
    holder.release();
    await written;
    const [row] = await stores.primary.rows("SELECT value FROM recency_settings WHERE name = 'a'", []);
    expect(row).toEqual(['yx']);
  });
});

describe('fault 37: MySQL is restored without its latest commits', () => {
  it('counts as another server: a new epoch, and indexes with the lost commits are cold', async () => {
    const { proxy, stores } = await behindProxy({ deadlineMs: 2_000 });
    const told: string[] = [];
    const watch = await startWatch(stores, { intervalMs: 60_000, onNewEpoch: () => told.push('alarm') });
    told.length = 0; // the first servers on record have begun an epoch
    await run(rebuild(USERS), stores.steps);
    const backup = await own.copyOf(stores.url);
    await removeContact(freshSitePool(stores.url), '1', '130');
    await run(refresh([{ user: '1', contact: '130' }]), stores.steps);
    const epoch = (await readEpoch(stores.primary)).token;

    proxy.leadTo(backup);
    // Two epochs begin: the server's own, and as the indexes become its own, the one in force.
    const after = await until(async () => {
      const now = await readEpoch(stores.primary); // any statement needs a connection
      return now.token !== epoch && now.token === watch.known()?.epoch && now;
    });
    expect(after.why).toMatch(/^another MySQL server than the indexes in Redis belonged to/);
    expect(await stores.index.read('1', 0, false)).toMatchObject({ state: 'warm', epoch }); // of the old epoch: cold
    const api = await startTestApi(stores, LIMITS);
    const { body } = await ask(api, PATH('1'));
    expect(body.answer.reason).toBe('cold');
    expect(body.contacts[0].id).toBe('130');
    await until(async () => (await ask(api, PATH('1'))).body.answer.source === 'index');
    await expectExact(stores, LIMITS, '1', 'after the restore');
    expect(told).toEqual(['alarm']);
  });
});

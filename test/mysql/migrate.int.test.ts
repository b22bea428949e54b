import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/contracts/kind.ts';
import { migrate, rollback, status } from '../../src/mysql/migrate.ts';
import { loadMigrations } from '../../src/mysql/schema-migrations.ts';
import { freshDatabase } from '../support/servers.ts';

const OWN = [
  'recency_capture',
  'recency_epoch',
  'recency_kafka_ends',
  'recency_leases',
  'recency_mysql_servers',
  'recency_outbox',
  'recency_redis_masters',
  'recency_runs',
  'recency_seen',
  'recency_settings',
  'recency_settled_letters',
  'recency_undelivered',
  'recency_watches',
];
const REFERENCE_MIGRATIONS = ['0002_reference_tables', '0006_reference_groups'];
const KNEX = ['recency_migrations', 'recency_migrations_lock'];
const OF_GROUPS = ['group_pools', 'memberships', 'user_groups'];
const REFERENCE = ['contacts', 'photos', 'users', ...OF_GROUPS];
const VIEWS = ['recency_contacts', 'recency_photos'];
const VIEWS_OF_GROUPS = ['recency_groups', 'recency_group_photos'];

const KNOWN = await loadMigrations();
const ALL = KNOWN.map(({ name }) => name);
/** Recency's own, without the reference schema. */
const OWN_PART = KNOWN.filter(({ part }) => part === 'recency').map(({ name }) => name);

let url: string;
let connection: Connection;
const open: Connection[] = [];

beforeEach(async () => {
  url = await freshDatabase();
  connection = await createConnection(url);
  open.push(connection);
});

afterAll(async () => {
  await Promise.all(open.map((one) => one.end()));
});

async function select(statement: string): Promise<RowDataPacket[]> {
  return (await connection.query<RowDataPacket[]>(statement))[0];
}

/** The names of all tables and views, sorted. */
async function objects(): Promise<string[]> {
  const rows = await select('SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()');
  return rows.map((row) => String(row.name)).sort();
}

const sorted = (...names: string[][]): string[] => names.flat().sort();

describe('a full migrate', () => {
  it('makes the reference schema, the views and its own tables, once', async () => {
    const first = await migrate({ url });
    expect(first.applied).toEqual(ALL);
    expect(first.views.map(({ origin, made }) => ({ origin, made }))).toEqual(
      VIEWS.map(() => ({ origin: 'recency', made: true })),
    );
    expect(await objects()).toEqual(sorted(OWN, KNEX, REFERENCE, VIEWS));
    const again = await migrate({ url });
    expect(again.applied).toEqual([]);
    expect(again.views.map(({ origin, made }) => ({ origin, made }))).toEqual(
      VIEWS.map(() => ({ origin: 'recency', made: false })),
    );
  });

  it('begins with one epoch of 64 random bits, and keeps it', async () => {
    await migrate({ url });
    const [epoch, ...others] = await select('SELECT * FROM recency_epoch');
    expect(others).toEqual([]);
    expect(epoch?.token).toMatch(/^[\w-]{11}$/);
    await migrate({ url });
    expect(await select('SELECT token FROM recency_epoch')).toEqual([{ token: epoch?.token }]);
    await connection.query('TRUNCATE recency_epoch');
    await migrate({ url });
    const [another] = await select('SELECT * FROM recency_epoch');
    expect(another?.token).toMatch(/^[\w-]{11}$/);
    expect(another?.token).not.toBe(epoch?.token);
    await expect(connection.query("INSERT INTO recency_epoch VALUES (2, 'x', '', 0)")).rejects.toThrow();
  });

  it('restores a view that was dropped, and one whose text is not the present one', async () => {
    await migrate({ url });
    await connection.query('DROP VIEW recency_photos');
    await connection.query("UPDATE recency_settings SET value = 'an older text' WHERE name = 'view:recency_contacts'");
    const { views } = await migrate({ url });
    expect(views.map(({ made }) => made)).toEqual([true, true]);
    expect(await objects()).toEqual(sorted(OWN, KNEX, REFERENCE, VIEWS));
  });

  it('refuses, before anything is written, when the site has other tables of these names', async () => {
    await connection.query('CREATE TABLE users (id INT PRIMARY KEY, email TEXT)');
    const refused = await migrate({ url }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'site_tables' });
    expect((refused as Error).message).toMatch(/users\.last_public_at.*--views-only/s);
    expect(await objects()).toEqual(['users']);
  });

  it('makes the database when it is missing and may be made', async () => {
    await connection.query('DROP DATABASE ??', [new URL(url).pathname.slice(1)]);
    expect(await migrate({ url })).toMatchObject({ databaseCreated: true });
    expect((await migrate({ url })).databaseCreated).toBe(false);
  });
});

describe('--views-only', () => {
  it('makes its own tables, and says which views are missing and how they must look', async () => {
    const { applied, views } = await migrate({ url, viewsOnly: true });
    expect(applied).toEqual(OWN_PART);
    expect(await objects()).toEqual(sorted(OWN, KNEX));
    expect(views.map(({ name, origin }) => [name, origin])).toEqual(VIEWS.map((name) => [name, 'missing']));
    expect(views[0]?.mustLookLike).toMatch(/recency_contacts \(user_id, contact_id, related, sees/);
  });

  it("makes the views over a site's tables that are like the reference schema's, and never drops those tables", async () => {
    await migrate({ url });
    await connection.query("ALTER TABLE users COMMENT = ''");
    await connection.query("ALTER TABLE contacts COMMENT = ''");
    await connection.query("ALTER TABLE photos COMMENT = ''");
    await rollback({ url });
    const site = ['contacts', 'photos', 'users'];
    expect(await objects()).toEqual(site);

    const report = await migrate({ url, viewsOnly: true });
    expect(report.siteTables).toEqual(['users', 'contacts', 'photos']);
    expect(report.views.map(({ origin }) => origin)).toEqual(['recency', 'recency']);
    await migrate({ url });
    await rollback({ url });
    expect(await objects()).toEqual(sorted(OWN, KNEX, site, VIEWS));
    await rollback({ url });
    expect(await objects()).toEqual(site);
  });

  it('makes and describes the views of the kinds in use, and no others', async () => {
    const missing = await migrate({ url, viewsOnly: true, kinds: KINDS });
    expect(missing.views.map(({ name }) => name)).toEqual([...VIEWS, ...VIEWS_OF_GROUPS]);
    expect(missing.views[2]?.mustLookLike).toMatch(/recency_groups \(user_id, group_id, related, sees, v/);
    expect(missing.views[2]?.mustLookLike).toMatch(/since .*may be left out/);
    await migrate({ url, kinds: KINDS });
    expect(await objects()).toEqual(sorted(OWN, KNEX, REFERENCE, VIEWS, VIEWS_OF_GROUPS));
    await rollback({ url, all: true });
    expect(await objects()).toEqual([]);
  });

  it("makes the view over a site's own contacts that do not say when they began", async () => {
    await migrate({ url });
    await connection.query('ALTER TABLE contacts DROP COLUMN since');
    const { views } = await migrate({ url });
    expect(views.map(({ made }) => made)).toEqual([true, false]);
    await connection.query('SELECT * FROM recency_contacts');
  });

  it("leaves a site's own views as they are, in every mode", async () => {
    await connection.query('CREATE TABLE friends_of_mine (a BIGINT UNSIGNED)');
    await connection.query('CREATE VIEW recency_contacts AS SELECT a AS user_id FROM friends_of_mine');
    await connection.query('CREATE VIEW recency_photos AS SELECT a AS id FROM friends_of_mine');
    const site = sorted(['friends_of_mine'], VIEWS);
    const { views } = await migrate({ url, viewsOnly: true });
    expect(views.map(({ origin, made }) => [origin, made])).toEqual(VIEWS.map(() => ['site', false]));
    await migrate({ url });
    expect(await select('SELECT * FROM recency_contacts')).toEqual([]);
    await rollback({ url, all: true });
    expect(await objects()).toEqual(site);
  });

  it('can be followed by a full migrate, and the other way round', async () => {
    await migrate({ url, viewsOnly: true });
    expect((await migrate({ url })).applied).toEqual(REFERENCE_MIGRATIONS);
    expect(await objects()).toEqual(sorted(OWN, KNEX, REFERENCE, VIEWS));
    expect((await migrate({ url, viewsOnly: true })).applied).toEqual([]);
    expect(await objects()).toEqual(sorted(OWN, KNEX, REFERENCE, VIEWS));
  });
});

describe('a roll-back', () => {
  it('undoes what the last migrate applied, then what was applied before', async () => {
    await migrate({ url, viewsOnly: true });
    await migrate({ url });
    expect(await rollback({ url })).toMatchObject({
      undone: REFERENCE_MIGRATIONS.toReversed(),
      viewsDropped: VIEWS,
    });
    expect(await objects()).toEqual(sorted(OWN, KNEX));
    expect(await rollback({ url })).toMatchObject({ undone: OWN_PART.toReversed(), viewsDropped: [] });
    expect(await objects()).toEqual([]);
    expect(await rollback({ url })).toMatchObject({ undone: [], viewsDropped: [] });
  });

  it('drops everything that was made, in order', async () => {
    await migrate({ url });
    await connection.query('INSERT INTO users (id) VALUES (1)');
    expect((await rollback({ url })).undone).toEqual(ALL.toReversed());
    expect(await objects()).toEqual([]);
    await migrate({ url });
  });
});

describe('the status', () => {
  it('says what is applied and pending, and changes nothing', async () => {
    expect(await status({ url })).toMatchObject({
      applied: [],
      pending: ALL,
    });
    expect(await objects()).toEqual([]);
    await migrate({ url, viewsOnly: true });
    const { applied, pending, views } = await status({ url });
    expect(applied).toEqual(OWN_PART.map((name) => ({ name, batch: 1 })));
    expect(pending).toEqual(REFERENCE_MIGRATIONS);
    expect(views.map(({ origin }) => origin)).toEqual(['missing', 'missing']);
  });
});

describe('the outbox', () => {
  it('dates its rows itself, in UTC, whatever the time zone of the session', async () => {
    await migrate({ url });
    await connection.query("SET time_zone = '+05:00'");
    await connection.query("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 7)");
    const [row] = await select('SELECT * FROM recency_outbox');
    expect(Math.abs(Date.now() - Number(row?.created_at))).toBeLessThan(60_000);
    expect(row?.published_at).toBeNull();
  });

  it('gives new rows in id order, then those put back, counts them and finds old ones by its index', async () => {
    await migrate({ url });
    const rows = Array.from({ length: 2000 }, (_, n) => {
      return ['recency.user.deleted', n + 1, n < 1500 ? n + 1 : null, n % 5 === 0 ? n : 0, n % 100 === 1];
    });
    const columns = 'type, user_id, published_at, due_at, is_recheck';
    await connection.query(`INSERT INTO recency_outbox (${columns}) VALUES ?`, [rows]);
    const of = (isRecheck: string) =>
      `recency_outbox FORCE INDEX (recency_outbox_published) WHERE published_at IS NULL AND is_recheck = ${isRecheck}`;
    const claims = ['FALSE', 'TRUE'].map(
      (isRecheck) =>
        `SELECT * FROM ${of(isRecheck)} AND due_at >= 0 AND due_at <= 1800 ORDER BY due_at, id LIMIT 10 FOR UPDATE SKIP LOCKED`,
    );
    const lag = `SELECT COUNT(*) FROM ${of('FALSE')}`;
    const first = `SELECT created_at FROM ${of('FALSE')} AND due_at = 0 ORDER BY id LIMIT 1`;
    const old = 'DELETE FROM recency_outbox WHERE published_at < 20 ORDER BY published_at LIMIT 10';
    for (const statement of [...claims, lag, first, old]) {
      const [plan] = await select(`EXPLAIN FORMAT=TRADITIONAL ${statement}`);
      expect(plan).toMatchObject({ key: 'recency_outbox_published' });
      expect(plan?.type).toMatch(/^(range|ref)$/);
      expect(String(plan?.Extra)).not.toMatch(/filesort|temporary/);
    }
    for (const claim of claims) {
      const claimed = await select(claim);
      const keys = claimed.map(({ due_at: due, id }) => [Number(due), Number(id)] as const);
      expect(keys).toEqual(keys.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
      expect(keys.length).toBeGreaterThan(0);
    }
  });

  it('has columns for what is due later that no site has to know', async () => {
    await migrate({ url });
    await connection.query("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 7)");
    const [row] = await select('SELECT due_at, attempt, is_recheck, refused FROM recency_outbox');
    expect(row).toEqual({ due_at: 0, attempt: 0, is_recheck: 0, refused: null });
  });
});

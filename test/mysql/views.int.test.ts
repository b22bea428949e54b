import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { comparePairs, readNewestOf } from '../../src/mysql/statements/compared-pairs.ts';
import { type KindDatabase, KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { RecordingDatabase } from '../../src/tools/bench/statements.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { migratedDatabase } from '../support/stores.ts';

const USERS = 25_000;
const FOLLOWERS = 20_000;
const HEAVY = '1';
const LIGHT = '3000';
const LAST = String(FOLLOWERS + 1);

let connection: Connection;
let url: string;

beforeAll(async () => {
  url = await migratedDatabase();
  const pool = openSitePool(url, 1);
  await loadGraph(pool, {
    users: Array.from({ length: USERS }, (_, n) => ({ id: String(n + 1) })),
    contacts: [...heavyUser(), ...lightUsers()],
    photos: Array.from({ length: 20_000 }, (_, n) => ({ owner: HEAVY, audience: 4, uploadedAt: n + 1 }) as const),
  });
  await pool.end();
  connection = await createConnection({ uri: url, supportBigNumbers: true, bigNumberStrings: true });
  await connection.query('ANALYZE TABLE users, contacts, photos');
});

afterAll(async () => {
  await connection.end();
});

/** HEAVY has 20,000 contacts, and 20,000 followers. */
function* heavyUser() {
  for (let id = 2; id <= FOLLOWERS + 1; id += 1) {
    yield { user: HEAVY, contact: String(id), friend: id % 2 === 0 };
    yield { user: String(id), contact: HEAVY };
  }
}

/** Everybody else has five contacts more. */
function* lightUsers() {
  for (let id = 2; id <= USERS; id += 1) {
    for (let step = 1; step <= 5; step += 1)
      yield { user: String(id), contact: String(2 + ((id + step) % (USERS - 1))) };
  }
}

type Values = (string | number)[];

/** As the service runs it: prepared. */
async function run(statement: string, values: Values): Promise<RowDataPacket[]> {
  return (await connection.execute<RowDataPacket[]>(statement, values))[0];
}

/** The tables in the order in which they are read, as `table type key`; whatever sorts or materialises in `extras`. */
async function plan(statement: string, values: Values): Promise<{ reads: string[]; extras: string }> {
  const rows = (await connection.query<RowDataPacket[]>(`EXPLAIN FORMAT=TRADITIONAL ${statement}`, values))[0];
  return {
    reads: rows.map(({ table, type, key }) => `${table} ${type} ${key}`),
    extras: rows.map(({ select_type, Extra }) => `${select_type}: ${Extra}`).join('; '),
  };
}

/** How many entries of tables and indexes the statement reads. */
async function entriesRead(statement: string, values: Values): Promise<number> {
  await connection.query('FLUSH STATUS');
  await run(statement, values);
  const [status] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'");
  return status.reduce((sum, row) => sum + Number(row.Value), 0);
}

describe('the questions asked of recency_contacts merge with it and use the indexes', () => {
  const CANDIDATES = `
    SELECT c.contact_id, c.related, c.last_upload_at, c.sees, c.is_friend, c.is_family
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id`;
  const candidates = Array.from({ length: 25 }, (_, n) => String(n * 700 + 2));

  it('candidates: driven by them, one look-up by primary key in each table', async () => {
    const values = [JSON.stringify(candidates), HEAVY];
    const { reads, extras } = await plan(CANDIDATES, values);
    expect(reads).toEqual([
      'candidate ALL null',
      'contacts eq_ref PRIMARY',
      'users eq_ref PRIMARY',
      'granted eq_ref PRIMARY',
    ]);
    expect(extras).not.toMatch(/DERIVED|filesort/);
    expect(await run(CANDIDATES, values)).toHaveLength(25);
    expect(await entriesRead(CANDIDATES, values)).toBeLessThanOrEqual(4 * 25 + 5);
  });

  it('candidates: also beside the epoch, and with ids that nobody has', async () => {
    const statement = `SELECT e.token, c.* FROM recency_epoch AS e LEFT JOIN (
      JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
      STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id) ON TRUE`;
    const pairs = candidates.map((id) => [id, HEAVY]);
    const { reads, extras } = await plan(statement, [JSON.stringify(pairs)]);
    expect(reads).toContain('contacts eq_ref PRIMARY');
    expect(extras).not.toMatch(/DERIVED|filesort/);
    expect(await entriesRead(statement, [JSON.stringify(pairs)])).toBeLessThanOrEqual(4 * 25 + 10);
    const nobody = await run(statement, [JSON.stringify([['18446744073709551615', '9007199254740993']])]);
    expect(nobody).toEqual([expect.objectContaining({ token: expect.any(String), user_id: null })]);
  });

  const FOLLOWERS_PAGE = `
    SELECT c.user_id FROM recency_contacts AS c
    WHERE c.contact_id = ? AND c.user_id > ? AND c.related
    ORDER BY c.user_id LIMIT 500`;

  it.each(['0', '9000', '19900', LAST])('a page of followers after %s: reads that page and no more', async (after) => {
    const { reads, extras } = await plan(FOLLOWERS_PAGE, [HEAVY, after]);
    expect(reads).toContain('contacts range contacts_followers');
    expect(extras).not.toMatch(/DERIVED|filesort|temporary/);
    const rows = await run(FOLLOWERS_PAGE, [HEAVY, after]);
    expect(rows).toHaveLength(Math.min(500, FOLLOWERS + 1 - Math.max(1, Number(after))));
    expect(await entriesRead(FOLLOWERS_PAGE, [HEAVY, after])).toBeLessThanOrEqual(2 * rows.length + 5);
  });

  const PLAIN = `
    SELECT c.contact_id, c.last_upload_at FROM recency_contacts AS c
    WHERE c.user_id = ? AND c.related AND c.last_upload_at > 0
    ORDER BY c.last_upload_at DESC, CAST(c.contact_id AS BINARY) DESC LIMIT 25`;

  it.each([
    [HEAVY, FOLLOWERS],
    [LIGHT, 6],
  ])('the plain query of user %s: by that user, %i contacts', async (user, contacts) => {
    const { reads, extras } = await plan(PLAIN, [user]);
    expect(reads).toEqual(['contacts ref PRIMARY', 'users eq_ref PRIMARY', 'granted eq_ref PRIMARY']);
    expect(extras).not.toMatch(/DERIVED/);
    expect(await entriesRead(PLAIN, [user])).toBeLessThanOrEqual(4 * contacts + 60);
  });

  it('a page of users: by their range of the primary key', async () => {
    const statement =
      'SELECT c.user_id, c.last_upload_at FROM recency_contacts AS c WHERE c.user_id > ? AND c.user_id <= ?';
    const { reads, extras } = await plan(statement, ['3000', '3100']);
    expect(reads).toEqual(['contacts range PRIMARY', 'users eq_ref PRIMARY', 'granted eq_ref PRIMARY']);
    expect(extras).not.toMatch(/DERIVED/);
    expect(await entriesRead(statement, ['3000', '3100'])).toBeLessThanOrEqual(3 * 600 + 5);
  });

  it('several users with a window: by the primary key of each', async () => {
    const statement = `
      SELECT c.user_id, c.contact_id, ROW_NUMBER() OVER (PARTITION BY c.user_id ORDER BY c.last_upload_at DESC) AS place
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner
      STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.id`;
    const { reads } = await plan(statement, [JSON.stringify(candidates)]);
    expect(reads).toEqual(['owner ALL null', 'contacts ref PRIMARY', 'users eq_ref PRIMARY', 'granted eq_ref PRIMARY']);
  });
});

describe('the questions asked of recency_photos', () => {
  const NEWEST = `
    SELECT p.id, p.uploaded_at FROM recency_photos AS p
    WHERE p.owner_id = ? AND p.audience = ? ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10`;

  it.each([4, 0])('the newest of audience %i: from the end of the index, none of the others read', async (audience) => {
    const { reads, extras } = await plan(NEWEST, [HEAVY, audience]);
    expect(reads).toEqual(['photos ref photos_newest']);
    expect(extras).not.toMatch(/DERIVED|filesort|temporary/);
    expect(await run(NEWEST, [HEAVY, audience])).toHaveLength(audience === 4 ? 10 : 0);
    expect(await entriesRead(NEWEST, [HEAVY, audience])).toBeLessThanOrEqual(12);
  });
});

describe('the comparison of both views', () => {
  async function asked(ask: (database: KindDatabase) => Promise<unknown>) {
    const database = new RecordingDatabase(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    await ask({ server: database, statements: new KindStatements(USUAL_SITE, CONTACTS) }).finally(() =>
      database.close(),
    );
    const [{ sql, parameters } = { sql: '', parameters: [] }] = database.statements;
    return { sql, values: parameters.map(String) };
  }

  it.each([
    ['photos of owners', (database: KindDatabase) => readNewestOf(database, [HEAVY, '2', '3'], 16), 3 * 16 * 2],
    [
      'pairs',
      (database: KindDatabase) => {
        const pairs = Array.from({ length: 100 }, (_, n) => ({ user: String(n + 2), contact: HEAVY }));
        return comparePairs(database, pairs, 16);
      },
      100 * (4 + 4 * 2),
    ],
  ])('%s: the end of the index for each audience, however many photos there are', async (_what, ask, entries) => {
    const { sql, values } = await asked(ask);
    const { reads, extras } = await plan(sql, values);
    expect(reads.filter((read) => read.startsWith('photos'))).toEqual(Array(16).fill('photos ref photos_newest'));
    expect(extras).toMatch(/DEPENDENT SUBQUERY/);
    expect(extras).not.toMatch(/DERIVED|filesort/); // MySQL keeps a JSON_TABLE in a temporary table
    expect(await entriesRead(sql, values)).toBeLessThanOrEqual(entries + 220);
  });
});

describe('the shape of what the views give', () => {
  it('ids, times and bits are texts, flags are numbers; nothing is null', async () => {
    const [row] = await run('SELECT * FROM recency_contacts WHERE user_id = ? AND contact_id = ?', ['2', HEAVY]);
    expect(row).toEqual({
      user_id: '2',
      contact_id: HEAVY,
      related: 1,
      last_upload_at: '0',
      sees: '11',
      is_friend: 0,
      is_family: 0,
      version: '1',
      since: '0',
    });
    const [photo] = await run('SELECT * FROM recency_photos WHERE owner_id = ? LIMIT 1', [HEAVY]);
    expect(Object.keys(photo ?? {})).toEqual(['id', 'owner_id', 'audience', 'uploaded_at', 'title']);
  });
});

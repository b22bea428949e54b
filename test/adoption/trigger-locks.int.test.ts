/** Do the triggers make a site's own writes deadlock? And would this test notice if they did? */
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerStatements } from '../../src/adoption/triggers.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { shortOrLong } from '../support/length.ts';
import { sql } from '../support/servers.ts';
import { migratedDatabase } from '../support/stores.ts';

const TABLES = [
  'CREATE TABLE follows (id INT AUTO_INCREMENT PRIMARY KEY, who BIGINT UNSIGNED, whom BIGINT UNSIGNED, KEY (who))',
  'CREATE TABLE posts (id BIGINT UNSIGNED PRIMARY KEY, owner BIGINT UNSIGNED NULL, scope INT NOT NULL DEFAULT 0)',
  'CREATE TABLE files (id INT AUTO_INCREMENT PRIMARY KEY, post BIGINT UNSIGNED NULL)',
  'CREATE TABLE numbers (id BIGINT UNSIGNED PRIMARY KEY)', // which nobody writes
  'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY, status INT NOT NULL DEFAULT 0)',
];

const MAPPING = `
version: 1
tables:
  - { table: follows, hint: contact, user: who, contact: whom }
  - { table: posts, hint: photo, owner: owner, columns: [scope] }
  - { table: files, hint: photo, owner: { table: posts, key: id, equals: post, column: owner } }
  - { table: people, hint: user, user: id, columns: [status] }
`;

const WRITERS = 8;
/** Rows of `posts` and `people`. */
const ROWS = 60;

let url: string;
let connection: Connection;

beforeAll(async () => {
  url = await migratedDatabase();
  const ids = Array.from({ length: ROWS }, (_, n) => n + 1);
  await sql(
    url,
    ...TABLES,
    `INSERT INTO posts (id, owner) VALUES ${ids.map((id) => `(${id}, ${id})`)}`,
    'INSERT INTO people (id) SELECT id FROM posts',
    'INSERT INTO numbers (id) SELECT id FROM posts',
  );
  connection = await createConnection(url);
});
afterAll(() => connection.end());

function triggers(): string[] {
  const schema = new URL(url).pathname.slice(1);
  return triggerStatements(parseMapping(MAPPING, { file: 'mapping.yaml', schema }), schema);
}

/** Every transaction takes the locks of its own statements in the order of the ids, so that no two of them can deadlock. */
function transactionOf(n: number, writer: number): string[] {
  const some = 1 + ((n * 7 + writer * 13) % (ROWS - 6));
  const posts = `UPDATE posts SET scope = 1 - scope WHERE id BETWEEN ${some} AND ${some + 4}`;
  const kinds = [
    [posts],
    [`INSERT INTO files (post) VALUES (${some + 5}), (${some + 2}), (${some})`],
    ['BEGIN', `INSERT INTO files (post) VALUES (${some + 4})`, posts, 'COMMIT'],
    [`UPDATE people SET status = 1 - status WHERE id BETWEEN ${some} AND ${some + 2}`],
    [`INSERT INTO follows (who, whom) VALUES (${some}, ${some + 1}), (${some + 1}, ${some})`],
    [`INSERT INTO follows (who, whom) SELECT id, ${some} FROM numbers WHERE id BETWEEN ${some + 1} AND ${some + 3}`],
  ];
  return kinds[(n + writer) % kinds.length] ?? [];
}

/** @returns deadlocks */
async function writeMuch(writer: number, count: number): Promise<number> {
  const own = await createConnection(url);
  let deadlocks = 0;
  try {
    await own.query('SET innodb_lock_wait_timeout = 60');
    for (let n = 0; n < count; n += 1) {
      try {
        for (const statement of transactionOf(n, writer)) await own.query(statement);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ER_LOCK_DEADLOCK') throw error;
        deadlocks += 1;
      }
    }
  } finally {
    await own.end();
  }
  return deadlocks;
}

/** With these triggers, deadlocks of eight writers at once. @param each transactions of a writer */
async function deadlocksWith(statements: readonly string[], each: number): Promise<number> {
  await sql(url, ...statements, 'DELETE FROM recency_outbox');
  const found = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeMuch(writer, each)));
  const [row] = await sql(url, 'SELECT COUNT(*) AS tasks FROM recency_outbox');
  expect(Number(row?.tasks)).toBeGreaterThan((WRITERS * each) / 2);
  return found.reduce((sum, one) => sum + one, 0);
}

describe('the locks of the triggers', () => {
  it('eight writers: one deadlock at most, in 2,000 writes, or 10,000', async () => {
    expect(await deadlocksWith(triggers(), shortOrLong(250, 1_250))).toBeLessThanOrEqual(1);
  });

  it('… and triggers that lock the row in which they find an owner are found out', async () => {
    const locking = triggers().map((text) =>
      text.replace(/(DECLARE seen CURSOR FOR [^;]+);/, '$1 LOCK IN SHARE MODE;'),
    );
    expect(locking).not.toEqual(triggers());
    let deadlocks = 0;
    for (let round = 0; round < 20 && deadlocks < 2; round++) deadlocks += await deadlocksWith(locking, 150);
    expect(deadlocks).toBeGreaterThan(1);
  });

  it('an owner is found while another transaction has its row locked, and one committed after the snapshot too', async () => {
    await sql(url, ...triggers(), 'DELETE FROM recency_outbox');
    const [holder, writer] = [await createConnection(url), await createConnection(url)];
    try {
      await writer.query('SET innodb_lock_wait_timeout = 1');
      await holder.query('BEGIN');
      await holder.query('UPDATE posts SET owner = owner WHERE id = 10');
      await holder.query('SELECT * FROM posts WHERE id = 10 FOR UPDATE');
      await writer.query('INSERT INTO files (post) VALUES (10)');
      await holder.query('COMMIT');
      await writer.query('BEGIN');
      await writer.query('SELECT COUNT(*) FROM posts');
      await holder.query('INSERT INTO posts (id, owner) VALUES (1001, 2000)');
      await writer.query('INSERT INTO files (post) VALUES (1001)');
      await writer.query('COMMIT');
    } finally {
      await Promise.all([holder.end(), writer.end()]);
    }
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT user_id FROM recency_outbox WHERE type = 'recency.photo.uploaded' ORDER BY id",
    );
    expect(rows.map(({ user_id }) => Number(user_id))).toEqual([10, 2000, 2000]);
  });
});

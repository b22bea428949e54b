import type { PoolConnection } from 'mysql2/promise';
import type { Database, Value } from './database.ts';

/** A row of `recency_outbox` as it was written, right or wrong. */
export interface OutboxRow {
  readonly id: string;
  readonly type: string;
  /** The user, or the owner of the photo. */
  readonly userId: string;
  /** The contact, or the photo. */
  readonly otherId: string | null;
  readonly at: string | null;
  readonly version: string | null;
  /** ms since 1970 UTC, by MySQL's clock. */
  readonly createdAt: number;
}

/** How much waits to be published. */
export interface OutboxLag {
  /** At most COUNTED. */
  readonly rows: number;
  /** Age of the oldest row, ms; 0: none waits. */
  readonly oldestMs: number;
}

/** Counting more would make the question dear just when there is trouble. */
export const COUNTED = 100_000;

/** ms since 1970 UTC by MySQL's clock: one clock for every process. */
const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000`;

// Rows that somebody else has claimed are skipped, so nobody waits for another. No cursor over the ids: a row with a
// smaller id may be committed after one with a greater. The index is forced, here and below, because a small table would
// be read as a whole, and reading it as a whole means waiting for rows that are not even committed.
const UNPUBLISHED = `recency_outbox FORCE INDEX (recency_outbox_published) WHERE published_at IS NULL`;

const CLAIM = `
  SELECT id, type, user_id, other_id, at, version, created_at
  FROM ${UNPUBLISHED}
  ORDER BY id
  LIMIT ?
  FOR UPDATE SKIP LOCKED`;

const CLAIM_PUBLISHED = `
  SELECT id
  FROM recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at >= ? AND published_at < ?
  ORDER BY published_at
  LIMIT ?
  FOR UPDATE SKIP LOCKED`;

const CLAIMED = `
  JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS claimed
  STRAIGHT_JOIN recency_outbox AS o FORCE INDEX (PRIMARY) ON o.id = claimed.id`;

const MARK = `UPDATE ${CLAIMED} SET o.published_at = ${NOW}`;
const UNMARK = `UPDATE ${CLAIMED} SET o.published_at = NULL`;
const DELETE = `DELETE o FROM ${CLAIMED}`;

/**
 * Takes unpublished rows, has them published, and marks them, in one transaction: when `publish` rejects, or the process
 * ends before the commit, they are unpublished again. Under READ COMMITTED, so that the site's inserts never wait.
 * @returns how many rows there were
 * @throws DatabaseUnavailable, and what `publish` throws
 */
export async function publishRows(
  database: Database,
  limit: number,
  publish: (rows: readonly OutboxRow[]) => Promise<void>,
): Promise<number> {
  return await database.transaction(async (connection) => {
    const rows = (await select(connection, CLAIM, [String(limit)])).map(rowOf);
    if (rows.length === 0) return 0;
    await publish(rows);
    await connection.execute(MARK, [JSON.stringify(rows.map((row) => row.id))]);
    return rows.length;
  }, 'READ COMMITTED');
}

/**
 * Deletes rows that were published before a time, at most `limit`.
 * @param before ms since 1970 UTC
 * @returns how many
 * @throws DatabaseUnavailable
 */
export function deletePublished(database: Database, before: number, limit: number): Promise<number> {
  return change(database, DELETE, { from: 0, to: before }, limit);
}

/**
 * Makes rows that were published in this time unpublished again, at most `limit`: the relays publish them once more.
 * @param time ms since 1970 UTC; `from` included, `to` not
 * @returns how many
 * @throws DatabaseUnavailable
 */
export function unpublish(database: Database, time: { from: number; to: number }, limit: number): Promise<number> {
  return change(database, UNMARK, time, limit);
}

async function change(
  database: Database,
  statement: string,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<number> {
  return await database.transaction(async (connection) => {
    const claimed = await select(connection, CLAIM_PUBLISHED, [String(from), String(to), String(limit)]);
    if (claimed.length === 0) return 0;
    await connection.execute(statement, [JSON.stringify(claimed.map(([id]) => id))]);
    return claimed.length;
  }, 'READ COMMITTED');
}

async function select(connection: PoolConnection, statement: string, parameters: string[]): Promise<Value[][]> {
  const [rows] = await connection.execute({ sql: statement, rowsAsArray: true }, parameters);
  return rows as unknown as Value[][];
}

function rowOf([id, type, userId, otherId, at, version, createdAt]: readonly Value[]): OutboxRow {
  return {
    id: String(id),
    type: String(type),
    userId: String(userId),
    otherId: textOrNull(otherId),
    at: textOrNull(at),
    version: textOrNull(version),
    createdAt: Number(createdAt),
  };
}

function textOrNull(column: string | number | null | undefined): string | null {
  return column === null || column === undefined ? null : String(column);
}

const LAG = `
  SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM ${UNPUBLISHED} LIMIT ?) AS waiting),
         (SELECT ${NOW} - created_at FROM ${UNPUBLISHED} ORDER BY id LIMIT 1)`;

/** @throws DatabaseUnavailable */
export async function readOutboxLag(database: Database): Promise<OutboxLag> {
  const [row] = await database.rows(LAG, [String(COUNTED)]);
  return { rows: Number(row?.[0] ?? 0), oldestMs: Math.max(0, Number(row?.[1] ?? 0)) };
}

/** ms since 1970 UTC by MySQL's clock, which also says when a row was published. @throws DatabaseUnavailable */
export async function readClock(database: Database): Promise<number> {
  const [row] = await database.rows(`SELECT ${NOW}`, []);
  return Number(row?.[0]);
}

import type { PoolConnection } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { ERASED } from './erase.ts';
import { OTHERS_ROWS, type OthersRows, rangeOf } from './others-marks.ts';
import { PROOF } from './session.ts';

/** A row of `recency_outbox` as it was written, valid or not. */
export interface OutboxRow {
  readonly id: string;
  readonly type: string;
  /** The user, or the uploader of the photo. */
  readonly userId: string;
  /** The contact, or the photo. */
  readonly otherId: string | null;
  readonly at: string | null;
  readonly version: string | null;
  /** ms since 1970 UTC, by MySQL's clock. */
  readonly createdAt: number;
  /** How often publishing it failed. */
  readonly attempt: number;
  /** The trace context that the site gave, valid or not. */
  readonly traceparent?: string | undefined;
}

/** What became of claimed rows. Rows in neither list were published. */
interface PublishOutcome {
  /** To be published later: their partition does not take them now. */
  readonly putBack: readonly OutboxRow[];
  /** Never to be published, and why: not even the dead letters take them. */
  readonly refused: ReadonlyMap<OutboxRow, string>;
}

/** How much waits to be published, without re-checks. */
interface OutboxLag {
  /** At most COUNTED. */
  readonly rows: number;
  /** Age of the oldest row that is not dated in the future, ms; 0 when there is none. */
  readonly oldestMs: number;
  /** Of the rows looked at, those dated in the future. Their age is not known: a clock is wrong, or was set back. */
  readonly ahead: number;
}

/** Counting more rows would make the question expensive when the backlog is already a problem. */
export const COUNTED = 10_000;
const LOOKED_AT = 1_000;

/** ms since 1970 UTC by MySQL's clock: one clock for every process. */
export const OUTBOX_NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000`;

// Rows that another relay has claimed are skipped, so relays never wait for each other. No cursor over the ids: a row
// with a smaller id may be committed after one with a greater id. The index is forced, here and below, because MySQL
// would read a small table whole, and that means waiting for rows that are not even committed.
const UNPUBLISHED = `
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = FALSE`;

const ROW = 'id, type, user_id, other_id, at, version, created_at, attempt';

// In the order of the index: new rows (due at 0) by id, then rows that were put back, by due time.
// All columns: the table may be without `traceparent`, and may be given it while the relay runs.
const claim = (from: string) => `
  SELECT *
  FROM ${UNPUBLISHED} AND due_at >= ${from} AND due_at <= ${OUTBOX_NOW}
  ORDER BY due_at, id
  LIMIT ?
  FOR UPDATE SKIP LOCKED`;

const CLAIMS = { due: claim('0'), 'put back': claim('1') };

const ANY_DUE = `SELECT 1 FROM ${UNPUBLISHED} AND due_at <= ${OUTBOX_NOW} LIMIT 1`;

const CLAIM_OTHERS = `SELECT * FROM ${OTHERS_ROWS} ORDER BY published_at LIMIT ? FOR UPDATE SKIP LOCKED`;

/** Which rows to claim. */
export interface RowsWanted {
  readonly limit: number;
  /**
   * `due`: new rows before those that were put back; `put back`: only those; or rows that another server's relay has
   * published.
   */
  readonly which: keyof typeof CLAIMS | OthersRows;
}

const claimPublished = (types: string) => `
  SELECT id
  FROM recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at >= ? AND published_at < ? ${types}
  ORDER BY published_at
  LIMIT ?
  FOR UPDATE SKIP LOCKED`;

/** The rows of the ids given, as `o`. */
export const CLAIMED = `
  JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS claimed
  STRAIGHT_JOIN recency_outbox AS o FORCE INDEX (PRIMARY) ON o.id = claimed.id`;

const MARKED = `o.published_at = ${OUTBOX_NOW}, o.published_by = ${PROOF}`;
const MARK = `UPDATE ${CLAIMED} SET ${MARKED}`;

/** Publishing again: not the rows that name nobody any more. */
const UNPUBLISHING = {
  claim: claimPublished(`AND type <> '${ERASED}'`),
  change: `UPDATE ${CLAIMED} SET o.published_at = NULL, o.due_at = ${OUTBOX_NOW}, o.attempt = 0, o.refused = NULL`,
  keepsNewest: false,
};

// The delay doubles with each attempt: 0.5 s, 1 s, … at most 30 s.
const PUT_BACK = `
  UPDATE ${CLAIMED}
  SET o.published_at = NULL, o.due_at = ${OUTBOX_NOW} + LEAST(30000, 500 * POW(2, LEAST(o.attempt, 6))), o.attempt = LEAST(o.attempt + 1, 1000)`;

const REFUSE = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id', why VARCHAR(500) PATH '$.why')) AS claimed
  STRAIGHT_JOIN recency_outbox AS o FORCE INDEX (PRIMARY) ON o.id = claimed.id
  SET ${MARKED}, o.refused = claimed.why`;

const DELETING = { claim: claimPublished(''), change: `DELETE o FROM ${CLAIMED}`, keepsNewest: true };

/** Is there a row to publish now? One statement, which locks nothing. @throws DatabaseUnavailable */
export async function isAnyDue(database: Database): Promise<boolean> {
  return (await database.rows(ANY_DUE, [])).length > 0;
}

/**
 * Claims unpublished rows that are due, publishes them and marks their outcome, in one transaction: when `publish`
 * rejects or the process ends before the commit, they are unchanged. Under READ COMMITTED, so that the site's inserts
 * never wait.
 * @returns the number of rows claimed
 * @throws DatabaseUnavailable, and what `publish` throws
 */
export async function publishRows(
  database: Database,
  { limit, which }: RowsWanted,
  publish: (rows: readonly OutboxRow[]) => Promise<PublishOutcome>,
): Promise<number> {
  return await database.transaction(async (connection) => {
    const isOwn = typeof which === 'string';
    const [statement, range] = isOwn ? [CLAIMS[which], []] : [CLAIM_OTHERS, rangeOf(which)];
    const rows = await claimRows(connection, statement, [...range, String(limit)]);
    if (rows.length === 0) return 0;
    await markAll(connection, rows, await publish(rows));
    return rows.length;
  }, 'READ COMMITTED');
}

async function claimRows(
  connection: PoolConnection,
  statement: string,
  parameters: (string | null)[],
): Promise<OutboxRow[]> {
  const [rows, fields] = await connection.execute({ sql: statement, rowsAsArray: true }, parameters);
  const places = new Map(fields.map(({ name }, place) => [name, place]));
  const columns = ROW.split(', ').map((name) => places.get(name) ?? -1);
  const traceparent = places.get('traceparent') ?? -1;
  return (rows as unknown as ColumnValue[][]).map((row) => ({
    ...rowOf(columns.map((place) => row[place] ?? null)),
    traceparent: textOrNull(row[traceparent]) ?? undefined,
  }));
}

async function markAll(
  connection: PoolConnection,
  rows: readonly OutboxRow[],
  { putBack, refused }: PublishOutcome,
): Promise<void> {
  const others = new Set([...putBack, ...refused.keys()]);
  const published = rows.filter((row) => !others.has(row));
  const ids = (some: readonly OutboxRow[]) => JSON.stringify(some.map(({ id }) => id));
  if (published.length > 0) await connection.execute(MARK, [ids(published)]);
  if (putBack.length > 0) await connection.execute(PUT_BACK, [ids(putBack)]);
  const reasons = [...refused].map(([{ id }, why]) => ({ id, why: why.slice(0, 500) })); // as long as the column
  if (reasons.length > 0) await connection.execute(REFUSE, [JSON.stringify(reasons)]);
}

/** No row is delayed for longer, ms: one that seems to be due later was delayed before MySQL's clock was set back. */
export const LONGEST_PUT_OFF_MS = 60_000;

const PULL_FORWARD = `
  UPDATE recency_outbox FORCE INDEX (recency_outbox_published)
  SET due_at = ${OUTBOX_NOW}
  WHERE published_at IS NULL AND is_recheck = ? AND due_at > ${OUTBOX_NOW} + ${LONGEST_PUT_OFF_MS}
  LIMIT 1000`;

/**
 * Makes rows that were delayed before MySQL's clock was set back due now, a thousand at most.
 * @throws DatabaseUnavailable
 */
export async function pullForward(database: Database, which: 'tasks' | 'rechecks'): Promise<void> {
  const isRecheck = which === 'rechecks' ? 1 : 0;
  await database.transaction((connection) => connection.execute(PULL_FORWARD, [isRecheck]), 'READ COMMITTED');
}

/**
 * Deletes at most `limit` rows that were published before a time. The newest of them stays: a task is there at least until a newer one
 * is as old (see newest-task.ts).
 * @param before ms since 1970 UTC
 * @param limit from 2
 * @returns the number of rows looked at
 * @throws DatabaseUnavailable
 */
export async function deletePublished(database: Database, before: number, limit: number): Promise<number> {
  return await changePublished(database, DELETING, { from: 0, to: before }, limit);
}

/**
 * Makes at most `limit` rows that were published in this time unpublished again, so that the relays publish them once
 * more.
 * @param time ms since 1970 UTC; `from` included, `to` not
 * @returns the number of rows
 * @throws DatabaseUnavailable
 */
export function unpublish(database: Database, time: { from: number; to: number }, limit: number): Promise<number> {
  return changePublished(database, UNPUBLISHING, time, limit);
}

async function changePublished(
  database: Database,
  { claim, change, keepsNewest }: typeof DELETING,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<number> {
  return await database.transaction(async (connection) => {
    const claimed = await selectRows(connection, claim, [String(from), String(to), String(limit)]);
    const newest = keepsNewest ? newestOf(claimed) : undefined;
    const ids = claimed.map(([id]) => String(id)).filter((id) => id !== newest);
    if (ids.length > 0) await connection.execute(change, [JSON.stringify(ids)]);
    return claimed.length;
  }, 'READ COMMITTED');
}

function newestOf(rows: readonly ColumnValue[][]): string {
  return String(rows.reduce((newest, [id]) => (BigInt(String(id)) > newest ? BigInt(String(id)) : newest), 0n));
}

/** Runs a SELECT within a transaction. */
export async function selectRows(
  connection: PoolConnection,
  statement: string,
  parameters: string[],
): Promise<ColumnValue[][]> {
  const [rows] = await connection.execute({ sql: statement, rowsAsArray: true }, parameters);
  return rows as unknown as ColumnValue[][];
}

function rowOf([id, type, userId, otherId, at, version, createdAt, attempt]: readonly ColumnValue[]): OutboxRow {
  return {
    id: String(id),
    type: String(type),
    userId: String(userId),
    otherId: textOrNull(otherId),
    at: textOrNull(at),
    version: textOrNull(version),
    createdAt: Number(createdAt),
    attempt: Number(attempt),
  };
}

function textOrNull(column: ColumnValue | undefined): string | null {
  return column === null || column === undefined ? null : String(column);
}

// The first new row is the oldest of them, unless the site dates its rows itself, or a clock was set. Rows that were put back
// are ordered by due time. So the oldest is looked for among the first of both.
const LAG = `
  SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM ${UNPUBLISHED} LIMIT ?) AS waiting),
         MAX(${OUTBOX_NOW} - first.created_at), SUM(first.created_at > ${OUTBOX_NOW})
  FROM ((SELECT created_at FROM ${UNPUBLISHED} AND due_at = 0 ORDER BY id LIMIT ${LOOKED_AT})
        UNION ALL
        (SELECT created_at FROM ${UNPUBLISHED} AND due_at > 0 ORDER BY due_at, id LIMIT ${LOOKED_AT})
       ) AS first`;

/** @throws DatabaseUnavailable */
export async function readOutboxLag(database: Database): Promise<OutboxLag> {
  const [row] = await database.rows(LAG, [String(COUNTED)]);
  return { rows: Number(row?.[0] ?? 0), oldestMs: Math.max(0, Number(row?.[1] ?? 0)), ahead: Number(row?.[2] ?? 0) };
}

/** ms since 1970 UTC by MySQL's clock, which also dates the publishing of rows. @throws DatabaseUnavailable */
export async function readClock(database: Database): Promise<number> {
  const [row] = await database.rows(`SELECT ${OUTBOX_NOW}`, []);
  return Number(row?.[0]);
}

const UP_TO = `SELECT 1 FROM ${UNPUBLISHED} AND due_at = 0 AND id <= ? LIMIT 1`;

/**
 * Is every new task up to this row published? Rows with smaller ids that are committed later count too, which does no
 * harm. Rows that were put back do not ({@link readPutBackRows}), nor do re-checks, which are not tasks
 * (`readRechecksOf`).
 * @throws DatabaseUnavailable
 */
export async function isPublishedUpTo(database: Database, id: string): Promise<boolean> {
  return (await database.rows(UP_TO, [id])).length === 0;
}

const PUT_BACK_ROWS = `SELECT ${ROW} FROM ${UNPUBLISHED} AND due_at > 0 LIMIT ?`;

/** Tasks that were put back or are to be published again, in no order. @throws DatabaseUnavailable */
export async function readPutBackRows(database: Database, limit: number): Promise<OutboxRow[]> {
  return (await database.rows(PUT_BACK_ROWS, [String(limit)])).map(rowOf);
}

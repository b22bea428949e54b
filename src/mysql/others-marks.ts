/**
 * Rows of the outbox that another server's relay has published.
 *
 * A row that arrives by replication may be marked as published already: by the relay of the server that it comes from. Its task
 * then went out before this server had the change, and perhaps to a transport that is gone. A replica that is opened for
 * writes while it still applies what it has received, and a pair of masters whose dead half comes back, receive many such rows.
 * So the mark names its server (`published_by`), and the server on record publishes what others have marked once more, and
 * marks it as its own.
 *
 * Not all of them: when a server comes on record a new epoch begins, and its indexes are built from rows that hold whatever had
 * arrived by then. What is newest by each other mark is remembered at that moment. What arrives later was published later, by
 * the same clock, apart from relays that mark side by side: they are allowed a minute.
 */

import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { serverOn } from './epoch-token.ts';
import { ERASED } from './erase.ts';
import { PROOF } from './session.ts';

/** Rows with one mark of another server. */
export interface OthersRows {
  /** null: of version 0.1.0, which left none. */
  readonly mark: string | null;
  /** When they were published, both included: ms since 1970 UTC, by the other server's clock. */
  readonly from: number;
  readonly through: number;
}

/** How much later a mark may be committed than one that is newer, ms. */
const SIDE_BY_SIDE_MS = 60_000;

const NAME = 'outbox:others_marks';

// Loose index scans: as many steps as there are marks.
const NEWEST = `
  SELECT published_by, MAX(published_at)
  FROM recency_outbox FORCE INDEX (recency_outbox_published_by)
  GROUP BY published_by`;

const REMEMBERED = `
  SELECT ${PROOF},
         (SELECT token FROM recency_epoch),
         (SELECT value FROM recency_settings WHERE name = '${NAME}')`;

const WRITE = `REPLACE INTO recency_settings (name, value) VALUES ('${NAME}', ?)`;

/** What has arrived from others by now. To be called in the transaction that puts this server on record. */
export async function rememberMarks(connection: PoolConnection): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>({ sql: NEWEST, rowsAsArray: true });
  const newest = (rows as unknown as ColumnValue[][]).filter(([, at]) => at !== null);
  const through = newest.map(([mark, at]) => [mark ?? '', Number(at)] as const);
  await connection.execute(WRITE, [JSON.stringify(Object.fromEntries(through))]);
}

/**
 * What others have published and this server has not, as far as it has arrived. Nothing where the server on record is another
 * one, or was put on record by version 0.1.0.
 * @throws DatabaseUnavailable
 */
export async function readOthersRows(database: Database): Promise<readonly OthersRows[]> {
  const [[proof, token, remembered] = []] = await database.rows(REMEMBERED, []);
  const isOnRecord = proof === serverOn(String(token));
  if (!isOnRecord || remembered === null || remembered === undefined) return [];
  const known = JSON.parse(String(remembered)) as Readonly<Record<string, number>>;
  const newest = await database.rows(NEWEST, []);
  return newest.flatMap(([column, at]) => {
    const mark = column === null || column === undefined ? null : String(column);
    if (mark === proof || at === null || at === undefined) return [];
    const from = (known[mark ?? ''] ?? Number.NEGATIVE_INFINITY) - SIDE_BY_SIDE_MS;
    const rows = { mark, from: Math.max(0, from), through: Number(at) };
    return rows.through >= rows.from ? [rows] : [];
  });
}

/** SQL: the end of a statement on `recency_outbox` for one {@link OthersRows}; with {@link rangeOf}. */
export const OTHERS_ROWS = `
  recency_outbox FORCE INDEX (recency_outbox_published_by)
  WHERE published_by <=> ? AND published_at >= ? AND published_at <= ? AND type <> '${ERASED}'`;

export function rangeOf({ mark, from, through }: OthersRows): (string | null)[] {
  return [mark, String(from), String(through)];
}

/** Is none of these left? @throws DatabaseUnavailable */
export async function isNoneLeft(database: Database, found: readonly OthersRows[]): Promise<boolean> {
  for (const rows of found) {
    const left = await database.rows(`SELECT 1 FROM ${OTHERS_ROWS} LIMIT 1`, rangeOf(rows));
    if (left.length > 0) return false;
  }
  return true;
}

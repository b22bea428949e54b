/** What users have seen (`recency_seen`), and the SQL that says what is new. */

import type { RowDataPacket } from 'mysql2/promise';
import type { Id } from '../contracts/id.ts';
import { EVERY_PHOTO, type SeenCursor } from '../contracts/seen.ts';
import type { AnswerDatabase, ColumnValue, Database } from './database.ts';
import type { EpochRows } from './epoch.ts';
import { KIND_NAME } from './kind-database.ts';
import { asScore } from './last-upload.ts';
import { type Learned, type LearnedStatement, learnedOf, readLearned } from './learned.ts';

// The greater of two cursors, whatever came first. seen_id is assigned first, because both servers let an assignment see
// those before it, and it compares the times. Source 0 has keys, whose ids compare as text; the others have photos.
const RAISE = `
  INSERT INTO recency_seen (user_id, kind, source_id, seen_at, seen_id)
  SELECT ?, given.kind, given.source_id, given.seen_at, given.seen_id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    kind VARCHAR(32) PATH '$.kind',
    source_id BIGINT UNSIGNED PATH '$.source',
    seen_at BIGINT PATH '$.at',
    seen_id BIGINT UNSIGNED PATH '$.id')) AS given
  ON DUPLICATE KEY UPDATE
    recency_seen.seen_id = CASE
      WHEN given.seen_at > recency_seen.seen_at THEN given.seen_id
      WHEN given.seen_at < recency_seen.seen_at THEN recency_seen.seen_id
      WHEN recency_seen.source_id <> 0 THEN GREATEST(given.seen_id, recency_seen.seen_id)
      WHEN CAST(given.seen_id AS BINARY) > CAST(recency_seen.seen_id AS BINARY) THEN given.seen_id
      ELSE recency_seen.seen_id END,
    recency_seen.seen_at = GREATEST(given.seen_at, recency_seen.seen_at)`;

const READ_IN_USE = 'SELECT seen_in_use FROM recency_epoch';
const SET_IN_USE = 'UPDATE recency_epoch SET seen_in_use = TRUE';

/**
 * Raises the user's cursors, all of them or none. A cursor that is higher already stays, so late, repeated and concurrent
 * calls do no harm.
 * @param cursors one for each kind and source
 * @throws DatabaseUnavailable
 */
export async function raiseSeen(database: Database, user: Id, cursors: readonly SeenCursor[]): Promise<void> {
  if (cursors.length === 0) return;
  const ordered = [...cursors].sort((a, b) => (a.kind < b.kind ? -1 : 1)); // two calls wait for each other, never in a circle
  await database.transaction(async (connection) => {
    await connection.execute(RAISE, [user, JSON.stringify(ordered)]);
    // Read without a lock, so that marks do not wait for each other. A mark is never committed without it.
    const [[row]] = await connection.query<RowDataPacket[]>(READ_IN_USE);
    if (!row?.seen_in_use) await connection.query(SET_IN_USE);
  });
}

/** Rows, and what their statement relied on. */
export type ComparedRows<Rows> = Rows & { readonly by: Learned };

/**
 * Reads rows with whether they are unseen. Whether there are cursors is in the rows themselves, in the same snapshot: if
 * there are and they were not compared, the rows are read again.
 * @param inUse the column that says so
 * @throws what `read` throws
 */
export async function readCompared<Rows extends Pick<EpochRows, 'rows'>>(
  database: AnswerDatabase,
  { statement, inUse }: { readonly statement: LearnedStatement; readonly inUse: number },
  read: (statement: string) => Promise<Rows>,
): Promise<ComparedRows<Rows>> {
  for (;;) {
    const found = await readLearned(database, statement, async (text, by) => ({ ...(await read(text)), by }));
    if (found.by.seen || Number(found.rows[0]?.[inUse]) !== 1) return found;
    const learned = learnedOf(database);
    learned.by = { ...learned.by, seen: true };
  }
}

/** SQL: where a statement finds the columns of the rows that it compares. */
export interface ComparedRow {
  readonly user: string;
  /** The followed thing's id. */
  readonly id: string;
  /** The last upload, whole ms. */
  readonly at: string;
  /** When the relation began, ms; null: unknown. */
  readonly since: string;
  /** A bitmask: the audiences that the user sees. */
  readonly sees: string;
}

/** Every audience that a bitmask can name. */
const AUDIENCES = Array.from({ length: 64 }, (_, audience) => audience).join(', ');

/**
 * SQL: has the source a photo that the user may see, of the same time as its cursor and above it? It is asked only for those
 * times. The audiences are listed so that an index by owner, audience and time finds it.
 */
function isPhotoAbove({ id, at, sees }: ComparedRow): string {
  return `EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = ${id} AND tie.audience IN (${AUDIENCES})
        AND tie.uploaded_at >= ${at} AND tie.uploaded_at < ${at} + 1
        AND tie.id > seen_own.seen_id AND (${sees} >> tie.audience) & 1)`;
}

/**
 * SQL: joins the user's cursor for all of the kind that is asked about (`seen_all`), and the one of each row (`seen_own`),
 * by their primary key.
 */
export function joinSeen({ user, id }: ComparedRow, { seen }: Pick<Learned, 'seen'>): string {
  if (!seen) return '';
  return `
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = ${user} AND seen_all.kind = ${KIND_NAME} AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = ${user} AND seen_own.kind = ${KIND_NAME} AND seen_own.source_id = ${id}`;
}

/**
 * SQL: is the row new to the user? It is if its key is above the cursor for all, one of its photos is above its own
 * cursor, and its last upload came after the relation began.
 */
export function isUnseen(row: ComparedRow, by: Learned): string {
  const { id, at, since } = row;
  const cursors = [
    `(seen_all.seen_at IS NULL OR ${at} > seen_all.seen_at
      OR (${at} = seen_all.seen_at AND CAST(${id} AS BINARY) > CAST(seen_all.seen_id AS BINARY)))`,
    `(seen_own.seen_at IS NULL OR ${at} > seen_own.seen_at OR (${at} = seen_own.seen_at
      AND seen_own.seen_id < ${EVERY_PHOTO} AND ${isPhotoAbove(row)}))`,
  ];
  const conditions = [...(by.seen ? cursors : []), ...(by.since ? [`(${since} IS NULL OR ${at} > ${since})`] : [])];
  return conditions.length === 0 ? 'TRUE' : `(${conditions.join(' AND ')})`;
}

/**
 * SQL: the column that {@link isUnseenIn} reads. Where there are no cursors, when the relation began: comparing it here would
 * name the last upload, and so derive it, once more.
 */
export function unseenColumn(row: ComparedRow, by: Learned): string {
  if (by.seen) return isUnseen(row, by);
  return by.since ? asScore(row.since) : 'NULL';
}

/** Is the row new to the user? @param at its last upload, ms since 1970 UTC */
export function isUnseenIn(column: ColumnValue | undefined, at: number, { seen }: Learned): boolean {
  if (seen) return Number(column) === 1;
  return column === null || at > Number(column);
}

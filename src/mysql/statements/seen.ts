/** What users have seen (`recency_seen`), and the SQL that says what is new. */

import type { RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { EVERY_PHOTO, GREATEST_IN_KEY, type SeenCursor } from '../../contracts/seen.ts';
import type { KindView } from '../../site/kind-view.ts';
import type { ColumnValue } from '../../site/row.ts';
import type { AnswerDatabase, Database } from '../database.ts';
import type { EpochRows } from '../epoch.ts';
import type { Choose, KindDatabase } from './kind-statements.ts';
import { asScore } from './pair-row.ts';

/** SQL: now, ms since 1970 UTC. */
const PRESENT = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';

/** SQL: a cursor as it is, unless an older version, or a clock that was ahead, has left it in the future. */
const SEEN_AT = `LEAST(recency_seen.seen_at, ${PRESENT})`;

// The greater of two cursors, whatever came first. seen_id is assigned first, because both servers let an assignment see
// those before it, and it compares the times. Source 0 has keys, whose ids compare as text; the others have photos.
// No cursor passes the present of this server, whatever the clock of the process, the request or the date of a photo says:
// what is uploaded until then would never be new.
const RAISE = `
  INSERT INTO recency_seen (user_id, kind, source_id, seen_at, seen_id)
  SELECT ?, given.kind, given.source_id, given.seen_at, given.seen_id
  FROM (
    SELECT mark.kind, mark.source_id, LEAST(mark.seen_at, ${PRESENT}) AS seen_at,
      CASE WHEN mark.seen_at <= ${PRESENT} THEN mark.seen_id
        WHEN mark.source_id = 0 THEN ${GREATEST_IN_KEY} ELSE ${EVERY_PHOTO} END AS seen_id
    FROM JSON_TABLE(?, '$[*]' COLUMNS (
      kind VARCHAR(32) PATH '$.kind',
      source_id BIGINT UNSIGNED PATH '$.source',
      seen_at BIGINT PATH '$.at',
      seen_id BIGINT UNSIGNED PATH '$.id')) AS mark
  ) AS given
  ON DUPLICATE KEY UPDATE
    recency_seen.seen_id = CASE
      WHEN given.seen_at > ${SEEN_AT} THEN given.seen_id
      WHEN given.seen_at < ${SEEN_AT} THEN recency_seen.seen_id
      WHEN recency_seen.source_id <> 0 THEN GREATEST(given.seen_id, recency_seen.seen_id)
      WHEN CAST(given.seen_id AS BINARY) > CAST(recency_seen.seen_id AS BINARY) THEN given.seen_id
      ELSE recency_seen.seen_id END,
    recency_seen.seen_at = GREATEST(given.seen_at, ${SEEN_AT})`;

const READ_IN_USE = 'SELECT seen_in_use FROM recency_epoch';
const SET_IN_USE = 'UPDATE recency_epoch SET seen_in_use = TRUE';

/**
 * Raises the user's cursors, all of them or none. A cursor that is higher already stays, so late, repeated and concurrent
 * calls do no harm. One in the future is taken for now.
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

/** A statement that compares its rows with the cursors, if there are any. */
export interface ComparedStatement {
  readonly text: string;
  /** What it relies on. */
  readonly view: KindView;
  /** The place of `seen_in_use`. */
  readonly inUse: number;
}

/**
 * Reads rows with whether they are unseen. Whether there are cursors is in the rows themselves, in the same snapshot: if
 * there are and they were not compared, the rows are read again.
 * @returns the rows, and the statement that they are of
 * @throws what `read` throws
 */
export async function readCompared<S extends ComparedStatement, Rows extends Pick<EpochRows, 'rows'>>(
  { server, statements }: KindDatabase<AnswerDatabase>,
  choose: Choose<S>,
  read: (statement: S) => Promise<Rows>,
): Promise<Rows & { readonly statement: S }> {
  for (;;) {
    const found = await statements.asking(server, choose, async (statement) => ({
      ...(await read(statement)),
      statement,
    }));
    const { view, inUse } = found.statement;
    if (view.cursors || Number(found.rows[0]?.[inUse]) !== 1) return found;
    statements.learn({ cursors: true });
  }
}

/** SQL: where a statement finds the columns of the rows that it compares. */
interface ComparedRow {
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
function isPhotoAbove({ id, at, sees }: ComparedRow, { kind: { photosView, ownerColumn } }: KindView): string {
  return `EXISTS (
      SELECT 1 FROM ${photosView} AS tie
      WHERE tie.${ownerColumn} = ${id} AND tie.audience IN (${AUDIENCES})
        AND tie.uploaded_at >= ${at} AND tie.uploaded_at < ${at} + 1
        AND tie.id > seen_own.seen_id AND (${sees} >> tie.audience) & 1)`;
}

/**
 * SQL: joins the user's cursor for all of the kind (`seen_all`), and the one of each row (`seen_own`), by their primary key;
 * nothing where there are no cursors.
 */
export function joinSeen({ user, id }: ComparedRow, { cursors, kind: { name } }: KindView): string {
  if (!cursors) return '';
  const of = `= ${user}`;
  const kind = `'${name}'`;
  return `
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id ${of} AND seen_all.kind = ${kind} AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id ${of} AND seen_own.kind = ${kind} AND seen_own.source_id = ${id}`;
}

/** SQL: the columns of a cursor that {@link joinSeen} joins. */
export function cursorColumns<C extends 'all' | 'own'>(cursor: C): Record<`${C}At` | `${C}Id`, string> {
  const columns = { [`${cursor}At`]: `seen_${cursor}.seen_at`, [`${cursor}Id`]: `seen_${cursor}.seen_id` };
  return columns as Record<`${C}At` | `${C}Id`, string>;
}

/**
 * SQL: is the row new to the user? It is if its key is above the cursor for all, one of its photos is above its own
 * cursor, and its last upload came after the relation began.
 */
export function isUnseen(row: ComparedRow, view: KindView): string {
  const { id, at, since } = row;
  const cursors = [
    `(seen_all.seen_at IS NULL OR ${at} > seen_all.seen_at
      OR (${at} = seen_all.seen_at AND CAST(${id} AS BINARY) > CAST(seen_all.seen_id AS BINARY)))`,
    `(seen_own.seen_at IS NULL OR ${at} > seen_own.seen_at OR (${at} = seen_own.seen_at
      AND seen_own.seen_id < ${EVERY_PHOTO} AND ${isPhotoAbove(row, view)}))`,
  ];
  const began = view.since ? [`(${since} IS NULL OR ${at} > ${since})`] : [];
  const conditions = [...(view.cursors ? cursors : []), ...began];
  return conditions.length === 0 ? 'TRUE' : `(${conditions.join(' AND ')})`;
}

/**
 * SQL: the column that {@link isUnseenIn} reads. Where there are no cursors, when the relation began: comparing it here would
 * name the last upload, and so derive it, once more.
 */
export function unseenColumn(row: ComparedRow, view: KindView): string {
  if (view.cursors) return isUnseen(row, view);
  return view.since ? asScore(row.since) : 'NULL';
}

/** Is the row new to the user? @param at its last upload, ms since 1970 UTC */
export function isUnseenIn(column: ColumnValue | undefined, at: number, { cursors }: KindView): boolean {
  if (cursors) return Number(column) === 1;
  return column === null || at > Number(column);
}

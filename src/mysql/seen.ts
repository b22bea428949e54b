/** What users have seen (`recency_seen`), and the SQL that says what is new. */

import type { Id } from '../contracts/id.ts';
import { EVERY_PHOTO, type SeenCursor } from '../contracts/seen.ts';
import type { Database } from './database.ts';

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

/**
 * Raises the user's cursors, all of them or none. A cursor that is higher already stays, so late, repeated and concurrent
 * calls do no harm.
 * @param cursors one for each kind and source
 * @throws DatabaseUnavailable
 */
export async function raiseSeen(database: Database, user: Id, cursors: readonly SeenCursor[]): Promise<void> {
  if (cursors.length === 0) return;
  const ordered = [...cursors].sort((a, b) => (a.kind < b.kind ? -1 : 1)); // two calls wait for each other, never in a circle
  await database.write(RAISE, [user, JSON.stringify(ordered)]);
}

/** SQL: where a statement finds the columns of the rows that it compares with cursors. */
export interface ComparedRow {
  readonly user: string;
  /** The followed thing's id. */
  readonly id: string;
  /** The last upload, whole ms. */
  readonly at: string;
  /** When the relation began, ms; undefined: the view does not say. */
  readonly since: string | undefined;
}

/**
 * SQL: joins the user's cursor for all of a kind (`seen_all`), and the one of each row (`seen_own`), by their primary key.
 */
export function joinSeen(kind: string, { user, id }: ComparedRow): string {
  return `
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = ${user} AND seen_all.kind = '${kind}' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = ${user} AND seen_own.kind = '${kind}' AND seen_own.source_id = ${id}`;
}

/**
 * SQL: is the row new to the user? It is if its key is above the cursor for all, its last upload is above its own
 * cursor, and it was uploaded since the relation began.
 */
export function isUnseen({ id, at, since }: ComparedRow): string {
  const conditions = [
    `(seen_all.seen_at IS NULL OR ${at} > seen_all.seen_at
      OR (${at} = seen_all.seen_at AND CAST(${id} AS BINARY) > CAST(seen_all.seen_id AS BINARY)))`,
    `(seen_own.seen_at IS NULL OR ${at} > seen_own.seen_at OR (${at} = seen_own.seen_at AND seen_own.seen_id < ${EVERY_PHOTO}))`,
    ...(since === undefined ? [] : [`(${since} IS NULL OR ${at} > ${since})`]),
  ];
  return `(${conditions.join(' AND ')})`;
}

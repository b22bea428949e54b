import type { Database } from './database.ts';

const LAST = 'SELECT MAX(id) FROM recency_outbox';

/** The id of the newest row of the outbox; '0': there is none. @throws DatabaseUnavailable */
export async function readLastOutboxId(database: Database): Promise<string> {
  const [row] = await database.rows(LAST, []);
  return String(row?.[0] ?? 0);
}

const UNPUBLISHED = `
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = FALSE`;

const UP_TO = `SELECT 1 FROM ${UNPUBLISHED} AND due_at = 0 AND id <= ? LIMIT 1`;

/**
 * Is every new task up to this row published? Rows with smaller ids that are committed later are waited for as well, which
 * does no harm. What was put back is not waited for: see {@link readPutBackRows}. Nor are re-checks, which are no tasks: see
 * `readRechecksOf`.
 * @throws DatabaseUnavailable
 */
export async function isPublishedUpTo(database: Database, id: string): Promise<boolean> {
  return (await database.rows(UP_TO, [id])).length === 0;
}

const PUT_BACK = `SELECT id, type, user_id, other_id FROM ${UNPUBLISHED} AND due_at > 0 LIMIT ?`;

/** A task that waits to be published, though not as a new one. */
export interface PutBackRow {
  readonly id: string;
  readonly type: string;
  readonly userId: string;
  readonly otherId: string | undefined;
}

/** Tasks that were put back, or are to be published again, in no order. @throws DatabaseUnavailable */
export async function readPutBackRows(database: Database, limit: number): Promise<PutBackRow[]> {
  const rows = await database.rows(PUT_BACK, [String(limit)]);
  return rows.map(([id, type, userId, otherId]) => ({
    id: String(id),
    type: String(type),
    userId: String(userId),
    otherId: otherId === null || otherId === undefined ? undefined : String(otherId),
  }));
}

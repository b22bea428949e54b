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

// New rows stand in the order of their ids; of those that were put back there are few.
const UP_TO = `
  (SELECT 1 FROM ${UNPUBLISHED} AND due_at = 0 AND id <= ? LIMIT 1)
  UNION ALL
  (SELECT 1 FROM ${UNPUBLISHED} AND due_at > 0 AND id <= ? LIMIT 1)`;

/**
 * Is every task up to this row published? Rows with smaller ids that are committed later are waited for as well, which
 * does no harm; so are those that were put back. Re-checks are no tasks, and are not waited
 * for: see `readRechecksOf`.
 * @throws DatabaseUnavailable
 */
export async function isPublishedUpTo(database: Database, id: string): Promise<boolean> {
  return (await database.rows(UP_TO, [id, id])).length === 0;
}

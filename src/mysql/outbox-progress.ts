import type { Database } from './database.ts';

const LAST = 'SELECT MAX(id) FROM recency_outbox';

/** The id of the newest row of the outbox; '0': there is none. @throws DatabaseUnavailable */
export async function readLastOutboxId(database: Database): Promise<string> {
  const [row] = await database.rows(LAST, []);
  return String(row?.[0] ?? 0);
}

const UNPUBLISHED = `
  SELECT 1 FROM recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND id <= ?
  LIMIT 1`;

/**
 * Is every row up to this one published? Rows with smaller ids that are committed later are waited for as well, which
 * does no harm.
 * @throws DatabaseUnavailable
 */
export async function isPublishedUpTo(database: Database, id: string): Promise<boolean> {
  return (await database.rows(UNPUBLISHED, [id])).length === 0;
}

import type { Database } from './database.ts';
import { EPOCH, readOwn } from './epoch.ts';

const NEWEST = `
  SELECT newest.id, newest.created_at, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT id, created_at FROM recency_outbox FORCE INDEX (PRIMARY) WHERE is_recheck = FALSE ORDER BY id DESC LIMIT 1
  ) AS newest ON TRUE`;

/** A task of the outbox: no other row has both. */
export interface WrittenTask {
  readonly id: string;
  /** ms since 1970 UTC, by MySQL's clock, unless the site has written something else. */
  readonly createdAt: string;
}

/**
 * The newest task, with the id '0' when there is none, and the epoch in force. It never decreases: the newest task is not deleted with
 * other old ones. If it has decreased, tasks were removed by hand, or MySQL was set back.
 * @throws DatabaseNotPrimary, DatabaseUnavailable, EpochMissing
 */
export async function readNewestTask(database: Database): Promise<WrittenTask & { readonly epoch: string }> {
  const { epoch, rows } = await readOwn(database, NEWEST, []);
  return { id: String(rows[0]?.[0] ?? 0), createdAt: String(rows[0]?.[1] ?? 0), epoch };
}

const SAME = 'SELECT 1 FROM recency_outbox WHERE id = ? AND created_at = ?';

/** Is this very task in the outbox? @throws DatabaseUnavailable */
export async function isSameTaskThere(database: Database, { id, createdAt }: WrittenTask): Promise<boolean> {
  return id === '0' || (await database.rows(SAME, [id, createdAt])).length > 0;
}

const THERE = 'SELECT 1 FROM recency_outbox WHERE id >= ? AND is_recheck = FALSE LIMIT 1';

/** Is this task, or a newer one, still in the outbox? @throws DatabaseUnavailable */
export async function isTaskThere(database: Database, id: string): Promise<boolean> {
  return id === '0' || (await database.rows(THERE, [id])).length > 0;
}

import type { Id } from '../contracts/id.ts';
import { type Database, StatementTooSlow } from './database.ts';

// Either side may have millions of rows, so the optimizer is left to choose where to begin: where 10,000 of a million followers
// are watched, 20 ms with the watches and 540 with the followers; where a million users are watched and 200 of them are
// followers, 15 with the followers and 740 with the watches.
const WATCHED_FOLLOWERS = `
  SELECT w.user_id
  FROM recency_watches AS w
  JOIN recency_contacts AS c ON c.user_id = w.user_id
  WHERE c.contact_id = ? AND w.ended IS NULL
  LIMIT ?`;

/** Longer than that, nobody waits for it, ms. */
const WITHIN_MS = 1_000;

/**
 * Some of an uploader's followers whom somebody watches, in no order; none if finding them takes longer than a second.
 * @param limit watches, at most
 * @throws DatabaseUnavailable
 */
export async function readWatchedFollowers(database: Database, owner: Id, limit: number): Promise<Id[]> {
  try {
    const rows = await database.rows(WATCHED_FOLLOWERS, [owner, String(limit)], { withinMs: WITHIN_MS });
    return [...new Set(rows.map(([user]) => String(user)))];
  } catch (error) {
    if (error instanceof StatementTooSlow) return [];
    throw error;
  }
}

import type { Id } from '../contracts/id.ts';
import type { Database } from './database.ts';

// Related or not: a change that ends a relationship (a suspension, say) must reach the indexes that still hold the owner.
const PAGE = `
  SELECT c.user_id
  FROM recency_contacts AS c
  WHERE c.contact_id = ? AND c.user_id > ?
  ORDER BY c.user_id
  LIMIT ?`;

/**
 * The next users who have a row with `owner` as the contact, by id, after the one named ('0': from the first).
 * @throws DatabaseUnavailable
 */
export async function readFollowers(database: Database, owner: Id, after: Id | '0', limit: number): Promise<Id[]> {
  const rows = await database.rows(PAGE, [owner, after, String(limit)]);
  return rows.map((row) => String(row[0]));
}

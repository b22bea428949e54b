import type { Id } from '../contracts/id.ts';
import type { Database } from './database.ts';
import { EPOCH, readOwn } from './server-identity.ts';

// Related or not: a change that ends a relationship (a suspension, say) must reach the indexes that still hold the owner.
const PAGE = `
  SELECT ${EPOCH}, page.user_id
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id
    FROM recency_contacts AS c
    WHERE c.contact_id = ? AND c.user_id > ?
    ORDER BY c.user_id
    LIMIT ?
  ) AS page ON TRUE`;

/** By id as a number: texts of decimal digits. */
function byId(a: Id, b: Id): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/**
 * The next users who have a row with `owner` as the contact, by id, after the one named ('0': from the first).
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readFollowers(database: Database, owner: Id, after: Id | '0', limit: number): Promise<Id[]> {
  const { rows } = await readOwn(database, PAGE, [owner, after, String(limit)]);
  const users = rows.filter(([user]) => user !== null).map(([user]) => String(user));
  return users.sort(byId); // a derived table has no order of its own
}

import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';

/** The newest photo of each contact that the user may see, from the site's own tables. */
const OF_CONTACTS = `
  SELECT c.contact_id AS id, c.since, MAX(p.uploaded_at) AS at
  FROM contacts AS c
  JOIN photos AS p ON p.owner_id = c.contact_id
  LEFT JOIN contacts AS granted ON granted.user_id = c.contact_id AND granted.contact_id = c.user_id AND granted.active
  WHERE c.user_id = ? AND c.active
    AND (p.audience = 0
      OR p.audience IN (1, 3) AND COALESCE(granted.is_friend, 0)
      OR p.audience IN (2, 3) AND COALESCE(granted.is_family, 0))
  GROUP BY c.contact_id, c.since`;

/** The newest public photo of each of the user's groups, likewise. */
const OF_GROUPS = `
  SELECT m.group_id AS id, m.since, MAX(pool.added_at) AS at
  FROM memberships AS m
  JOIN group_pools AS pool ON pool.group_id = m.group_id
  JOIN photos AS p ON p.id = pool.photo_id AND p.audience = 0
  WHERE m.user_id = ? AND m.active
  GROUP BY m.group_id, m.since`;

const NEWEST = { contacts: OF_CONTACTS, groups: OF_GROUPS };

export type SeenKind = keyof typeof NEWEST;

/**
 * What is new to the user, from the site's own tables and the cursors, by other SQL than Recency's.
 * @returns the ids, in the order of an answer
 */
export async function plainUnseen(pool: Pool, kind: SeenKind, user: Id): Promise<Id[]> {
  const [rows] = await pool.query(
    {
      sql: `
        SELECT newest.id FROM (${NEWEST[kind]}) AS newest
        WHERE newest.at > newest.since
          AND NOT EXISTS (SELECT * FROM recency_seen AS s
            WHERE s.user_id = ? AND s.kind = ? AND s.source_id = newest.id AND newest.at <= s.seen_at)
          AND NOT EXISTS (SELECT * FROM recency_seen AS s
            WHERE s.user_id = ? AND s.kind = ? AND s.source_id = 0
              AND (newest.at < s.seen_at
                OR newest.at = s.seen_at AND CAST(newest.id AS BINARY) <= CAST(s.seen_id AS BINARY)))
        ORDER BY newest.at DESC, CAST(newest.id AS BINARY) DESC`,
      rowsAsArray: true,
    },
    [user, user, kind, user, kind],
  );
  return (rows as unknown as (string | number)[][]).map(([id]) => String(id));
}

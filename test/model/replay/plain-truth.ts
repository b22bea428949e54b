import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../../src/contracts/key.ts';

// From the site's own tables; all photos here are public.
const TRUTH = `
  SELECT c.user_id, c.contact_id, newest.at
  FROM contacts AS c
  JOIN (SELECT owner_id, MAX(uploaded_at) AS at FROM photos GROUP BY owner_id) AS newest ON newest.owner_id = c.contact_id
  WHERE c.active`;

/** Each user's contacts with uploads, highest key first. */
export async function readPlainTruth(pool: Pool, users?: readonly Id[]): Promise<Map<Id, Key[]>> {
  const [rows] = await pool.query({
    sql: users === undefined ? TRUTH : `${TRUTH} AND c.user_id IN (?)`,
    values: [users],
    rowsAsArray: true,
  });
  const found = new Map<Id, Key[]>();
  for (const [user, contact, at] of rows as unknown as (string | number)[][]) {
    const contacts = found.get(String(user)) ?? [];
    found.set(String(user), contacts);
    contacts.push({ id: String(contact), at: Number(at) });
  }
  for (const contacts of found.values()) contacts.sort(byKeyDescending);
  return found;
}

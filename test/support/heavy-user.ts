import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';

const DIGITS =
  '(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';

const MILLION = `SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n + 100000 * f.n AS n
  FROM ${DIGITS} a, ${DIGITS} b, ${DIGITS} c, ${DIGITS} d, ${DIGITS} e, ${DIGITS} f`;

/** First id of the heavy users' contacts. The greater the id, the later the newest photo. */
export const STRANGER = 1_000_000;

/** Creates `contacts` strangers (at most a million), each with a public photo and a contact of each of the users. */
export async function makeHeavy(pool: Pool, users: readonly Id[], contacts: number): Promise<void> {
  await pool.query(
    `INSERT IGNORE INTO users (id, last_public_at) SELECT ${STRANGER} + n, 1000 + n FROM (${MILLION}) AS s WHERE n < ?`,
    [contacts],
  );
  for (const user of users) {
    const ties = 'INSERT INTO contacts (user_id, contact_id) SELECT ?, id FROM users WHERE id >= ? AND id < ?';
    await pool.query(ties, [user, STRANGER, STRANGER + contacts]);
  }
}

import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { chunks } from '../../timing/batches.ts';
import { inTransaction } from '../reference-site/transaction.ts';
import { TRUTH } from './truth.ts';

export interface DenormalisedPair {
  readonly user: Id;
  readonly contact: Id;
}

/** Pairs of one transaction. */
const PAIRS_AT_ONCE = 500;

const OF_PAIRS = `
  FROM JSON_TABLE(?, '$[*]' COLUMNS (contact_id BIGINT UNSIGNED PATH '$[0]', user_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN contacts ON contacts.user_id = pair.user_id AND contacts.contact_id = pair.contact_id`;

// Of a row that is there only the lock is had: nothing of it is changed.
const LOCK = `
  INSERT INTO denormalised_contacts (contact_id, user_id)
  SELECT contacts.contact_id, contacts.user_id ${OF_PAIRS}
  ON DUPLICATE KEY UPDATE denormalised_contacts.sees = denormalised_contacts.sees`;

const WRITE = `
  INSERT INTO denormalised_contacts (contact_id, user_id, sees, last_upload_at)
  SELECT ${TRUTH.columns} ${OF_PAIRS} ${TRUTH.joins}
  ON DUPLICATE KEY UPDATE sees = VALUES(sees), last_upload_at = VALUES(last_upload_at)`;

/**
 * Writes what the site says of these pairs now. Those that it has no row of have none here.
 *
 * The rows are locked first, and only then is read what is to be in them: of two that write the same row, the later one reads what
 * was committed before. So the task of the last change, whenever it comes, finds or leaves the row right. The reading locks
 * nothing of the site's.
 */
export async function refreshPairs(pool: Pool, pairs: readonly DenormalisedPair[]): Promise<void> {
  // In the order of the table for everybody, so that two of these, or one and a fan-out, never wait in a circle.
  const ordered = pairs.toSorted((a, b) => compareIds(a.contact, b.contact) || compareIds(a.user, b.user));
  for (const some of chunks(ordered, PAIRS_AT_ONCE)) {
    const json = JSON.stringify(some.map(({ user, contact }) => [contact, user]));
    await inTransaction(pool, async (connection) => {
      await connection.execute(LOCK, [json]);
      await connection.execute(WRITE, [json]);
    });
  }
}

/** Numerically: ids are decimal digits without leading zeros. */
export function compareIds(a: Id, b: Id): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

const PAGES = {
  user_id: 'SELECT contact_id AS id FROM contacts WHERE user_id = ? AND contact_id > ? ORDER BY contact_id LIMIT ?',
  contact_id: `
    SELECT user_id AS id FROM contacts FORCE INDEX (contacts_followers)
    WHERE contact_id = ? AND user_id > ? ORDER BY user_id LIMIT ?`,
} as const;

/** The same for every pair that a user is in, on either side. */
export async function refreshUser(pool: Pool, user: Id): Promise<void> {
  for (const side of ['user_id', 'contact_id'] as const) {
    let after: Id | undefined = '0';
    while (after !== undefined) {
      const [rows]: [RowDataPacket[], unknown] = await pool.execute<RowDataPacket[]>(PAGES[side], [
        user,
        after,
        String(PAIRS_AT_ONCE),
      ]);
      const others = rows.map((row) => String(row.id));
      const pairOf = (other: Id) => (side === 'user_id' ? { user, contact: other } : { user: other, contact: user });
      await refreshPairs(pool, others.map(pairOf));
      after = others.length < PAIRS_AT_ONCE ? undefined : others.at(-1);
    }
  }
}

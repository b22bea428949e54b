import type { Pool, RowDataPacket } from 'mysql2/promise';
import { TRUTH } from './truth.ts';

/**
 * The strongest peer of Recency: last uploads denormalised into MySQL itself, and flat reads by an index.
 *
 * A row for each row of `contacts`: whom it shows whose newest upload, and when that was.
 * - `sees`: the audiences whose photos the user may see, as bits; 0: they are no contact. A copy, so that an upload is written by
 *   one range of this table alone.
 * - `last_upload_at`: the newest photo among these audiences, ms since 1970 UTC; 0: there is none.
 *
 * The primary key begins with the contact, because an upload is written for every follower: their rows lie next to each other, and
 * only the entries of the index lie far apart. A second index by contact, as a key (user_id, contact_id) would need, costs a page
 * more for each follower. The other index has all that a read needs to find the newest contacts of a user.
 *
 * It is a table of its own so that the other variants in the same database have nothing of its cost; the rest is as if it were a
 * column of `contacts`.
 */
const TABLE = `
  CREATE TABLE denormalised_contacts (
    contact_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    sees TINYINT UNSIGNED NOT NULL DEFAULT 0,
    last_upload_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (contact_id, user_id),
    KEY denormalised_recent (user_id, last_upload_at, contact_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

/** Users whose rows are filled together. */
const USERS_AT_ONCE = 500;

const LAST_OF_PAGE = 'SELECT MAX(page.id) AS id FROM (SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?) AS page';

const FILL = `
  INSERT INTO denormalised_contacts (contact_id, user_id, sees, last_upload_at)
  SELECT ${TRUTH.columns}
  FROM contacts ${TRUTH.joins}
  WHERE contacts.user_id > ? AND contacts.user_id <= ?`;

/** Creates the table and fills it with what the site has. Nothing may change the site meanwhile. */
export async function createDenormalised(pool: Pool, signal?: AbortSignal): Promise<void> {
  await pool.query(TABLE);
  for (let after = '0'; ; ) {
    signal?.throwIfAborted();
    const [[page]] = await pool.query<RowDataPacket[]>(LAST_OF_PAGE, [after, USERS_AT_ONCE]);
    if (page === undefined || page.id === null) break;
    const last = String(page.id);
    await pool.query(FILL, [after, last]);
    after = last;
  }
  await pool.query('ANALYZE TABLE denormalised_contacts');
}

/** The bytes of the table, and those of its index, as the server estimates them. */
export async function denormalisedBytes(pool: Pool): Promise<{ readonly table: number; readonly index: number }> {
  await pool.query('ANALYZE TABLE denormalised_contacts');
  const [[row]] = await pool.query<RowDataPacket[]>(BYTES);
  return { table: Number(row?.table_bytes), index: Number(row?.index_bytes) };
}

const BYTES = `
  SELECT DATA_LENGTH AS table_bytes, INDEX_LENGTH AS index_bytes FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'denormalised_contacts'`;

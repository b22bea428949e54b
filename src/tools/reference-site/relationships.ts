import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { checkPair, SiteError } from './checks.ts';
import { inTransaction, leaveTask } from './transaction.ts';

/** What the user grants the contact. */
export interface Grant {
  readonly friend: boolean;
  readonly family: boolean;
}

// Shared locks: neither of the two is deleted before this commits.
const HOLD_USERS = 'SELECT id FROM users WHERE id IN (?, ?) LOCK IN SHARE MODE';

const ADD = `
  INSERT INTO contacts (user_id, contact_id, is_friend, is_family, since) VALUES (?, ?, ?, ?, ?)
  ON DUPLICATE KEY UPDATE since = IF(active, since, ?), is_friend = ?, is_family = ?, active = TRUE, version = version + 1`;

const CHANGE = `
  UPDATE contacts SET is_friend = ?, is_family = ?, version = version + 1
  WHERE user_id = ? AND contact_id = ? AND active`;

const REMOVE = `
  UPDATE contacts SET active = FALSE, version = version + 1
  WHERE user_id = ? AND contact_id = ? AND active`;

const VERSION = 'SELECT version FROM contacts WHERE user_id = ? AND contact_id = ?';

/**
 * The user makes the contact one of theirs, for the first time, again, or with another grant. Returns the version of
 * the relationship, which grows with every change.
 * @param now ms since 1970 UTC: when a relationship that was none before begins
 * @throws SiteError bad_id, self_contact, unknown_user
 */
export async function addContact(
  pool: Pool,
  user: Id,
  contact: Id,
  { friend, family }: Grant = { friend: false, family: false },
  now = Date.now(),
): Promise<string> {
  checkPair(user, contact);
  return await inTransaction(pool, async (connection) => {
    await holdUsers(connection, user, contact);
    const grant = [Number(friend), Number(family)];
    await connection.execute(ADD, [user, contact, ...grant, now, now, ...grant]);
    return await leaveContactTask(connection, 'recency.contact.added', user, contact);
  });
}

/**
 * The user grants the contact something else. Returns the new version; null: they are no contact, nothing was changed.
 * @throws SiteError bad_id, self_contact
 */
export async function changeRelationship(
  pool: Pool,
  user: Id,
  contact: Id,
  { friend, family }: Grant,
): Promise<string | null> {
  checkPair(user, contact);
  return await inTransaction(pool, async (connection) => {
    const parameters = [Number(friend), Number(family), user, contact];
    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(CHANGE, parameters);
    return affectedRows === 0 ? null : await leaveContactTask(connection, 'recency.contact.changed', user, contact);
  });
}

/**
 * The contact is none any more. Returns the new version; null: they were no contact, nothing was changed.
 * @throws SiteError bad_id, self_contact
 */
export async function removeContact(pool: Pool, user: Id, contact: Id): Promise<string | null> {
  checkPair(user, contact);
  return await inTransaction(pool, async (connection) => {
    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(REMOVE, [user, contact]);
    return affectedRows === 0 ? null : await leaveContactTask(connection, 'recency.contact.removed', user, contact);
  });
}

async function holdUsers(connection: PoolConnection, user: Id, contact: Id): Promise<void> {
  const [rows] = await connection.execute<RowDataPacket[]>(HOLD_USERS, [user, contact]);
  const present = rows.map((row) => String(row.id));
  const missing = [user, contact].find((id) => !present.includes(id));
  if (missing !== undefined) throw new SiteError('unknown_user', `there is no user ${missing}`);
}

type ContactChange = 'recency.contact.added' | 'recency.contact.changed' | 'recency.contact.removed';

/** Leaves the task with the version that the relationship has now, under its row's lock, and returns that version. */
async function leaveContactTask(
  connection: PoolConnection,
  type: ContactChange,
  user: Id,
  contact: Id,
): Promise<string> {
  const [rows] = await connection.execute<RowDataPacket[]>(VERSION, [user, contact]);
  const version = String(rows[0]?.version);
  await leaveTask(connection, { type, user, contact, version });
  return version;
}

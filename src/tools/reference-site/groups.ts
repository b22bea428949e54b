import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { checkId, SiteError } from './checks.ts';
import { inTransaction, leaveTask } from './transaction.ts';

const CREATE = 'INSERT INTO user_groups (name) VALUES (?)';

/** A new group without members. Returns its id. */
export async function createGroup(pool: Pool, name = ''): Promise<Id> {
  return await inTransaction(pool, async (connection) => {
    const [{ insertId }] = await connection.execute<ResultSetHeader>(CREATE, [name]);
    return String(insertId);
  });
}

// Shared locks: the user is not deleted before this commits.
const HOLD_USER = 'SELECT id FROM users WHERE id = ? LOCK IN SHARE MODE';
const GROUP = 'SELECT id FROM user_groups WHERE id = ?';

const JOIN = `
  INSERT INTO memberships (user_id, group_id, since) VALUES (?, ?, ?)
  ON DUPLICATE KEY UPDATE since = IF(active, since, ?), active = TRUE, version = version + 1`;

const LEAVE = `
  UPDATE memberships SET active = FALSE, version = version + 1 WHERE user_id = ? AND group_id = ? AND active`;

const VERSION = 'SELECT version FROM memberships WHERE user_id = ? AND group_id = ?';

/**
 * The user joins the group, for the first time or again. Returns the version of the membership, which grows with every
 * change.
 * @param now ms since 1970 UTC: when a membership that was none before begins
 * @throws SiteError bad_id, unknown_user, unknown_group
 */
export async function joinGroup(pool: Pool, user: Id, group: Id, now = Date.now()): Promise<string> {
  checkId('the user', user);
  checkId('the group', group);
  return await inTransaction(pool, async (connection) => {
    const [users] = await connection.execute<RowDataPacket[]>(HOLD_USER, [user]);
    if (users.length === 0) throw new SiteError('unknown_user', `there is no user ${user}`);
    const [groups] = await connection.execute<RowDataPacket[]>(GROUP, [group]);
    if (groups.length === 0) throw new SiteError('unknown_group', `there is no group ${group}`);
    await connection.execute(JOIN, [user, group, now, now]);
    return await leaveGroupTask(connection, 'recency.group.joined', user, group);
  });
}

/**
 * The user leaves the group. Returns the new version; null: they were no member, nothing was changed.
 * @throws SiteError bad_id
 */
export async function leaveGroup(pool: Pool, user: Id, group: Id): Promise<string | null> {
  checkId('the user', user);
  checkId('the group', group);
  return await inTransaction(pool, async (connection) => {
    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(LEAVE, [user, group]);
    return affectedRows === 0 ? null : await leaveGroupTask(connection, 'recency.group.left', user, group);
  });
}

/** Leaves the task with the version that the membership has now, under its row's lock, and returns that version. */
async function leaveGroupTask(
  connection: PoolConnection,
  type: 'recency.group.joined' | 'recency.group.left',
  user: Id,
  group: Id,
): Promise<string> {
  const [rows] = await connection.execute<RowDataPacket[]>(VERSION, [user, group]);
  const version = String(rows[0]?.version);
  await leaveTask(connection, { type, user, group, version });
  return version;
}

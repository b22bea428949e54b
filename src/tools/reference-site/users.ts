import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { chunks } from '../../timing/batches.ts';
import { checkId } from './checks.ts';
import { lockUser } from './last-uploads.ts';
import { deleteOwnerFromPools } from './pools.ts';
import { inTransaction, leavesTasks, leaveTask } from './transaction.ts';

const MOST_AT_ONCE = 5000;

const INSERT_NAMED =
  "INSERT INTO users (id) SELECT id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
const INSERT_NEXT = 'INSERT INTO users (name) VALUES ?';
const STEP = 'SELECT @@auto_increment_increment AS step';

/**
 * New users: so many, or with these ids. Returns their ids. All of them or, when one of the ids is taken, none.
 * @throws SiteError bad_id
 */
export async function createUsers(pool: Pool, users: number | readonly Id[]): Promise<Id[]> {
  if (typeof users !== 'number') for (const id of users) checkId('the user', id);
  return await inTransaction(pool, async (connection) => {
    if (typeof users === 'number') return await insertNext(connection, users);
    for (const some of chunks(users, MOST_AT_ONCE)) await connection.execute(INSERT_NAMED, [JSON.stringify(some)]);
    return [...users];
  });
}

/** Rows of one INSERT … VALUES get ids in one go, a step apart (1, but for servers that write in several places). */
async function insertNext(connection: PoolConnection, count: number): Promise<Id[]> {
  const [rows] = await connection.query<RowDataPacket[]>(STEP);
  const step = BigInt(rows[0]?.step);
  const ids: Id[] = [];
  while (ids.length < count) {
    const names = Array.from({ length: Math.min(MOST_AT_ONCE, count - ids.length) }, () => ['']);
    const [{ insertId }] = await connection.query<ResultSetHeader>(INSERT_NEXT, [names]);
    ids.push(...names.map((_, place) => String(BigInt(insertId) + BigInt(place) * step)));
  }
  return ids;
}

// A follower's index may hold the user, also where the row is inactive: the task that said so may still be on its way, and
// once the user is deleted the view has no rows with them for its fan-out. So every row leaves a task; the view will not show
// the pair again, so there is no version to wait for.
const TELL_FOLLOWERS = `
  INSERT INTO recency_outbox (type, user_id, other_id)
  SELECT 'recency.contact.removed', user_id, contact_id FROM contacts WHERE contact_id = ?`;
const LEAVE_FOLLOWERS = 'UPDATE contacts SET active = FALSE, version = version + 1 WHERE contact_id = ? AND active';
const LEAVE_CONTACTS = 'UPDATE contacts SET active = FALSE, version = version + 1 WHERE user_id = ? AND active';
const LEAVE_GROUPS = 'UPDATE memberships SET active = FALSE, version = version + 1 WHERE user_id = ? AND active';
const DELETE_PHOTOS = 'DELETE FROM photos WHERE owner_id = ?';
const DELETE_USER = 'DELETE FROM users WHERE id = ?';

/**
 * A user goes, with their photos, also those in groups; their relationships and memberships stay, inactive. False: there was none.
 * @throws SiteError bad_id
 */
export async function deleteUser(pool: Pool, user: Id): Promise<boolean> {
  checkId('the user', user);
  return await inTransaction(pool, async (connection) => {
    if (!(await lockUser(connection, user))) return false;
    await deleteOwnerFromPools(connection, user);
    for (const statement of [
      ...(leavesTasks(connection) ? [TELL_FOLLOWERS] : []),
      LEAVE_FOLLOWERS,
      LEAVE_CONTACTS,
      LEAVE_GROUPS,
      DELETE_PHOTOS,
      DELETE_USER,
    ]) {
      await connection.execute(statement, [user]);
    }
    await leaveTask(connection, { type: 'recency.user.deleted', user });
    return true;
  });
}

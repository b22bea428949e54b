import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { bump, nextEpoch } from '../../mysql/epoch.ts';
import { SiteError } from './checks.ts';

const OWNERS = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner";

// The inner SELECT, because MySQL refuses to lock when a JSON_TABLE stands beside the locked table.
const LOCK = `
  SELECT users.id FROM (SELECT owner.id FROM ${OWNERS}) AS named STRAIGHT_JOIN users ON users.id = named.id
  FOR UPDATE`;
const LOCK_ONE = 'SELECT id FROM users WHERE id = ? FOR UPDATE';

/** The end of an index: one entry read, however many photos there are. */
function newestOf(audience: number): string {
  return `COALESCE((SELECT photos.uploaded_at FROM photos
                    WHERE photos.owner_id = users.id AND photos.audience = ${audience}
                    ORDER BY photos.uploaded_at DESC LIMIT 1), 0)`;
}

const RECOMPUTE = `
  UPDATE ${OWNERS} STRAIGHT_JOIN users ON users.id = owner.id
  SET users.last_public_at = ${newestOf(0)},
      users.last_friends_at = ${newestOf(1)},
      users.last_family_at = ${newestOf(2)},
      users.last_friends_family_at = ${newestOf(3)}`;

/**
 * Locks the rows of these users until the transaction ends. A change of an uploader's photos holds this lock, so the
 * photos that are read afterwards are all that there will be when the transaction commits.
 * @throws SiteError unknown_user
 */
export async function lockUsers(connection: PoolConnection, users: readonly Id[]): Promise<void> {
  // In one order for everybody, so that two of these do not wait for one another.
  const inOrder = [...users].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const [rows] = await connection.execute<RowDataPacket[]>(LOCK, [JSON.stringify(inOrder)]);
  const present = new Set(rows.map((row) => String(row.id)));
  const missing = users.find((id) => !present.has(id));
  if (missing !== undefined) throw new SiteError('unknown_user', `there is no user ${missing}`);
}

export async function lockUser(connection: PoolConnection, user: Id): Promise<boolean> {
  const [rows] = await connection.execute<RowDataPacket[]>(LOCK_ONE, [user]);
  return rows.length > 0;
}

/** Sets the `last_…_at` columns of these owners to what their photos say. Call it under their locks. */
export async function recomputeLastUploads(connection: PoolConnection, owners: readonly Id[]): Promise<void> {
  await connection.execute(RECOMPUTE, [JSON.stringify(owners)]);
}

/**
 * Starts a new epoch in the transaction of a bulk change that leaves no tasks: every index is cold from its commit on,
 * and none is silently wrong.
 * @throws EpochMissing
 */
export async function startNewEpoch(connection: PoolConnection, why: string): Promise<void> {
  await bump(connection, nextEpoch(why));
}

/**
 * The pools of groups. A transaction that changes a photo locks its owner, and one that changes a pool locks the group as well,
 * in this order. So neither the pools that a photo is in nor the photos of a pool can change before the commit.
 */
import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { type Audience, checkId, checkTime, SiteError } from './checks.ts';
import { lockPhoto } from './photo-lock.ts';
import { inTransaction, leaveTask } from './transaction.ts';

const ADD = 'INSERT IGNORE INTO group_pools (group_id, photo_id, audience, added_at) VALUES (?, ?, ?, ?)';
const REMOVE = 'DELETE FROM group_pools WHERE group_id = ? AND photo_id = ?';

/**
 * A photo comes into the pool of a group. False: there is no such photo, or it is there already.
 * @param addedAt ms since 1970 UTC
 * @throws SiteError bad_id, bad_time, unknown_group
 */
export async function addToPool(pool: Pool, group: Id, photo: Id, addedAt: number): Promise<boolean> {
  checkId('the group', group);
  checkId('the photo', photo);
  checkTime(addedAt);
  return await inTransaction(pool, async (connection) => {
    const found = await lockPhoto(connection, photo);
    if (found === undefined) return false;
    if ((await lockGroups(connection, [group])).length === 0) {
      throw new SiteError('unknown_group', `there is no group ${group}`);
    }
    const parameters = [group, photo, found.audience, addedAt];
    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(ADD, parameters);
    if (affectedRows === 0) return false;
    await settle(connection, [group], 'recency.group_photo.added', photo);
    return true;
  });
}

/** A photo goes from the pool of a group. False: it was not there. @throws SiteError bad_id */
export async function removeFromPool(pool: Pool, group: Id, photo: Id): Promise<boolean> {
  checkId('the group', group);
  checkId('the photo', photo);
  return await inTransaction(pool, async (connection) => {
    if ((await lockPhoto(connection, photo)) === undefined) return false;
    await lockGroups(connection, [group]);
    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(REMOVE, [group, photo]);
    if (affectedRows === 0) return false;
    await settle(connection, [group], 'recency.group_photo.removed', photo);
    return true;
  });
}

const IDS = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted";
const GROUPS_OF = 'SELECT group_id FROM group_pools WHERE photo_id = ? ORDER BY group_id';
const SHOW_TO = 'UPDATE group_pools SET audience = ? WHERE photo_id = ?';
const DELETE = 'DELETE FROM group_pools WHERE photo_id = ?';

/** Others may see the photo from now on, in each of its groups. Call it under the owner's lock. */
export async function showInPools(connection: PoolConnection, photo: Id, audience: Audience): Promise<void> {
  const groups = await lockGroupsOf(connection, GROUPS_OF, photo);
  if (groups.length === 0) return;
  await connection.execute(SHOW_TO, [audience, photo]);
  await settle(connection, groups, 'recency.group_photo.visibility_changed', photo);
}

/** The photo is deleted, and so goes from all of its groups. Call it under the owner's lock. */
export async function deleteFromPools(connection: PoolConnection, photo: Id): Promise<void> {
  const groups = await lockGroupsOf(connection, GROUPS_OF, photo);
  if (groups.length === 0) return;
  await connection.execute(DELETE, [photo]);
  await settle(connection, groups, 'recency.group_photo.removed', photo);
}

const GROUPS_OF_OWNER = `
  SELECT DISTINCT group_pools.group_id FROM photos
  STRAIGHT_JOIN group_pools ON group_pools.photo_id = photos.id
  WHERE photos.owner_id = ? ORDER BY group_pools.group_id`;
const DELETE_OF_OWNER = `
  DELETE group_pools FROM photos STRAIGHT_JOIN group_pools ON group_pools.photo_id = photos.id
  WHERE photos.owner_id = ?`;

/** All photos of the owner go from all groups: one task for each group. Call it under the owner's lock. */
export async function deleteOwnerFromPools(connection: PoolConnection, owner: Id): Promise<void> {
  const groups = await lockGroupsOf(connection, GROUPS_OF_OWNER, owner);
  if (groups.length === 0) return;
  await connection.execute(DELETE_OF_OWNER, [owner]);
  await settle(connection, groups, 'recency.group_photo.removed');
}

// The inner SELECT, because MySQL refuses to lock when a JSON_TABLE stands beside the locked table.
const LOCK = `
  SELECT user_groups.id FROM (SELECT wanted.id FROM ${IDS}) AS named
  STRAIGHT_JOIN user_groups ON user_groups.id = named.id
  FOR UPDATE`;

async function lockGroupsOf(connection: PoolConnection, statement: string, id: Id): Promise<Id[]> {
  const [rows] = await connection.execute<RowDataPacket[]>(statement, [id]);
  const groups = rows.map((row) => String(row.group_id));
  return groups.length === 0 ? [] : await lockGroups(connection, groups);
}

/** Locks these groups until the transaction ends. Returns those that exist. @param groups in the order of their ids */
export async function lockGroups(connection: PoolConnection, groups: readonly Id[]): Promise<Id[]> {
  const [rows] = await connection.execute<RowDataPacket[]>(LOCK, [JSON.stringify(groups)]);
  return rows.map((row) => String(row.id));
}

// The end of an index: one entry read, however many photos there are.
const RECOMPUTE = `
  UPDATE ${IDS} STRAIGHT_JOIN user_groups ON user_groups.id = wanted.id
  SET user_groups.last_public_at = COALESCE((
    SELECT group_pools.added_at FROM group_pools
    WHERE group_pools.group_id = user_groups.id AND group_pools.audience = 0
    ORDER BY group_pools.added_at DESC LIMIT 1), 0)`;

type PoolChange =
  | 'recency.group_photo.added'
  | 'recency.group_photo.removed'
  | 'recency.group_photo.visibility_changed';

/** Sets the `last_public_at` of these groups to what their pools say. Call it under their locks. */
export async function recomputeNewest(connection: PoolConnection, groups: readonly Id[]): Promise<void> {
  await connection.execute(RECOMPUTE, [JSON.stringify(groups)]);
}

/** Brings the groups' newest times up to date, and leaves a task for each. Call it under their locks. */
async function settle(connection: PoolConnection, groups: readonly Id[], type: PoolChange, photo?: Id): Promise<void> {
  await recomputeNewest(connection, groups);
  for (const group of groups) {
    await leaveTask(connection, { type, group, ...(photo === undefined ? {} : { photo }) });
  }
}

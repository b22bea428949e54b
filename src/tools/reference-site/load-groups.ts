import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { checkId, checkTime, SiteError } from './checks.ts';
import { lockUsers, startNewEpoch } from './last-uploads.ts';
import { pieces } from './load-graph.ts';
import { lockGroups, recomputeNewest } from './pools.ts';
import { inTransaction } from './transaction.ts';

/** Groups with their members and pools, to be loaded at once. */
export interface GroupGraph {
  readonly groups: readonly { readonly id: Id; readonly name?: string }[];
  readonly memberships: readonly { readonly user: Id; readonly group: Id }[];
  /** `addedAt`: ms since 1970 UTC. */
  readonly pooled: readonly { readonly group: Id; readonly photo: Id; readonly addedAt: number }[];
}

export interface GroupCounts {
  /** New ones; what exists stays as it is. */
  readonly groups: number;
  readonly memberships: number;
  readonly pooled: number;
}

const GROUP_ROWS = `
  INSERT IGNORE INTO user_groups (id, name)
  SELECT it.id, it.name
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, name VARCHAR(100) PATH '$[1]' ERROR ON ERROR)) AS it`;

const MEMBERSHIPS = `
  INSERT IGNORE INTO memberships (user_id, group_id)
  SELECT it.user_id, it.group_id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    user_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, group_id BIGINT UNSIGNED PATH '$[1]' ERROR ON ERROR)) AS it`;

const POOLED = `JSON_TABLE(?, '$[*]' COLUMNS (
    group_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, photo_id BIGINT UNSIGNED PATH '$[1]' ERROR ON ERROR,
    added_at BIGINT PATH '$[2]' ERROR ON ERROR)) AS it`;

const OWNERS = `SELECT DISTINCT photos.owner_id FROM ${POOLED} STRAIGHT_JOIN photos ON photos.id = it.photo_id`;

const POOLS = `
  INSERT IGNORE INTO group_pools (group_id, photo_id, audience, added_at)
  SELECT it.group_id, photos.id, photos.audience, it.added_at
  FROM ${POOLED} STRAIGHT_JOIN photos ON photos.id = it.photo_id`;

/**
 * Loads groups in one transaction and set by set. It leaves no tasks but a new epoch: backfill afterwards. The users must
 * be there; a photo that is not there is left out.
 * @throws SiteError bad_id, bad_time, unknown_user, unknown_group
 */
export async function loadGroups(pool: Pool, { groups, memberships, pooled }: GroupGraph): Promise<GroupCounts> {
  for (const { id } of groups) checkId('the group', id);
  for (const { addedAt } of pooled) checkTime(addedAt);
  const named = inOrder([...memberships.map(({ group }) => group), ...pooled.map(({ group }) => group)]);
  return await inTransaction(pool, async (connection) => {
    const counts = { groups: 0, memberships: 0, pooled: 0 };
    for (const some of pieces(groups)) counts.groups += await insertGroups(connection, some);
    // Owners of photos first, then groups: every transaction that changes a pool locks in this order.
    const members = memberships.map(({ user }) => user);
    for (const some of pieces(inOrder([...members, ...(await ownersOf(connection, pooled))]))) {
      await lockUsers(connection, some);
    }
    for (const some of pieces(named)) await holdGroups(connection, some);
    for (const some of pieces(memberships)) counts.memberships += await insertMemberships(connection, some);
    for (const some of pieces(pooled)) counts.pooled += await change(connection, POOLS, rowsOf(some));
    for (const some of pieces(named)) await recomputeNewest(connection, some);
    await startNewEpoch(connection, 'groups were loaded');
    return counts;
  });
}

async function insertGroups(connection: PoolConnection, groups: GroupGraph['groups']): Promise<number> {
  const rows = groups.map(({ id, name = '' }) => [id, name]);
  return await change(connection, GROUP_ROWS, rows);
}

async function insertMemberships(connection: PoolConnection, members: GroupGraph['memberships']): Promise<number> {
  const rows = members.map(({ user, group }) => [user, group]);
  return await change(connection, MEMBERSHIPS, rows);
}

function rowsOf(pooled: GroupGraph['pooled']): (Id | number)[][] {
  return pooled.map(({ group, photo, addedAt }) => [group, photo, addedAt]);
}

async function ownersOf(connection: PoolConnection, pooled: GroupGraph['pooled']): Promise<Id[]> {
  const owners: Id[] = [];
  for (const some of pieces(pooled)) {
    const [rows] = await connection.execute<RowDataPacket[]>(OWNERS, [JSON.stringify(rowsOf(some))]);
    owners.push(...rows.map((row) => String(row.owner_id)));
  }
  return owners;
}

/** @throws SiteError unknown_group */
async function holdGroups(connection: PoolConnection, groups: readonly Id[]): Promise<void> {
  const present = new Set(await lockGroups(connection, groups));
  const missing = groups.find((group) => !present.has(group));
  if (missing !== undefined) throw new SiteError('unknown_group', `there is no group ${missing}`);
}

async function change(connection: PoolConnection, statement: string, rows: unknown[]): Promise<number> {
  const [{ affectedRows }] = await connection.execute<ResultSetHeader>(statement, [JSON.stringify(rows)]);
  return affectedRows;
}

/** Each once, by number. */
function inOrder(ids: readonly Id[]): Id[] {
  return [...new Set(ids)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

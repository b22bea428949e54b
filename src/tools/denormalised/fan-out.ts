import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { mapConcurrently } from '../../index/set-aside.ts';
import { retryDeadlocks } from '../../mysql/faults.ts';
import { compareIds } from './pairs.ts';
import { NEWEST_OF_OWNER } from './truth.ts';

export interface FanOutOptions {
  /** Followers whose rows one statement changes. */
  readonly followers?: number;
  /** Statements that run at once. */
  readonly atOnce?: number;
  /** Called before each statement. What it throws ends the work. */
  readonly beforeStep?: () => Promise<void>;
}

/** Enough that a round trip and a commit are nothing beside them; so few that a statement takes some ms and a replica no longer. */
const FOLLOWERS = 1_000;

const AT_ONCE = 4;

const OWNERS = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner";

const AUDIENCES = `
  SELECT owner.id, (SELECT COUNT(*) FROM denormalised_contacts AS d WHERE d.contact_id = owner.id) AS followers
  FROM ${OWNERS}`;

/**
 * Writes the newest upload of these owners for every follower, as the site has it now; rows that have it already are left.
 *
 * A statement holds the owner's row in share mode from before it reads the times until it is committed, as nobody changes photos
 * without that row's lock: what it writes is still true then. So of two that write the same followers it does not matter which is
 * last, and the task of the last change finds or leaves all of them right.
 */
export async function fanOut(pool: Pool, owners: readonly Id[], options: FanOutOptions = {}): Promise<void> {
  const { followers: most = FOLLOWERS, atOnce = AT_ONCE, beforeStep = async () => undefined } = options;
  const ordered = [...new Set(owners)].sort(compareIds);
  const [rows] = await pool.execute<RowDataPacket[]>(AUDIENCES, [JSON.stringify(ordered)]);
  const audiences = rows.map((row) => ({ owner: String(row.id), followers: Number(row.followers) }));
  const writes = groupsOf(audiences, most).map((group) => () => writeGroup(pool, group));
  for (const { owner, followers } of audiences) {
    if (followers <= most) continue;
    for await (const range of rangesOf(pool, owner, most)) writes.push(() => writeRange(pool, range));
  }
  await mapConcurrently(writes, atOnce, async (write) => {
    await beforeStep();
    await write();
  });
}

interface OwnerAudience {
  readonly owner: Id;
  readonly followers: number;
}

/** Owners with few followers, so many together that one statement is worth its while. */
function groupsOf(audiences: readonly OwnerAudience[], most: number): Id[][] {
  const groups: Id[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const { owner, followers } of audiences) {
    if (followers === 0 || followers > most) continue;
    sum += followers;
    if (sum > most) {
      groups.push([owner]);
      sum = followers;
    } else groups.at(-1)?.push(owner);
  }
  return groups;
}

// The owners come first, and with them their locks.
const WRITE = `
  UPDATE ${OWNERS}
  LEFT JOIN users ON users.id = owner.id
  STRAIGHT_JOIN denormalised_contacts AS d FORCE INDEX (PRIMARY) ON d.contact_id = owner.id
  SET d.last_upload_at = ${NEWEST_OF_OWNER}
  WHERE d.last_upload_at <> ${NEWEST_OF_OWNER}`;

async function writeGroup(pool: Pool, owners: readonly Id[]): Promise<void> {
  await retryDeadlocks(() => pool.execute(WRITE, [JSON.stringify(owners)]));
}

interface RangeOfFollowers {
  readonly owner: Id;
  readonly after: Id;
  /** Undefined: to the last follower. */
  readonly through: Id | undefined;
}

const THROUGH = `
  SELECT user_id FROM denormalised_contacts FORCE INDEX (PRIMARY)
  WHERE contact_id = ? AND user_id > ? ORDER BY user_id LIMIT 1 OFFSET ?`;

async function* rangesOf(pool: Pool, owner: Id, followers: number): AsyncGenerator<RangeOfFollowers> {
  for (let after: Id | undefined = '0'; after !== undefined; ) {
    const [[last]]: [RowDataPacket[], unknown] = await pool.execute<RowDataPacket[]>(THROUGH, [
      owner,
      after,
      String(followers - 1),
    ]);
    const through: Id | undefined = last === undefined ? undefined : String(last.user_id);
    yield { owner, after, through };
    after = through;
  }
}

// The owner once more, as a constant: without it no server reads a range.
const WRITE_RANGE = `${WRITE} AND d.contact_id = ? AND d.user_id > ? AND d.user_id <= ?`;

const GREATEST_ID = '18446744073709551615';

async function writeRange(pool: Pool, { owner, after, through = GREATEST_ID }: RangeOfFollowers): Promise<void> {
  await retryDeadlocks(() => pool.execute(WRITE_RANGE, [JSON.stringify([owner]), owner, after, through]));
}

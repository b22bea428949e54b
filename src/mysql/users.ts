import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { ColumnValue, Database } from './database.ts';
import { isExplainRefused } from './faults.ts';

/**
 * Finds users who have relationships without reading the relationships: a user with twenty thousand contacts costs as
 * much as one with a single contact. DISTINCT would read all relationships on MariaDB, and GROUP BY those of the page.
 */

export interface UserRange {
  /** Only users after this one; '0': from the first. */
  readonly after: Id | '0';
  /** The last user of the range. */
  readonly to: Id;
}

// A scalar subquery, because an EXISTS may become a join that reads everything first.
const AMONG = `
  SELECT candidate.id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
  WHERE (SELECT 1 FROM recency_contacts AS c WHERE c.user_id = candidate.id LIMIT 1) IS NOT NULL`;

/** The candidates who have relationships, in no particular order. @throws DatabaseUnavailable */
export async function readUsersAmong(database: Database, candidates: readonly Id[]): Promise<Id[]> {
  return (await database.rows(AMONG, [JSON.stringify(candidates)])).map((row) => String(row[0]));
}

// Limited by rows, in the order of the index that every view over relationships needs, so that it stops early.
const OWNED_NEXT = `(
    SELECT c.user_id FROM recency_contacts AS c
    WHERE c.user_id > ? AND c.user_id <= ?
    ORDER BY c.user_id
    LIMIT ?
  ) AS owned`;

const NEXT = `SELECT DISTINCT owned.user_id FROM ${OWNED_NEXT}`;

/**
 * The users of the next `rows` relationships by user id, in no particular order; at least one unless there are none.
 * @throws DatabaseUnavailable
 */
export async function readNextUsers(database: Database, { after, to }: UserRange, rows: number): Promise<Id[]> {
  return (await database.rows(NEXT, [after, to, String(rows)])).map((row) => String(row[0]));
}

const FIRST = `
  SELECT c.user_id FROM recency_contacts AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id
  LIMIT 1`;

/** The next user by id who has relationships; undefined: there is none. @throws DatabaseUnavailable */
export async function readNextUser(database: Database, { after, to }: UserRange): Promise<Id | undefined> {
  const [row] = await database.rows(FIRST, [after, to]);
  return row && String(row[0]);
}

const LAST = 'SELECT c.user_id FROM recency_contacts AS c WHERE c.user_id <= ? ORDER BY c.user_id DESC LIMIT 1';

/** The highest id of a user with relationships up to `to`; undefined: there is none. @throws DatabaseUnavailable */
export async function readLastUser(database: Database, to: Id): Promise<Id | undefined> {
  const [row] = await database.rows(LAST, [to]);
  return row && String(row[0]);
}

const AHEAD = `SELECT COUNT(DISTINCT owned.user_id), COUNT(*) FROM ${OWNED_NEXT}`;

/**
 * Counts the users of the next `limit` relationships. If there are fewer rows than that, no others follow.
 * @throws DatabaseUnavailable
 */
export async function countUsersAhead(
  database: Database,
  { after, to }: UserRange,
  limit: number,
): Promise<{ users: number; rows: number }> {
  const [row] = await database.rows(AHEAD, [after, to, String(limit)]);
  return { users: Number(row?.[0] ?? 0), rows: Number(row?.[1] ?? 0) };
}

// MySQL knows the number of rows of the whole table; for a range its estimate is at most half of that.
const ALL = 'EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_contacts AS c';
const RANGE = `${ALL} WHERE c.user_id > ? AND c.user_id <= ?`;

/**
 * MySQL's estimate (EXPLAIN) of how many relationships the users of a range have. It may be wrong by a factor of two,
 * and by more if there are few. Undefined: this account may not EXPLAIN the view (it lacks SHOW VIEW).
 * @throws DatabaseUnavailable
 */
export async function estimateRelationships(database: Database, { after, to }: UserRange): Promise<number | undefined> {
  const isAll = after === '0' && to === GREATEST_ID;
  try {
    const steps = await database.rows(isAll ? ALL : RANGE, isAll ? [] : [after, to]);
    return steps.map(rowsOfStep).reduce((product, rows) => product * rows, 1);
  } catch (error) {
    if (isExplainRefused(error)) return undefined;
    throw error;
  }
}

/** id, select_type, table, (partitions,) type, possible_keys, key, key_len, ref, rows, (filtered,) Extra */
function rowsOfStep(columns: readonly ColumnValue[]): number {
  const hasMore = columns.length > 10;
  const rows = Number(columns[hasMore ? 9 : 8] ?? 1);
  return hasMore ? (rows * Number(columns[10] ?? 100)) / 100 : rows;
}

import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { ColumnValue, Database } from './database.ts';
import { isExplainRefused } from './faults.ts';

/**
 * Users who own relationships, found without reading their relationships: a user with twenty thousand contacts costs as
 * much as one with one. DISTINCT reads all relationships there are on MariaDB, and GROUP BY those of the page.
 */

export interface OwnersWanted {
  /** Only users after this one; '0': from the first. */
  readonly after: Id | '0';
  /** The last user that is wanted. */
  readonly to: Id;
}

// A scalar subquery, because an EXISTS may become a join that reads everything first.
const AMONG = `
  SELECT candidate.id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
  WHERE (SELECT 1 FROM recency_contacts AS c WHERE c.user_id = candidate.id LIMIT 1) IS NOT NULL`;

/** Those of the candidates who own relationships, in no order. @throws DatabaseUnavailable */
export async function readOwnersAmong(database: Database, candidates: readonly Id[]): Promise<Id[]> {
  return (await database.rows(AMONG, [JSON.stringify(candidates)])).map((row) => String(row[0]));
}

// Bounded by rows, and in the order of the index that every view over relationships needs, so it stops early.
const OWNED_NEXT = `(
    SELECT c.user_id FROM recency_contacts AS c
    WHERE c.user_id > ? AND c.user_id <= ?
    ORDER BY c.user_id
    LIMIT ?
  ) AS owned`;

const NEXT = `SELECT DISTINCT owned.user_id FROM ${OWNED_NEXT}`;

/**
 * The next users by id, in no order: the owners of the next `rows` relationships, at least one unless there are none.
 * @throws DatabaseUnavailable
 */
export async function readNextOwners(database: Database, { after, to }: OwnersWanted, rows: number): Promise<Id[]> {
  return (await database.rows(NEXT, [after, to, String(rows)])).map((row) => String(row[0]));
}

const FIRST = `
  SELECT c.user_id FROM recency_contacts AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id
  LIMIT 1`;

/** The next user; undefined: there is none. @throws DatabaseUnavailable */
export async function readNextOwner(database: Database, { after, to }: OwnersWanted): Promise<Id | undefined> {
  const [row] = await database.rows(FIRST, [after, to]);
  return row && String(row[0]);
}

const LAST = 'SELECT c.user_id FROM recency_contacts AS c WHERE c.user_id <= ? ORDER BY c.user_id DESC LIMIT 1';

/** The greatest user up to `to`; undefined: there is none. @throws DatabaseUnavailable */
export async function readLastOwner(database: Database, to: Id): Promise<Id | undefined> {
  const [row] = await database.rows(LAST, [to]);
  return row && String(row[0]);
}

const AHEAD = `SELECT COUNT(DISTINCT owned.user_id), COUNT(*) FROM ${OWNED_NEXT}`;

/**
 * The owners of the next `limit` relationships; fewer rows than that: there are no more.
 * @throws DatabaseUnavailable
 */
export async function countOwnersAhead(
  database: Database,
  { after, to }: OwnersWanted,
  limit: number,
): Promise<{ owners: number; rows: number }> {
  const [row] = await database.rows(AHEAD, [after, to, String(limit)]);
  return { owners: Number(row?.[0] ?? 0), rows: Number(row?.[1] ?? 0) };
}

// Of everybody MySQL knows how many rows there are; of a range it says half the table at the most.
const ALL = 'EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_contacts AS c';
const RANGE = `${ALL} WHERE c.user_id > ? AND c.user_id <= ?`;

/**
 * How many relationships the users of a range own, as MySQL estimates it without reading them (EXPLAIN): it may be wrong by a
 * factor of two, and more where they are few. Undefined: this account may not EXPLAIN the view (it lacks SHOW VIEW).
 * @throws DatabaseUnavailable
 */
export async function estimateRelationships(
  database: Database,
  { after, to }: OwnersWanted,
): Promise<number | undefined> {
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

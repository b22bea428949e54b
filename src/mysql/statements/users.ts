import { GREATEST_ID, type Id } from '../../contracts/id.ts';
import type { ColumnValue } from '../../site/row.ts';
import { type ReadOptions, StatementTooSlow } from '../database.ts';
import { isExplainRefused } from '../faults.ts';
import type { Build, KindDatabase } from './kind-statements.ts';

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
const among: Build<string> = ({ kind: { view } }) => `
  SELECT candidate.id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
  WHERE (SELECT 1 FROM ${view} AS c WHERE c.user_id = candidate.id LIMIT 1 OFFSET ?) IS NOT NULL`;

/**
 * The candidates who have more rows of the view than this, related or not. No more rows of a user are read than one too many.
 * @returns in no particular order
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readUsersAmong(
  { server, statements }: KindDatabase,
  candidates: readonly Id[],
  { moreThan = 0, deadline }: Pick<ReadOptions, 'deadline'> & { readonly moreThan?: number } = {},
): Promise<Id[]> {
  const rows = await server.rows(statements.of(among), [JSON.stringify(candidates), String(moreThan)], { deadline });
  return rows.map((row) => String(row[0]));
}

const rowsOfEach: Build<string> = ({ kind: { view } }) => `
  SELECT candidate.id, (SELECT COUNT(*) FROM ${view} AS c WHERE c.user_id = candidate.id)
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate`;

/** The time limit of a count, ms. */
const COUNT_MS = 1_000;

/** The rows assumed of a user whose count takes longer: as many as are counted in that time, at 2 µs each. */
export const TOO_MANY = 500_000;

/**
 * How many rows of the view each user has, related or not. Their number decides the time: a heavy query, whose users are counted
 * by halves when they take too long together.
 * @returns in the order of the users; {@link TOO_MANY} where counting them takes too long, for whatever reason
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function countRows(
  { server, statements }: KindDatabase,
  users: readonly Id[],
  by: Pick<ReadOptions, 'deadline' | 'heavy'> = {},
): Promise<number[]> {
  try {
    const options = { heavy: 'background', ...by, withinMs: COUNT_MS } as const;
    const rows = await server.rows(statements.of(rowsOfEach), [JSON.stringify(users)], options);
    const counts = new Map(rows.map(([user, count]) => [String(user), Number(count)]));
    return users.map((user) => counts.get(user) ?? 0);
  } catch (error) {
    if (!(error instanceof StatementTooSlow)) throw error;
    if (users.length === 1) return [TOO_MANY];
    const half = Math.ceil(users.length / 2);
    const first = await countRows({ server, statements }, users.slice(0, half), by);
    return [...first, ...(await countRows({ server, statements }, users.slice(half), by))];
  }
}

// Limited by rows, in the order of the index that every view over relationships needs, so that it stops early.
const ownedNext: Build<string> = ({ kind: { view } }) => `(
    SELECT c.user_id FROM ${view} AS c
    WHERE c.user_id > ? AND c.user_id <= ?
    ORDER BY c.user_id
    LIMIT ?
  ) AS owned`;

const nextUsers: Build<string> = (view) => `SELECT DISTINCT owned.user_id FROM ${ownedNext(view)}`;

/**
 * The users of the next `rows` relationships by user id, in no particular order; at least one unless there are none.
 * @throws DatabaseUnavailable
 */
export async function readNextUsers(
  { server, statements }: KindDatabase,
  { after, to }: UserRange,
  rows: number,
): Promise<Id[]> {
  return (await server.rows(statements.of(nextUsers), [after, to, String(rows)])).map((row) => String(row[0]));
}

const firstUser: Build<string> = ({ kind: { view } }) => `
  SELECT c.user_id FROM ${view} AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id
  LIMIT 1`;

/** The next user by id who has relationships; undefined: there is none. @throws DatabaseUnavailable */
export function readNextUser(database: KindDatabase, range: UserRange): Promise<Id | undefined> {
  return readUser(database, range, firstUser);
}

const lastUser: Build<string> = ({ kind: { view } }) => `
  SELECT c.user_id FROM ${view} AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id DESC
  LIMIT 1`;

/** The last user by id who has relationships; undefined: there is none. @throws DatabaseUnavailable */
export function readLastUser(database: KindDatabase, range: UserRange): Promise<Id | undefined> {
  return readUser(database, range, lastUser);
}

async function readUser(
  { server, statements }: KindDatabase,
  { after, to }: UserRange,
  which: Build<string>,
): Promise<Id | undefined> {
  const [row] = await server.rows(statements.of(which), [after, to]);
  return row && String(row[0]);
}

const usersAhead: Build<string> = (view) => `SELECT COUNT(DISTINCT owned.user_id), COUNT(*) FROM ${ownedNext(view)}`;

/**
 * Counts the users of the next `limit` relationships. If there are fewer rows than that, no others follow.
 * @throws DatabaseUnavailable
 */
export async function countUsersAhead(
  { server, statements }: KindDatabase,
  { after, to }: UserRange,
  limit: number,
): Promise<{ users: number; rows: number }> {
  const [row] = await server.rows(statements.of(usersAhead), [after, to, String(limit)]);
  return { users: Number(row?.[0] ?? 0), rows: Number(row?.[1] ?? 0) };
}

// MySQL knows the number of rows of the whole table; for a range its estimate is at most half of that.
const planOfAll: Build<string> = ({ kind: { view } }) =>
  `EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM ${view} AS c`;
const planOfRange: Build<string> = (view) => `${planOfAll(view)} WHERE c.user_id > ? AND c.user_id <= ?`;

/**
 * MySQL's estimate (EXPLAIN) of how many relationships the users of a range have. It may be wrong by a factor of two,
 * and by more if there are few. Undefined: this account may not EXPLAIN the view (it lacks SHOW VIEW).
 * @throws DatabaseUnavailable
 */
export async function estimateRelationships(
  { server, statements }: KindDatabase,
  { after, to }: UserRange,
): Promise<number | undefined> {
  const isAll = after === '0' && to === GREATEST_ID;
  const steps = await explained(server, statements.of(isAll ? planOfAll : planOfRange), isAll ? [] : [after, to]);
  return steps && rowsOf(steps);
}

// The candidates come first, so that each step after them has rows as the index has on average for one value. MySQL would count
// those of a single known value instead.
const planOfEach: Build<string> = ({ kind: { view } }) => `
  EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id
  FROM JSON_TABLE('[1, 2]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
  STRAIGHT_JOIN ${view} AS c ON c.user_id = candidate.id`;

/**
 * How many relationships a user has in the mean, by the statistics of the index that begins with the user's id. At least 1.
 * Undefined: as for {@link estimateRelationships}.
 * @throws DatabaseUnavailable
 */
export async function estimateRelationshipsOfEach({ server, statements }: KindDatabase): Promise<number | undefined> {
  const steps = await explained(server, statements.of(planOfEach), []);
  return steps && Math.max(1, rowsOf(steps.filter((columns) => columns[2] !== 'candidate')));
}

const rowsOf = (steps: readonly (readonly ColumnValue[])[]) =>
  steps.map(rowsOfStep).reduce((all, rows) => all * rows, 1);

/** Undefined: this account may not EXPLAIN. */
async function explained(server: KindDatabase['server'], statement: string, values: string[]) {
  try {
    return await server.rows(statement, values);
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

/** The followers of an uploader, by their ids. */
import type { Id } from '../../contracts/id.ts';
import { StatementTooSlow } from '../database.ts';
import { EPOCH, readOwn } from '../epoch.ts';
import type { Build, KindDatabase } from './kind-statements.ts';

// Related or not: a change that ends a relationship (a suspension, say) must reach the indexes that still hold the
// uploader. With `contact_id = ?` MariaDB would read an audience from its first follower, wherever the page begins, whenever
// it takes that for cheaper: 64 ms instead of 3 for a page in the middle of a million.
const followers =
  (upTo: string, limit = 'LIMIT ?'): Build<string> =>
  ({ kind: { view, idColumn } }) =>
    `
  SELECT page.user_id, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id
    FROM ${view} AS c
    WHERE c.${idColumn} >= ? AND c.${idColumn} <= ? AND c.user_id > ?${upTo}
    ORDER BY c.${idColumn}, c.user_id
    ${limit}
  ) AS page ON TRUE`;

const firstOf = followers('');
const firstThrough = followers(' AND c.user_id <= ?');

/** Uploaders who are asked about together, at most. Of fewer the last one is repeated, so that there is one text. */
export const OWNERS_A_STATEMENT = 32;

// The first of several uploaders' followers, in the order of the index: what a batch of uploads asks for costs one statement.
const firstOfSeveral: Build<string> = ({ kind: { view, idColumn } }) => `
  SELECT page.owner, page.user_id, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.${idColumn} AS owner, c.user_id
    FROM ${view} AS c
    WHERE c.${idColumn} IN (${Array.from({ length: OWNERS_A_STATEMENT }, () => '?').join(', ')})
    ORDER BY c.${idColumn}, c.user_id
    LIMIT ?
  ) AS page ON TRUE`;

// The server counts them in the index; only the last one comes here.
const oneAt = followers('', 'LIMIT 1 OFFSET ?');

/** Numerically: ids are decimal digits without leading zeros. */
function byId(a: Id, b: Id): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Some of the users who have a row with an uploader as the contact, by their ids. */
export interface FollowerRange {
  readonly owner: Id;
  /** Only users after this one; '0': from the first. */
  readonly after: Id | '0';
  /** No user after this one; undefined: to the last. */
  readonly through?: Id | undefined;
}

/**
 * The first users of the range, in the order of their ids.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readFollowers(
  { server, statements }: KindDatabase,
  { owner, after, through }: FollowerRange,
  limit: number,
): Promise<Id[]> {
  const { rows } =
    through === undefined
      ? await readOwn(server, statements.of(firstOf), [owner, owner, after, String(limit)])
      : await readOwn(server, statements.of(firstThrough), [owner, owner, after, through, String(limit)]);
  const users = rows.filter(([user]) => user !== null).map(([user]) => String(user));
  return inOrder(users);
}

/**
 * The first users of each range, in the order of their ids. Ranges from the first user to the last, of several uploaders, are
 * read together.
 * @param limit users of one range, at most
 * @returns in the order of the ranges
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readFollowersIn(
  database: KindDatabase,
  wanted: readonly FollowerRange[],
  limit: number,
): Promise<readonly (readonly Id[])[]> {
  const isWhole = ({ after, through }: FollowerRange) => after === '0' && through === undefined;
  if (wanted.length === 1 || !wanted.every(isWhole)) {
    return await Promise.all(wanted.map((range) => readFollowers(database, range, limit)));
  }
  const found = new Map<Id, readonly Id[]>();
  let left = [...new Set(wanted.map(({ owner }) => owner))].sort(byId);
  while (left.length > 0) {
    for (const [owner, users] of await readFirstOf(database, left.slice(0, OWNERS_A_STATEMENT), limit)) {
      found.set(owner, users);
    }
    left = left.filter((owner) => !found.has(owner));
  }
  return wanted.map(({ owner }) => found.get(owner) ?? []);
}

/** A derived table has no order of its own; nearly always the rows come in that of the index. */
function inOrder(users: Id[]): Id[] {
  const isInOrder = users.every((user, i) => i === 0 || byId(users[i - 1] as Id, user) < 0);
  return isInOrder ? users : users.sort(byId);
}

/** The view writes an uploader's id in another way than the task does. Asked about one alone, its rows need not say whose they are. */
async function readFirstAlone(database: KindDatabase, [owner]: readonly Id[], limit: number) {
  if (owner === undefined) return [];
  return [[owner, await readFollowers(database, { owner, after: '0' }, limit)] as const];
}

/**
 * Of the first of these uploaders all users, up to the limit; of the others as many as have room within it.
 * @param owners by their ids
 * @returns those that were read, at least the first
 */
async function readFirstOf(
  database: KindDatabase,
  owners: readonly Id[],
  limit: number,
): Promise<readonly (readonly [Id, readonly Id[]])[]> {
  const parameters = Array.from({ length: OWNERS_A_STATEMENT }, (_, i) => owners[Math.min(i, owners.length - 1)] as Id);
  const text = database.statements.of(firstOfSeveral);
  const { rows } = await readOwn(database.server, text, [...parameters, String(limit)]);
  const usersOf = new Map<Id, Id[]>(owners.map((owner) => [owner, []]));
  for (const [owner, user] of rows) {
    if (owner === null) continue;
    const users = usersOf.get(String(owner));
    if (users === undefined) return await readFirstAlone(database, owners, limit);
    users.push(String(user));
  }
  const isCutOff = rows.length >= limit;
  const last = isCutOff ? owners.findLast((owner) => usersOf.get(owner)?.length !== 0) : undefined;
  const read = owners.filter((owner, i) => last === undefined || i === 0 || byId(owner, last) < 0);
  return read.map((owner) => [owner, inOrder(usersOf.get(owner) ?? [])]);
}

/**
 * The `count`-th user after one, counted from 1; undefined: there are not so many.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readFollowerAt(
  { server, statements }: KindDatabase,
  { owner, after }: FollowerRange,
  count: number,
): Promise<Id | undefined> {
  const { rows } = await readOwn(server, statements.of(oneAt), [owner, owner, after, String(count - 1)]);
  const [user] = rows[0] ?? [];
  return user === null || user === undefined ? undefined : String(user);
}

// Either side may have millions of rows, so the optimizer is left to choose where to begin: where 10,000 of a million followers
// are watched, 20 ms with the watches and 540 with the followers; where a million users are watched and 200 of them are
// followers, 15 with the followers and 740 with the watches.
const watchedFollowers: Build<string> = ({ kind: { view, idColumn } }) => `
  SELECT w.user_id
  FROM recency_watches AS w
  JOIN ${view} AS c ON c.user_id = w.user_id
  WHERE c.${idColumn} = ? AND w.ended IS NULL
  LIMIT ?`;

/** Longer than that, nobody waits for it, ms. */
const WITHIN_MS = 1_000;

/**
 * Some of an uploader's followers whom somebody watches, in no order; none if finding them takes longer than a second.
 * @param limit watches, at most
 * @throws DatabaseUnavailable
 */
export async function readWatchedFollowers(
  { server, statements }: KindDatabase,
  owner: Id,
  limit: number,
): Promise<Id[]> {
  const text = statements.of(watchedFollowers);
  try {
    const rows = await server.rows(text, [owner, String(limit)], { withinMs: WITHIN_MS });
    return [...new Set(rows.map(([user]) => String(user)))];
  } catch (error) {
    if (error instanceof StatementTooSlow) return [];
    throw error;
  }
}

import type { Id } from '../contracts/id.ts';
import { lastUploadOf } from './contacts.ts';
import type { ColumnValue, Database, ReadOptions } from './database.ts';
import { EPOCH, type EpochRows, readOwn } from './epoch.ts';
import { IS_RELATED, lastUploadIfRelated, OWNER_PARAMETERS, ofOneOwner } from './last-upload.ts';
import { madeOnce, readLearned } from './learned.ts';

export interface Pair {
  readonly user: Id;
  readonly contact: Id;
}

export interface PairRow extends Pair {
  readonly related: boolean;
  /** The contact's newest photo that the user may see, ms since 1970 UTC; 0 when there is none, and perhaps when not related. */
  readonly lastUploadAt: number;
  /** Version of the relationship's row. */
  readonly version: string;
}

// The epoch comes from the same snapshot, even when no pair has a row.
const rowsWith = (lastUpload: string) => `
  SELECT c.user_id, c.contact_id, ${IS_RELATED}, ${lastUpload}, c.version, ${EPOCH}
  FROM recency_epoch AS e`;

// The pairs drive the join: each is one look-up by primary key.
const PAIRS = madeOnce(
  (by) => `${rowsWith(lastUploadIfRelated(by))}
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  ) ON TRUE`,
);

// One range of the index that the followers were read from: half the work of the same number of look-ups.
const NEIGHBOURS = madeOnce(
  (by) => `${rowsWith(ofOneOwner(by))}
  LEFT JOIN recency_contacts AS c ON c.contact_id = ? AND c.user_id BETWEEN ? AND ? AND ${IS_RELATED}`,
);

/** Pairs of one snapshot. */
export interface PairRows {
  readonly epoch: string;
  readonly rows: readonly PairRow[];
}

/**
 * These pairs, in one snapshot with the epoch. Pairs without a row are left out.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readPairs(
  database: Database,
  pairs: readonly Pair[],
  by?: Pick<ReadOptions, 'deadline'>,
): Promise<PairRows> {
  const parameters = [JSON.stringify(pairs.map((pair) => [pair.user, pair.contact]))];
  return pairRows(await readLearned(database, PAIRS, (text) => readOwn(database, text, parameters, by)));
}

/**
 * All related pairs of one contact from the first of `pairs` to the last, including followers in between that were not
 * asked for. Pairs that are not related are left out.
 * @param pairs of the same contact, in the order of the users' ids, at least one
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readNeighbours(database: Database, pairs: readonly Pair[]): Promise<PairRows> {
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no pair, no neighbours');
  const range = [first.contact, first.user, last.user];
  const owner = Array<Id>(OWNER_PARAMETERS).fill(first.contact);
  return pairRows(
    await readLearned(database, NEIGHBOURS, (text, { lastUpload }) =>
      readOwn(database, text, lastUpload ? range : [...owner, ...range]),
    ),
  );
}

function pairRows({ epoch, rows }: EpochRows): PairRows {
  return { epoch, rows: rows.filter(([user]) => user !== null).map(pairRow) };
}

function pairRow([user, contact, related, lastUploadAt, version]: readonly ColumnValue[]): PairRow {
  return {
    user: String(user),
    contact: String(contact),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadOf(lastUploadAt),
    version: String(version ?? 0),
  };
}

// Related or not: a change that ends a relationship (a suspension, say) must reach the indexes that still hold the
// uploader. With `contact_id = ?` MariaDB would read an audience from its first follower, wherever the page begins, whenever
// it takes that for cheaper: 64 ms instead of 3 for a page in the middle of a million.
const followers = (upTo: string, limit = 'LIMIT ?') => `
  SELECT page.user_id, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id
    FROM recency_contacts AS c
    WHERE c.contact_id >= ? AND c.contact_id <= ? AND c.user_id > ?${upTo}
    ORDER BY c.contact_id, c.user_id
    ${limit}
  ) AS page ON TRUE`;

const FOLLOWERS = followers('');
const FOLLOWERS_THROUGH = followers(' AND c.user_id <= ?');

// The server counts them in the index; only the last one comes here.
const FOLLOWER_AT = followers('', 'LIMIT 1 OFFSET ?');

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
  database: Database,
  { owner, after, through }: FollowerRange,
  limit: number,
): Promise<Id[]> {
  const { rows } =
    through === undefined
      ? await readOwn(database, FOLLOWERS, [owner, owner, after, String(limit)])
      : await readOwn(database, FOLLOWERS_THROUGH, [owner, owner, after, through, String(limit)]);
  const users = rows.filter(([user]) => user !== null).map(([user]) => String(user));
  return users.sort(byId); // a derived table has no order of its own
}

/**
 * The `count`-th user after one, counted from 1; undefined: there are not so many.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readFollowerAt(
  database: Database,
  { owner, after }: FollowerRange,
  count: number,
): Promise<Id | undefined> {
  const { rows } = await readOwn(database, FOLLOWER_AT, [owner, owner, after, String(count - 1)]);
  const [user] = rows[0] ?? [];
  return user === null || user === undefined ? undefined : String(user);
}

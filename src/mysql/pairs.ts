import type { Id } from '../contracts/id.ts';
import type { Database, Value } from './database.ts';
import { LAST_UPLOAD, lastUploadOf } from './last-upload.ts';
import { EPOCH, type EpochRows, readOwn } from './server-identity.ts';

export interface Pair {
  readonly user: Id;
  readonly contact: Id;
}

export interface PairRow extends Pair {
  readonly related: boolean;
  /** The contact's newest photo that the user may see, ms since 1970 UTC; 0: there is none. */
  readonly lastUploadAt: number;
  /** Of the relationship's row. */
  readonly version: string;
}

// The epoch comes from the same snapshot, also when no pair has a row.
const ROWS = `
  SELECT ${EPOCH}, c.user_id, c.contact_id, c.related, ${LAST_UPLOAD}, c.version
  FROM recency_epoch AS e`;

// The pairs drive: each is one look-up by primary key.
const PAIRS = `${ROWS}
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  ) ON TRUE`;

// One range of the index that the followers were read from: half the work of as many look-ups.
const NEIGHBOURS = `${ROWS}
  LEFT JOIN recency_contacts AS c ON c.contact_id = ? AND c.user_id BETWEEN ? AND ? AND c.related`;

/** What MySQL says of some pairs, in one snapshot. */
export interface PairRows {
  readonly epoch: string;
  readonly rows: readonly PairRow[];
}

/**
 * What MySQL says of these pairs, in one snapshot together with the epoch. A pair without a row is left out.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readPairs(database: Database, pairs: readonly Pair[]): Promise<PairRows> {
  return pairRows(await readOwn(database, PAIRS, [JSON.stringify(pairs.map((pair) => [pair.user, pair.contact]))]));
}

/**
 * The same of one contact's pairs, from the first of `pairs` to the last: those that are not related are left out, and
 * who follows in between comes along.
 * @param pairs with the same contact, in the order of the users' ids, at least one
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readNeighbours(database: Database, pairs: readonly Pair[]): Promise<PairRows> {
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no pair, no neighbours');
  return pairRows(await readOwn(database, NEIGHBOURS, [first.contact, first.user, last.user]));
}

function pairRows({ epoch, rows }: EpochRows): PairRows {
  return { epoch, rows: rows.filter(([user]) => user !== null).map(pairRow) };
}

function pairRow([user, contact, related, lastUploadAt, version]: readonly Value[]): PairRow {
  return {
    user: String(user),
    contact: String(contact),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadOf(lastUploadAt),
    version: String(version ?? 0),
  };
}

/**
 * Is no index to be trusted, and none to be built? The token of a suspended epoch begins with a mark that no index can
 * have, so every statement that returns the epoch says so in its own snapshot.
 */
export function isSuspended(epoch: string): boolean {
  return epoch.startsWith(SUSPENDED);
}

/** @param token of an epoch, which need not be the one in force */
export function suspendedToken(token: string): string {
  return SUSPENDED + token;
}

const SUSPENDED = '!';

import type { Id } from '../contracts/id.ts';
import type { Database, Value } from './database.ts';
import { lastUploadOf } from './last-upload.ts';

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

// The pairs drive: each is one look-up by primary key. The epoch comes from the same snapshot, also when no pair has a row.
const PAIRS = `
  SELECT e.token, c.user_id, c.contact_id, c.related, c.last_upload_at, c.version
  FROM recency_epoch AS e
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  ) ON TRUE`;

/**
 * What MySQL says of these pairs, in one snapshot together with the epoch. A pair without a row is left out.
 * @throws DatabaseUnavailable
 */
export async function readPairs(
  database: Database,
  pairs: readonly Pair[],
): Promise<{ epoch: string; rows: PairRow[] }> {
  const rows = await database.rows(PAIRS, [JSON.stringify(pairs.map((pair) => [pair.user, pair.contact]))]);
  return { epoch: epochOf(rows), rows: rows.filter((row) => row[1] !== null).map(pairRow) };
}

function pairRow(row: readonly Value[]): PairRow {
  return {
    user: String(row[1]),
    contact: String(row[2]),
    related: Number(row[3]) !== 0,
    lastUploadAt: lastUploadOf(row[4]),
    version: String(row[5] ?? 0),
  };
}

/** The epoch in the first column of every answer that carries one. */
export function epochOf(rows: readonly (readonly Value[])[]): string {
  const token = rows[0]?.[0];
  if (token === undefined || token === null) throw new EpochMissing();
  return String(token);
}

export class EpochMissing extends Error {
  override readonly name = 'EpochMissing';
  constructor() {
    super('The table recency_epoch is empty. Run `recency migrate` to put it right.');
  }
}

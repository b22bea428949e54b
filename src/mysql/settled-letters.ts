/** Dead letters that somebody has dealt with (`recency_settled_letters`). */
import type { Database } from './database.ts';

export interface SettledLetter {
  readonly id: string;
  readonly outcome: 'replayed' | 'discarded';
  /** Of its task; '' when unknown. */
  readonly type: string;
  /** The reason that was given. */
  readonly why: string;
  /** ms since 1970 UTC. */
  readonly settledAt: number;
}

// What was said first about a letter stays when it is discarded again, and a reason stays when the letter is replayed after that. `outcome`
// is assigned last: both servers let an assignment see those before it.
const INSERT = `
  INSERT INTO recency_settled_letters (place, id, outcome, type, why, settled_at)
  SELECT ?, given.id, given.outcome, given.type, given.why, given.settled_at
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id VARCHAR(64) PATH '$.id', outcome VARCHAR(16) PATH '$.outcome', type VARCHAR(64) PATH '$.type',
    why VARCHAR(1000) PATH '$.why', settled_at BIGINT PATH '$.settledAt')) AS given
  ON DUPLICATE KEY UPDATE
    settled_at = IF(given.outcome = recency_settled_letters.outcome, recency_settled_letters.settled_at, given.settled_at),
    why = IF(recency_settled_letters.why = '', given.why, recency_settled_letters.why),
    outcome = given.outcome`;

/** @param place the stream or topic of the dead letters @throws DatabaseUnavailable */
export async function insertSettled(
  database: Database,
  place: string,
  letters: readonly SettledLetter[],
): Promise<void> {
  if (letters.length > 0) await database.write(INSERT, [place, JSON.stringify(letters)]);
}

const AMONG = `
  SELECT settled.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id VARCHAR(64) PATH '$')) AS asked
  STRAIGHT_JOIN recency_settled_letters AS settled
    ON settled.place = ? AND settled.id = CONVERT(asked.id USING ascii) COLLATE ascii_bin`;

/** Those of these letters that are dealt with. @throws DatabaseUnavailable */
export async function settledAmong(
  database: Database,
  place: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await database.rows(AMONG, [JSON.stringify(ids), place])).map(([id]) => String(id)));
}

import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Database } from './database.ts';
import { HAS_UPLOAD, LAST_UPLOAD } from './last-upload.ts';
import { COLUMNS, contactOf, type LiveContact } from './live-contacts.ts';
import { EPOCH, readAnswer } from './server-identity.ts';

/** The row of one pair, whole. */
export interface ContactRow extends LiveContact {
  readonly related: boolean;
  /** Of the relationship's row. */
  readonly version: string;
  /** How many of the user's contacts have a higher key: 0 is the most recently active one. */
  readonly above: number;
}

const CONTACT = `
  SELECT ${EPOCH}, mine.*, (
    SELECT COUNT(*)
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND ${HAS_UPLOAD}
      AND (${LAST_UPLOAD} > mine.at
           OR (${LAST_UPLOAD} = mine.at AND CAST(c.contact_id AS BINARY) > CAST(mine.contact_id AS BINARY)))
  ) AS above
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}, c.related, c.version FROM recency_contacts AS c WHERE c.user_id = ? AND c.contact_id = ?
  ) AS mine ON TRUE`;

/**
 * What MySQL says of one pair and of its place among all of the user's contacts, with the epoch of the same snapshot.
 * Its time grows with the number of the user's contacts, so it waits for its turn.
 * @returns row undefined: the pair has none
 * @throws DatabaseUnavailable
 */
export async function readContactRow(
  database: Database,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<{ epoch: string; row: ContactRow | undefined }> {
  const { epoch, rows } = await readAnswer(database, CONTACT, [user, user, contact], { heavy: 'answer', deadline });
  const [row] = rows;
  if (row === undefined || row[0] === null) return { epoch, row: undefined };
  const [related, version, above] = row.slice(5);
  const live = contactOf(row);
  return {
    epoch,
    row: { ...live, related: Number(related) !== 0, version: String(version ?? 0), above: Number(above) },
  };
}

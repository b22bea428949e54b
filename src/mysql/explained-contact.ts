import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import { COLUMNS, contactOf, HAS_UPLOAD, LAST_UPLOAD, type LiveContact } from './contacts.ts';
import type { AnswerDatabase } from './database.ts';
import { EPOCH, readAnswer } from './epoch.ts';
import { readUploads } from './last-upload.ts';

/** One pair's whole row. */
export interface ExplainedContact extends LiveContact {
  readonly related: boolean;
  /** Version of the relationship's row. */
  readonly version: string;
  /** How many of the user's contacts have a higher key: 0 is the most recently active one. */
  readonly above: number;
}

const EXPLAINED = `
  SELECT mine.*, (
    SELECT COUNT(*)
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND ${HAS_UPLOAD}
      AND (${LAST_UPLOAD} > mine.at
           OR (${LAST_UPLOAD} = mine.at AND CAST(c.contact_id AS BINARY) > CAST(mine.contact_id AS BINARY)))
  ) AS above, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}, c.related, c.version FROM recency_contacts AS c WHERE c.user_id = ? AND c.contact_id = ?
  ) AS mine ON TRUE`;

/**
 * One pair and its place among all of the user's contacts, with the epoch of the same snapshot. A heavy query: its time
 * grows with the number of the user's contacts.
 * @returns `row` is undefined when the pair has none
 * @throws DatabaseUnavailable
 */
export async function readExplainedContact(
  database: AnswerDatabase,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<{ epoch: string; row: ExplainedContact | undefined }> {
  const { epoch, rows } = await readUploads(database, EXPLAINED, (text) =>
    readAnswer(database, text, [user, user, contact], { heavy: 'answer', deadline }),
  );
  const [row] = rows;
  if (row === undefined || row[0] === null) return { epoch, row: undefined };
  const [related, version, above] = row.slice(5);
  const place = { related: Number(related) !== 0, version: String(version ?? 0), above: Number(above) };
  return { epoch, row: { ...contactOf(row), ...place } };
}

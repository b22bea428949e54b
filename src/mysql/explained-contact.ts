import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import { BITS, columnsWith, contactOf, type LiveContact, namedIn } from './contacts.ts';
import type { AnswerDatabase } from './database.ts';
import { EPOCH, EPOCH_COLUMNS, readAnswer } from './epoch.ts';
import { NOT_SELF } from './id-spaces.ts';
import { LAST_UPLOAD, lastUpload, withUploads } from './last-upload.ts';
import { madeOnce, readLearned } from './learned.ts';

/** One pair's whole row. */
export interface ExplainedContact extends LiveContact {
  readonly related: boolean;
  /** It is the user: nobody is a contact of their own, so the row is ignored. */
  readonly isSelf: boolean;
  /** Version of the relationship's row. */
  readonly version: string;
  /** How many of the user's contacts have a higher key: 0 is the most recently active one. */
  readonly above: number;
}

const ALL = { from: 'recency_contacts AS c', where: 'c.user_id = ?', rows: 'many' } as const;

const EXPLAINED = madeOnce((by) => {
  const { from, where } = withUploads(by, ALL, ['contact_id']);
  return `
  SELECT mine.*, (
    SELECT COUNT(*)
    FROM ${from}
    WHERE ${where}
      AND (${LAST_UPLOAD} > mine.at
           OR (${LAST_UPLOAD} = mine.at AND CAST(c.contact_id AS BINARY) > CAST(mine.contact_id AS BINARY)))
  ) AS above, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${columnsWith(lastUpload(by))}, c.related, c.version, NOT (${NOT_SELF}) AS is_self${by.bits ? `, ${BITS} AS bits` : ''}
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND c.contact_id = ?
    LIMIT 1
  ) AS mine ON TRUE`;
});

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
  const { epoch, rows, by } = await readLearned(database, EXPLAINED, async (text, used) => ({
    ...(await readAnswer(database, text, [user, user, contact], { heavy: 'answer', deadline })),
    by: used,
  }));
  const [row] = rows;
  if (row === undefined || row[0] === null) return { epoch, row: undefined };
  const [related, version, isSelf] = row.slice(5);
  const place = {
    ...(by.bits ? namedIn(row[8]) : {}),
    related: Number(related) !== 0,
    version: String(version ?? 0),
    isSelf: Number(isSelf) !== 0,
    above: Number(row.at(-1 - EPOCH_COLUMNS)),
  };
  return { epoch, row: { ...contactOf(row), ...place } };
}

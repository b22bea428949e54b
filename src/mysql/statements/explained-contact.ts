import type { Id } from '../../contracts/id.ts';
import type { KindView } from '../../site/kind-view.ts';
import { placesOf, type ResultRow, selectList } from '../../site/row.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase } from '../database.ts';
import { EPOCH, readAnswer } from '../epoch.ts';
import { contactColumns, contactOf, type LiveContact, namedReader } from './contacts.ts';
import type { KindDatabase } from './kind-statements.ts';
import { lastUpload, withUploads } from './last-upload.ts';
import { LAST_UPLOAD, namedBits, notSelf } from './pair-row.ts';

/** One pair's whole row. */
export interface ExplainedContact extends LiveContact {
  readonly related: boolean;
  /** It is the user, who is never their own contact: the row is ignored. */
  readonly isSelf: boolean;
  /** Version of the relationship's row. */
  readonly version: string;
  /** How many of the user's contacts have a higher key: 0 is the most recently active one. */
  readonly above: number;
}

function explainedContact(view: KindView) {
  const { view: pairs, idColumn } = view.kind;
  const all = { from: `${pairs} AS c`, where: 'c.user_id = ?', rows: 'many' } as const;
  const { from, where } = withUploads(view, all, [idColumn]);
  const columns = {
    ...contactColumns(view, lastUpload(view)),
    ...{ related: 'c.related', version: 'c.version', isSelf: `NOT (${notSelf(view)}) AS is_self` },
    ...(view.relations.length > 0 ? { bits: `${namedBits(view)} AS bits` } : {}),
  };
  const text = `
  SELECT mine.*, (
    SELECT COUNT(*)
    FROM ${from}
    WHERE ${where}
      AND (${LAST_UPLOAD} > mine.at
           OR (${LAST_UPLOAD} = mine.at AND CAST(c.${idColumn} AS BINARY) > CAST(mine.${idColumn} AS BINARY)))
  ) AS above, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${selectList(columns)}
    FROM ${pairs} AS c
    WHERE c.user_id = ? AND c.${idColumn} = ?
    LIMIT 1
  ) AS mine ON TRUE`;
  const place = placesOf({ ...columns, above: 'above' });
  const named = namedReader(view, place.bits);
  const explainedOf = (row: ResultRow): ExplainedContact => ({
    ...contactOf(row, place),
    ...named(row),
    related: Number(row[place.related]) !== 0,
    version: String(row[place.version] ?? 0),
    isSelf: Number(row[place.isSelf]) !== 0,
    above: Number(row[place.above]),
  });
  return { text, explainedOf, id: place.id };
}

/**
 * One pair and its place among all of the user's contacts, with the epoch of the same snapshot. A heavy query: its time
 * grows with the number of the user's contacts.
 * @returns `row` is undefined when the pair has none
 * @throws DatabaseUnavailable
 */
export async function readExplainedContact(
  { server, statements }: KindDatabase<AnswerDatabase>,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<{ epoch: string; row: ExplainedContact | undefined }> {
  return await statements.asking(
    server,
    (known) => known.of(explainedContact),
    async ({ text, explainedOf, id }) => {
      const { epoch, rows } = await readAnswer(server, text, [user, user, contact], { heavy: 'answer', deadline });
      const [row] = rows;
      return { epoch, row: row === undefined || row[id] === null ? undefined : explainedOf(row) };
    },
  );
}

/** Statements about rows that are so few that what they cost is to plan them. */

import { extraValues } from '../../site/extra-columns.ts';
import type { KindView } from '../../site/kind-view.ts';
import { type OpenColumns, selectList } from '../../site/row.ts';
import { EPOCH } from '../epoch.ts';
import {
  comparedRow,
  contactColumns,
  type ShownColumn,
  type ShownStatement,
  shownBy,
  shownColumns,
  shownStatement,
  userReader,
  viewColumns,
} from './contacts.ts';
import { lastUploadOfFew, type RowSource, withUploads } from './last-upload.ts';
import { isRelated, namedBits } from './pair-row.ts';
import { unseenColumn } from './seen.ts';

/**
 * A {@link shownStatement} of the related rows of a source that are few. Those without an upload may be among them. Until there
 * are cursors no table is derived: that would add a sixth to what the statement takes.
 * @param source as in {@link withUploads}
 */
export function shownRows(view: KindView, source: RowSource): ShownStatement {
  if (view.cursors) {
    const { from, where } = withUploads(view, source, viewColumns(view));
    return shownStatement(
      view,
      `
    SELECT ${shownColumns(view)}
    FROM ${from}
    WHERE ${where}`,
    );
  }
  return flatStatement(view, `${source.where} AND ${isRelated(view)}`, source, lastUploadOfFew(view, source));
}

/**
 * A {@link shownStatement} of all rows of a source that are few, whether related or not, so that they can be counted: those that
 * belong in no answer have no upload. Ends with one more placeholder: how many rows it reads at the most.
 */
export function allRows(view: KindView, source: RowSource): ShownStatement {
  const { from, where } = source;
  const lastUpload = `IF(${isRelated(view)}, ${lastUploadOfFew(view, source)}, 0)`;
  if (!view.cursors) {
    const { text, ...reading } = flatStatement(view, where, source, lastUpload);
    return { text: `${text}\n  LIMIT ?`, ...reading };
  }
  return shownStatement(view, `SELECT ${shownColumns(view, lastUpload)} FROM ${from} WHERE ${where} LIMIT ?`);
}

/** The rows themselves, without a derived table. */
function flatStatement(view: KindView, where: string, { from }: RowSource, lastUpload: string): ShownStatement {
  const columns: OpenColumns<ShownColumn | 'user'> = {
    ...contactColumns(view, lastUpload),
    ...{ unseen: unseenColumn(comparedRow(view), view), user: 'c.user_id', inUse: 'e.seen_in_use' },
    ...extraValues('c', view.extra.source),
    ...(view.relations.length > 0 ? { bits: namedBits(view) } : {}),
  };
  const text = `
  SELECT ${selectList(columns)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (${from}) ON ${where}`;
  return { text, ...shownBy(view, columns, 'c'), userOf: userReader(columns) };
}

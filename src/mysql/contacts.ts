/**
 * A user's contacts as MySQL has them now (`recency_contacts`), and the SQL for their keys that every other question
 * uses.
 */
import type { Extra } from '../contracts/extra.ts';
import type { Key } from '../contracts/key.ts';
import { GREATEST_BIT, type Marks, namesIn } from '../contracts/relation.ts';
import type { AnswerDatabase, ColumnValue } from './database.ts';
import { type AnswerRows, EPOCH, EPOCH_COLUMNS, type EpochRows } from './epoch.ts';
import { extraIn, extraValues } from './extra-columns.ts';
import {
  GREATEST_SCORE,
  IS_RELATED,
  LAST_UPLOAD,
  lastUploadOfFew,
  type RowSource,
  withUploads,
} from './last-upload.ts';
import type { Learned, LearnedStatement } from './learned.ts';
import { type ComparedRows, isUnseenIn, joinSeen, readCompared, unseenColumn } from './seen.ts';

/** SQL: this row of a view with the column can be in an index. Null, zero and negative last uploads mean that there is no upload. */
export const HAS_UPLOAD = `${IS_RELATED} AND c.last_upload_at >= 1`;

/** SQL: a time in whole milliseconds, whatever the column's numeric type. An index serves only the bare column. */
export function wholeMs(column: string): string {
  return `FLOOR(${column})`;
}

/** The last upload in ms since 1970 UTC; 0 when there is none. */
export function lastUploadOf(column: ColumnValue | bigint | undefined): number {
  const at = Number(column ?? 0);
  return at > 0 ? Math.min(at, GREATEST_SCORE) : 0;
}

/** A related contact with an upload that the user may see. */
export interface LiveContact extends Key, Marks {
  /** A bitmask as decimal text. Bit k: the user may see the contact's photos of audience k. */
  readonly sees: string;
}

/** The same, as an answer shows it. */
export interface ShownContact extends LiveContact {
  /** It has something that is new to the user. */
  readonly unseen: boolean;
  /** What the view has beyond what Recency needs; left out: nothing. */
  readonly extra?: Extra;
}

/** SQL: the columns that `contactOf` reads, of a row of `recency_contacts AS c`. @param lastUpload as an index holds it */
export function columnsWith(lastUpload: string): string {
  return `c.contact_id, ${lastUpload} AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees`;
}

/** SQL: the same, of a row with a column of the last upload. */
export const COLUMNS = columnsWith(LAST_UPLOAD);

/** The contact in a row that begins with `COLUMNS`. By position, because destructuring iterates: 12 times an answer. */
export function contactOf(row: readonly ColumnValue[]): LiveContact {
  return {
    id: String(row[0]),
    at: lastUploadOf(row[1]),
    isFriend: Number(row[2]) !== 0,
    isFamily: Number(row[3]) !== 0,
    sees: String(row[4] ?? 0),
  };
}

/** SQL: the bits that may have names, as a small whole number. */
export const BITS = `(c.bits & ${2 ** (GREATEST_BIT + 1) - 1})`;

/** The names of the bits in this column of a row. */
export function namedIn(bits: ColumnValue | undefined): Pick<Marks, 'named'> {
  return { named: namesIn(Number(bits ?? 0)) };
}

/** SQL: the columns that a {@link shownStatement} needs, of a row of `recency_contacts AS c`. */
export function shownColumns({ since, bits }: Learned): string {
  return `${COLUMNS}, c.user_id${since ? ', c.since' : ''}${bits ? `, ${BITS} AS bits` : ''}`;
}

/** The columns of the view that they read, beside the last upload. */
export function viewColumns({ since, bits }: Pick<Learned, 'since' | 'bits'>): string[] {
  const more = [...(since ? ['since'] : []), ...(bits ? ['bits'] : [])];
  return ['user_id', 'contact_id', 'is_friend', 'is_family', 'sees', ...more];
}

/**
 * A statement with the epoch and the contacts of `live`, each with whether it is unseen and with what the view has beyond what
 * Recency needs, in one snapshot. The cursors, and the rest of the view's row, are joined to the rows that `live` returns, not
 * to those that it reads and sorts.
 * @param live selects {@link shownColumns}
 */
export function shownStatement(live: LearnedStatement): LearnedStatement {
  const row = { user: 'live.user_id', id: 'live.contact_id', at: 'live.at', since: 'live.since', sees: 'live.sees' };
  return (by) => `
  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ${unseenColumn(row, by)}, live.user_id,
         e.seen_in_use${by.seen ? ', seen_all.seen_at, seen_all.seen_id' : ''}${extraValues('whole', by.extra.source)}${by.bits ? ', live.bits' : ''}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (${live(by)}) AS live ON TRUE${joinSeen(row, by)}${joinWhole(by)}`;
}

/**
 * A {@link shownStatement} of the related rows of a source that are few. Those without an upload may be among them. Until there
 * are cursors no table is derived: that would add a sixth to what the statement takes.
 * @param source as in {@link withUploads}
 */
export function shownRows(source: RowSource): LearnedStatement {
  const compared = shownStatement((by) => {
    const { from, where } = withUploads(by, source, viewColumns(by));
    return `
    SELECT ${shownColumns(by)}
    FROM ${from}
    WHERE ${where}`;
  });
  return (by) =>
    by.seen
      ? compared(by)
      : `
  SELECT ${columnsWith(lastUploadOfFew(by, source))}, ${unseenColumn(ROW, by)}, c.user_id,
         e.seen_in_use${extraValues('c', by.extra.source)}${by.bits ? `, ${BITS}` : ''}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (${source.from}) ON ${source.where} AND ${IS_RELATED}`;
}

const ROW = { user: 'c.user_id', id: 'c.contact_id', at: LAST_UPLOAD, since: 'c.since', sees: 'c.sees' };

function joinWhole({ extra }: Learned): string {
  if (extra.source.length === 0) return '';
  return `
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id`;
}

/** Places in a row of a {@link shownStatement}. */
export const UPLOAD_COLUMN = 1;
export const SEES_COLUMN = 4;
const UNSEEN_COLUMN = 5;
export const USER_COLUMN = 6;
const IN_USE_COLUMN = 7;
const SEEN_ALL_COLUMN = 8;

/** Reads the rows of a {@link shownStatement}. @throws what `read` throws */
export function readShown<Rows extends EpochRows>(
  database: AnswerDatabase,
  statement: LearnedStatement,
  read: (statement: string) => Promise<Rows>,
): Promise<ComparedRows<Rows>> {
  return readCompared(database, { statement, inUse: IN_USE_COLUMN }, read);
}

/** Contacts, and where their rows came from. */
export interface LiveContacts {
  readonly epoch: string;
  /** The user's cursor for all contacts; undefined: there is none, or no contact. */
  readonly seenAll: Key | undefined;
  readonly contacts: ShownContact[];
  /** The rows may lack the latest changes: they come from a replica, or from a primary that has become read-only. */
  readonly isReplica: boolean;
}

/** What a {@link shownStatement} found for an answer. */
export function contactsOf(found: ComparedRows<AnswerRows>): LiveContacts {
  const { epoch, rows, isReplica, by } = found;
  const [at = null, id] = (by.seen && rows[0]?.slice(SEEN_ALL_COLUMN)) || [];
  const seenAll = at === null ? undefined : { at: Number(at), id: String(id) };
  return { epoch, seenAll, contacts: shownContacts(found), isReplica };
}

/** The contacts in the rows of a {@link shownStatement}. */
export function shownContacts({ rows, by }: ComparedRows<EpochRows>): ShownContact[] {
  return rows.filter((row) => row[0] !== null).map((row) => shownOf(row, by));
}

/** The contact in a row of a {@link shownStatement}. */
export function shownOf(row: readonly ColumnValue[], by: Learned): ShownContact {
  return restOf(row, by, row.length - EPOCH_COLUMNS - by.extra.source.length - (by.bits ? 1 : 0));
}

/** The same, with the extra columns, and then the bits, from this place on. */
export function restOf(row: readonly ColumnValue[], by: Learned, from: number): ShownContact {
  const shown = withExtra(seenOrNot(row, by), extraIn(row, by.extra.source, from));
  return by.bits ? { ...shown, ...namedIn(row[from + by.extra.source.length]) } : shown;
}

/** The contact in a row that begins with `COLUMNS` and what tells whether it is unseen. */
function seenOrNot(row: readonly ColumnValue[], by: Learned): ShownContact {
  const contact = contactOf(row);
  return { ...contact, unseen: isUnseenIn(row[UNSEEN_COLUMN], contact.at, by) };
}

/** The same row with what the view has beyond what Recency needs. */
export function withExtra<Row extends object>(row: Row, extra: Extra | undefined): Row & { readonly extra?: Extra } {
  return extra === undefined ? row : { ...row, extra };
}

/** A user's contacts as MySQL has them now, in the form in which answers show them: what statements select of them, and reading it. */
import type { Id } from '../../contracts/id.ts';
import type { Key } from '../../contracts/key.ts';
import type { Extra } from '../../contracts/kind.ts';
import { type Marks, namesIn } from '../../contracts/relation.ts';
import { extraReader, extraValues } from '../../site/extra-columns.ts';
import type { KindView } from '../../site/kind-view.ts';
import {
  type Columns,
  type OpenColumns,
  type OpenPlaces,
  type Places,
  placesOf,
  type ResultRow,
  selectList,
} from '../../site/row.ts';
import { type AnswerRows, EPOCH } from '../epoch.ts';
import { lastUploadOf } from './last-upload.ts';
import { LAST_UPLOAD, marks, namedBits } from './pair-row.ts';
import { type ComparedStatement, cursorColumns, isUnseenIn, joinSeen, unseenColumn } from './seen.ts';

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

type ContactColumn = 'id' | 'at' | 'isFriend' | 'isFamily' | 'sees';

/** SQL: what {@link contactOf} reads, of a row `c` of the view with the pairs. @param lastUpload as an index holds it */
export function contactColumns(view: Pick<KindView, 'kind'>, lastUpload = LAST_UPLOAD): Columns<ContactColumn> {
  const { isFriend, isFamily } = marks(view);
  return {
    id: `c.${view.kind.idColumn}`,
    at: `${lastUpload} AS at`,
    isFriend: `${isFriend} AS is_friend`,
    isFamily: `${isFamily} AS is_family`,
    sees: 'c.sees',
  };
}

/** The contact in a row. */
export function contactOf(row: ResultRow, place: Places<ContactColumn>): LiveContact {
  return {
    id: String(row[place.id]),
    at: lastUploadOf(row[place.at]),
    isFriend: Number(row[place.isFriend]) !== 0,
    isFamily: Number(row[place.isFamily]) !== 0,
    sees: String(row[place.sees] ?? 0),
  };
}

/** Reads the names of the bits of a row; nothing where no bit has a name. */
export function namedReader(
  { relations }: KindView,
  bits: number | undefined,
): (row: ResultRow) => Pick<Marks, 'named'> {
  if (bits === undefined) return () => ({});
  return (row) => ({ named: namesIn(relations, Number(row[bits] ?? 0)) });
}

/** SQL: what a {@link shownStatement} needs of a row `c` of the view with the pairs. @param lastUpload as an index holds it */
export function shownColumns(view: KindView, lastUpload = LAST_UPLOAD): string {
  return selectList({
    ...contactColumns(view, lastUpload),
    user: 'c.user_id',
    ...(view.since ? { since: 'c.since' } : {}),
    ...(view.relations.length > 0 ? { bits: `${namedBits(view)} AS bits` } : {}),
  });
}

/** The columns of the view that they read, beside the last upload. */
export function viewColumns({ kind, since, relations }: KindView): string[] {
  const more = [...(since ? ['since'] : []), ...(relations.length > 0 ? ['bits'] : [])];
  return ['user_id', kind.idColumn, 'is_friend', 'is_family', 'sees', ...more];
}

export type ShownColumn = ContactColumn | 'unseen' | 'inUse';

/** A statement with a contact in each row, and reading them. */
export interface ContactsStatement extends ComparedStatement {
  readonly place: Places<ShownColumn>;
  /** The contact in a row. */
  readonly contactOf: (row: ResultRow) => ShownContact;
  /** The user's cursor for all contacts, in any row; undefined: there is none. */
  readonly seenAllIn: (row: ResultRow | undefined) => Key | undefined;
}

/** The same, of rows that may be of several users. */
export interface ShownStatement extends ContactsStatement {
  readonly userOf: (row: ResultRow) => Id;
}

/** @param columns what the statement selects @param passedOn the alias that {@link extraValues} were selected of */
export function shownBy(
  view: KindView,
  columns: OpenColumns<ShownColumn>,
  passedOn: string,
): Omit<ContactsStatement, 'text'> {
  const place: OpenPlaces<ShownColumn> = placesOf(columns);
  const extra = extraReader(passedOn, view.extra.source, place);
  const named = namedReader(view, place.bits);
  const { allAt, allId } = place;
  return {
    view,
    place,
    inUse: place.inUse,
    contactOf: (row) => {
      const contact = contactOf(row, place);
      const shown = { ...contact, unseen: isUnseenIn(row[place.unseen], contact.at, view) };
      return { ...withExtra(shown, extra(row)), ...named(row) };
    },
    seenAllIn: (row) => {
      if (allAt === undefined || allId === undefined || row === undefined || row[allAt] === null) return undefined;
      return { at: Number(row[allAt]), id: String(row[allId]) };
    },
  };
}

/**
 * A statement with the epoch and the contacts of `live`, each with whether it is unseen and with what the view has beyond what
 * Recency needs, in one snapshot. The cursors, and the rest of the view's row, are joined to the rows that `live` returns, not
 * to those that it reads and sorts.
 * @param live selects {@link shownColumns}
 */
export function shownStatement(view: KindView, live: string): ShownStatement {
  const { idColumn } = view.kind;
  const row = { user: 'live.user_id', id: `live.${idColumn}`, at: 'live.at', since: 'live.since', sees: 'live.sees' };
  const columns: OpenColumns<ShownColumn | 'user'> = {
    ...{ id: row.id, at: row.at, isFriend: 'live.is_friend', isFamily: 'live.is_family', sees: row.sees },
    ...{ unseen: unseenColumn(row, view), user: row.user, inUse: 'e.seen_in_use' },
    ...(view.cursors ? cursorColumns('all') : {}),
    ...extraValues('whole', view.extra.source),
    ...(view.relations.length > 0 ? { bits: 'live.bits' } : {}),
  };
  const text = `
  SELECT ${selectList(columns)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (${live}) AS live ON TRUE${joinSeen(row, view)}${joinWhole(view)}`;
  return { text, ...shownBy(view, columns, 'whole'), userOf: userReader(columns) };
}

export function userReader(columns: OpenColumns<'user'>): (row: ResultRow) => Id {
  const { user } = placesOf(columns);
  return (row) => String(row[user]);
}

/** SQL: where a row `c` has what is compared with the cursors. */
export function comparedRow({ kind: { idColumn } }: KindView, at = LAST_UPLOAD) {
  return { user: 'c.user_id', id: `c.${idColumn}`, at, since: 'c.since', sees: 'c.sees' };
}

function joinWhole({ extra, kind: { view, idColumn } }: KindView): string {
  if (extra.source.length === 0) return '';
  return `
  LEFT JOIN ${view} AS whole ON whole.user_id = live.user_id AND whole.${idColumn} = live.${idColumn}`;
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

/** Rows, and the statement that they are of. */
export type FoundRows<Rows> = Rows & { readonly statement: ShownStatement };

/** What a {@link shownStatement} found for an answer. */
export function contactsOf(found: FoundRows<AnswerRows>): LiveContacts {
  const { epoch, rows, isReplica, statement } = found;
  return { epoch, seenAll: statement.seenAllIn(rows[0]), contacts: shownContacts(found), isReplica };
}

/** The contacts in the rows of a {@link shownStatement}, each once. */
function shownContacts(found: FoundRows<Pick<AnswerRows, 'rows'>>): ShownContact[] {
  return eachOnce(rowsWithContact(found).map(found.statement.contactOf));
}

function rowsWithContact({ rows, statement: { place } }: FoundRows<Pick<AnswerRows, 'rows'>>): readonly ResultRow[] {
  return rows.filter((row) => row[place.id] !== null);
}

/** What a statement returned of a user: the contacts, each once, of so many rows. */
export interface FoundContacts<Contact extends Key = ShownContact> {
  readonly contacts: readonly Contact[];
  readonly rows: number;
}

/** The contacts in the rows of a {@link shownStatement} about one user. */
export function foundIn(found: FoundRows<Pick<AnswerRows, 'rows'>>): FoundContacts {
  return { contacts: shownContacts(found), rows: rowsWithContact(found).length };
}

/**
 * Reads the first `count` contacts of each user, by a statement with a limit of rows. Where a view returns pairs several times,
 * so many rows may be fewer contacts although there are others below them: then more are read.
 */
export async function readEnough<Rows>(
  count: number,
  read: (limit: number) => Promise<Rows>,
  ofUsers: (found: Rows) => readonly FoundContacts<Key>[],
): Promise<Rows> {
  for (let limit = count; ; limit *= 2) {
    const found = await read(limit);
    if (ofUsers(found).every(({ contacts, rows }) => contacts.length >= count || rows < limit)) return found;
  }
}

/**
 * The rows of contacts, each contact once: by the row with the highest key, where a view returns a pair several times. (It
 * must not, and `verify` and `doctor` say so.)
 */
export function eachOnce<Contact extends Key>(contacts: Contact[]): Contact[] {
  const highest = new Map<Id, Contact>();
  for (const contact of contacts) {
    const other = highest.get(contact.id);
    if (other === undefined || other.at < contact.at) highest.set(contact.id, contact);
  }
  return highest.size === contacts.length ? contacts : [...highest.values()];
}

/** The same row with what the view has beyond what Recency needs. */
export function withExtra<R extends object>(row: R, extra: Extra | undefined): R & { readonly extra?: Extra } {
  return extra === undefined ? row : { ...row, extra };
}

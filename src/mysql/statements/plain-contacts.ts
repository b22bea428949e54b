/** The plain query: a user's contacts out of all of them, as MySQL has them now. */
import type { Id } from '../../contracts/id.ts';
import { byKeyDescending, type Key } from '../../contracts/key.ts';
import { type NamedRelation, RELATIONS, type Relation } from '../../contracts/relation.ts';
import type { KindView } from '../../site/kind-view.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase } from '../database.ts';
import { readAnswer } from '../epoch.ts';
import {
  comparedRow,
  contactsOf,
  foundIn,
  type LiveContacts,
  readEnough,
  type ShownStatement,
  shownColumns,
  shownStatement,
  viewColumns,
} from './contacts.ts';
import type { KindDatabase } from './kind-statements.ts';
import { topUploads, withUploads } from './last-upload.ts';
import { byKey, LAST_UPLOAD, marks } from './pair-row.ts';
import { isUnseen, joinSeen, readCompared } from './seen.ts';

/** @throws RangeError when there is no such relation */
function relatedBy(relation: Relation, view: KindView): string {
  const { isFriend, isFamily, bits } = marks(view);
  switch (RELATIONS.find((one) => one === relation)) {
    case 'any':
      return '';
    case 'friends':
      return `AND ${isFriend}`;
    case 'family':
      return `AND ${isFamily}`;
    case 'friends_or_family':
      return `AND (${isFriend} OR ${isFamily})`;
    default:
      return `AND (${bits} >> ${bitOf(relation, view.relations)}) & 1`;
  }
}

function bitOf(relation: Relation, relations: readonly NamedRelation[]): number {
  const named = relations.find(({ name }) => name === relation);
  if (named === undefined) throw new RangeError(`${relation} is no relation: RECENCY_RELATIONS does not name it`);
  return named.bit;
}

/** What decides the text of a plain query. */
interface PlainForm {
  readonly relation: Relation;
  /** Only keys below one. */
  readonly isBelow: boolean;
  /** Only last uploads since a time. */
  readonly isSince: boolean;
  readonly unseen: boolean;
}

/** The plain queries of a kind, each made when it is first asked. */
class PlainStatements {
  readonly #view: KindView;
  readonly #made = new Map<string, ShownStatement>();

  constructor(view: KindView) {
    this.#view = view;
  }

  of(form: PlainForm): ShownStatement {
    const name = `${form.relation} ${form.isBelow} ${form.isSince} ${form.unseen}`;
    const statement = this.#made.get(name) ?? plainStatement(this.#view, form);
    this.#made.set(name, statement);
    return statement;
  }
}

const plainStatements = (view: KindView) => new PlainStatements(view);

function plainStatement(view: KindView, { relation, isBelow, isSince, unseen }: PlainForm): ShownStatement {
  const { view: pairs } = view.kind;
  const of = relatedBy(relation, view);
  const all = { from: `${pairs} AS c`, where: `c.user_id = ? ${of}`, rows: 'many' } as const;
  if (!isBelow && !isSince && !unseen)
    return shownStatement(view, topUploads(view, all, viewColumns(view), shownColumns(view)));
  const { from, where } = withUploads(view, all, viewColumns(view));
  const page = [...(isSince ? [SINCE] : []), ...(isBelow ? [below(view)] : [])].join(' ');
  const row = comparedRow(view);
  return shownStatement(
    view,
    `
    SELECT ${shownColumns(view)}
    FROM ${from}${unseen ? joinSeen(row, view) : ''}
    WHERE ${where} ${page} ${unseen ? `AND ${isUnseen(row, view)}` : ''}
    ORDER BY ${byKey(view)}
    LIMIT ?`,
  );
}

const SINCE = `AND ${LAST_UPLOAD} >= ?`;

const below = ({ kind: { idColumn } }: KindView) =>
  `AND ${LAST_UPLOAD} <= ? AND (${LAST_UPLOAD} < ? OR CAST(c.${idColumn} AS BINARY) < CAST(? AS BINARY))`;

interface PlainQuestion {
  user: Id;
  relation: Relation;
  limit: number;
  below: Key | undefined;
  since: number | undefined;
  unseen: boolean | undefined;
}

/**
 * The plain query: the user's most recently active contacts out of all of them, highest key first. Its time grows with
 * the number of the user's contacts, so it is a heavy query.
 * @param below only keys below this one
 * @param since only last uploads at this time or later, ms since 1970 UTC
 * @throws DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled
 */
export async function readPlain(
  database: KindDatabase<AnswerDatabase>,
  wanted: Pick<PlainQuestion, 'user' | 'relation' | 'limit' | 'below'> & Partial<PlainQuestion>,
  deadline?: Deadline,
): Promise<LiveContacts> {
  const { user, relation, limit, below, since, unseen = false } = wanted;
  const from = since === undefined ? [] : [String(since)];
  const page = below ? [String(below.at), String(below.at), below.id] : [];
  const form = { relation, isBelow: below !== undefined, isSince: since !== undefined, unseen };
  const read = (most: number) =>
    readCompared(
      database,
      (known) => known.of(plainStatements).of(form),
      ({ text }) =>
        readAnswer(database.server, text, [user, ...from, ...page, String(most)], { heavy: 'answer', deadline }),
    );
  const found = contactsOf(await readEnough(limit, read, (rows) => [foundIn(rows)]));
  const contacts = found.contacts.sort(byKeyDescending); // a derived table has no order of its own
  return { ...found, contacts: contacts.slice(0, limit) };
}

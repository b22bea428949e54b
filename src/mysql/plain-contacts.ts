/** The plain query: a user's contacts out of all of them, as MySQL has them now. */
import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import { namedRelations, RELATIONS, type Relation } from '../contracts/relation.ts';
import type { Deadline } from '../timing/deadline.ts';
import { contactsOf, type LiveContacts, readShown, shownColumns, shownStatement, viewColumns } from './contacts.ts';
import type { AnswerDatabase } from './database.ts';
import { readAnswer } from './epoch.ts';
import { BY_KEY, LAST_UPLOAD, topUploads, withUploads } from './last-upload.ts';
import type { LearnedStatement } from './learned.ts';
import { isUnseen, joinSeen } from './seen.ts';

const RELATED_BY: Readonly<Record<(typeof RELATIONS)[number], string>> = {
  any: '',
  friends: 'AND c.is_friend',
  family: 'AND c.is_family',
  friends_or_family: 'AND (c.is_friend OR c.is_family)',
};

/** @throws RangeError when there is no such relation */
function relatedBy(relation: Relation): string {
  const builtIn = RELATIONS.find((one) => one === relation);
  if (builtIn !== undefined) return RELATED_BY[builtIn];
  const named = namedRelations().find(({ name }) => name === relation);
  if (named === undefined) throw new RangeError(`${relation} is no relation: RECENCY_RELATIONS does not name it`);
  return `AND (c.bits >> ${named.bit}) & 1`;
}

const BELOW = `AND ${LAST_UPLOAD} <= ? AND (${LAST_UPLOAD} < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY))`;

const SINCE = `AND ${LAST_UPLOAD} >= ?`;

const PLAIN_ROW = { user: 'c.user_id', id: 'c.contact_id', at: LAST_UPLOAD, since: 'c.since', sees: 'c.sees' };

function plain(relation: Relation, page: string, unseen: boolean): LearnedStatement {
  const rows = { from: 'recency_contacts AS c', where: `c.user_id = ? ${relatedBy(relation)}`, rows: 'many' } as const;
  if (page === '' && !unseen) return shownStatement((by) => topUploads(by, rows, viewColumns(by), shownColumns(by)));
  return shownStatement((by) => {
    const { from, where } = withUploads(by, rows, viewColumns(by));
    return `
    SELECT ${shownColumns(by)}
    FROM ${from}${unseen ? joinSeen(PLAIN_ROW, by) : ''}
    WHERE ${where} ${page} ${unseen ? `AND ${isUnseen(PLAIN_ROW, by)}` : ''}
    ORDER BY ${BY_KEY}
    LIMIT ?`;
  });
}

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
  database: AnswerDatabase,
  wanted: Pick<PlainQuestion, 'user' | 'relation' | 'limit' | 'below'> & Partial<PlainQuestion>,
  deadline?: Deadline,
): Promise<LiveContacts> {
  const { user, relation, limit, below, since, unseen = false } = wanted;
  const from = since === undefined ? [] : [String(since)];
  const page = below ? [String(below.at), String(below.at), below.id] : [];
  const statement = plain(
    relation,
    [...(since === undefined ? [] : [SINCE]), ...(below ? [BELOW] : [])].join(' '),
    unseen,
  );
  const parameters = [user, ...from, ...page, String(limit)];
  const rows = await readShown(database, statement, (text) =>
    readAnswer(database, text, parameters, { heavy: 'answer', deadline }),
  );
  const found = contactsOf(rows);
  return { ...found, contacts: found.contacts.sort(byKeyDescending) }; // a derived table has no order of its own
}

/**
 * A user's contacts as MySQL has them now (`recency_contacts`), and the SQL for their keys that every other question
 * uses.
 */
import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { Relation } from '../contracts/relation.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { ColumnValue, Database } from './database.ts';
import { type AnswerRows, EPOCH, readAnswer } from './epoch.ts';

/** The greatest whole number that a Redis score holds exactly; in ms that is the year 287,396. */
export const GREATEST_SCORE = Number.MAX_SAFE_INTEGER;

/**
 * SQL: the last upload of a row of `recency_contacts AS c`, in whole milliseconds whatever the column's type, because
 * an index holds nothing else. Values that a Redis score cannot hold exactly count as the greatest that it can, so that
 * SQL and Redis order them alike.
 */
export const LAST_UPLOAD = `CAST(FLOOR(LEAST(c.last_upload_at, ${GREATEST_SCORE})) AS SIGNED)`;

/**
 * SQL: the order of an index, highest first: the last upload, then the id as binary text, because Redis orders equal
 * scores by the bytes of the member.
 */
export const BY_KEY = `${LAST_UPLOAD} DESC, CAST(c.contact_id AS BINARY) DESC`;

/** SQL: this row can be in an index. Null, zero and negative last uploads mean that there is no upload. */
export const HAS_UPLOAD = 'c.related AND c.last_upload_at >= 1';

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
export interface LiveContact extends Key {
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** A bitmask as decimal text. Bit k: the user may see the contact's photos of audience k. */
  readonly sees: string;
}

/** SQL: the columns that `contactOf` reads, of a row of `recency_contacts AS c`. */
export const COLUMNS = `c.contact_id, ${LAST_UPLOAD} AS at, c.is_friend, c.is_family, c.sees`;

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

/** Contacts, and where their rows came from. */
export interface LiveContacts {
  readonly epoch: string;
  readonly contacts: LiveContact[];
  /** The rows may lack the latest changes: they come from a replica, or from a primary that has become read-only. */
  readonly isReplica: boolean;
}

// The candidates drive the join: with `contact_id IN (…)` MariaDB reads all of a heavy user's contacts. One placeholder
// for any number of them also means one statement text.
const CANDIDATES = `
  SELECT live.*, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id
    WHERE ${HAS_UPLOAD}
  ) AS live ON TRUE`;

/**
 * The candidates that are related to the user and have an upload, in no order, with the epoch of the same snapshot.
 * @throws DatabaseUnavailable
 */
export async function readCandidates(
  database: Database,
  user: Id,
  candidates: readonly Id[],
  deadline?: Deadline,
): Promise<LiveContacts> {
  return contactsOf(await readAnswer(database, CANDIDATES, [JSON.stringify(candidates), user], { deadline }));
}

const RELATED_BY: Readonly<Record<Relation, string>> = {
  any: '',
  friends: 'AND c.is_friend',
  family: 'AND c.is_family',
  friends_or_family: 'AND (c.is_friend OR c.is_family)',
};

const BELOW = `AND ${LAST_UPLOAD} <= ? AND (${LAST_UPLOAD} < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY))`;

function plain(relation: Relation, page: string): string {
  return `
  SELECT live.*, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND ${HAS_UPLOAD} ${RELATED_BY[relation]} ${page}
    ORDER BY ${BY_KEY}
    LIMIT ?
  ) AS live ON TRUE`;
}

/**
 * The plain query: the user's most recently active contacts out of all of them, highest key first. Its time grows with
 * the number of the user's contacts, so it is a heavy query.
 * @param below only keys below this one
 * @throws DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled
 */
export async function readPlain(
  database: Database,
  wanted: { user: Id; relation: Relation; limit: number; below: Key | undefined },
  deadline?: Deadline,
): Promise<LiveContacts> {
  const { user, relation, limit, below } = wanted;
  const page = below ? [String(below.at), String(below.at), below.id] : [];
  const statement = plain(relation, below ? BELOW : '');
  const rows = await readAnswer(database, statement, [user, ...page, String(limit)], { heavy: 'answer', deadline });
  const found = contactsOf(rows);
  return { ...found, contacts: found.contacts.sort(byKeyDescending) }; // a derived table has no order of its own
}

function contactsOf({ epoch, rows, isReplica }: AnswerRows): LiveContacts {
  return { epoch, contacts: rows.filter((row) => row[0] !== null).map(contactOf), isReplica };
}

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
  database: Database,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<{ epoch: string; row: ExplainedContact | undefined }> {
  const { epoch, rows } = await readAnswer(database, EXPLAINED, [user, user, contact], { heavy: 'answer', deadline });
  const [row] = rows;
  if (row === undefined || row[0] === null) return { epoch, row: undefined };
  const [related, version, above] = row.slice(5);
  const place = { related: Number(related) !== 0, version: String(version ?? 0), above: Number(above) };
  return { epoch, row: { ...contactOf(row), ...place } };
}

/** A row of `recency_contacts` as it is, valid or not. */
export interface RawContact {
  readonly id: Id;
  readonly related: boolean;
  /** As in the view, in whole ms: may be null, zero or negative. */
  readonly lastUploadAt: bigint | null;
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** As in {@link LiveContact}. */
  readonly sees: string;
}

// No condition, order or limit: the check of the other questions applies rules of its own.
const ALL = `
  SELECT c.contact_id, c.related, ${wholeMs('c.last_upload_at')}, c.is_friend, c.is_family, c.sees
  FROM recency_contacts AS c
  WHERE c.user_id = ?`;

/**
 * Every relationship of the user, in no order.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readAllContacts(database: Database, user: Id, withinMs?: number): Promise<RawContact[]> {
  const rows = await database.rows(ALL, [user], { heavy: 'background', withinMs });
  return rows.map(([id, related, lastUploadAt, isFriend, isFamily, sees]) => ({
    id: String(id),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadAt === null || lastUploadAt === undefined ? null : BigInt(lastUploadAt),
    isFriend: Number(isFriend) !== 0,
    isFamily: Number(isFamily) !== 0,
    sees: String(sees ?? 0),
  }));
}

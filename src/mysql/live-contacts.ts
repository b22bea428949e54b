import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { Relation } from '../contracts/relation.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Database, Value } from './database.ts';
import { BY_KEY, HAS_UPLOAD, LAST_UPLOAD, lastUploadOf } from './last-upload.ts';
import { type AnswerRows, EPOCH, readAnswer } from './server-identity.ts';

/** A contact as MySQL has it now: related, with an upload that the user may see. */
export interface LiveContact extends Key {
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** A bitmask as decimal text: bit k, the user may see the contact's photos of audience k. */
  readonly sees: string;
}

/** SQL: what `contactOf` reads, of a row of `recency_contacts AS c`. */
export const COLUMNS = `c.contact_id, ${LAST_UPLOAD} AS at, c.is_friend, c.is_family, c.sees`;

/** Contacts, and what the statement that returned them says of itself. */
export interface LiveContacts {
  readonly epoch: string;
  readonly contacts: LiveContact[];
  /** They may lack the latest changes: they come from a replica, or from a primary that takes no writes any more. */
  readonly isReplica: boolean;
}

// The candidates drive the join: with `contact_id IN (…)` MariaDB reads all of a heavy user's contacts. One placeholder
// for any number of them also means one statement text.
const CANDIDATES = `
  SELECT ${EPOCH}, live.*
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id
    WHERE ${HAS_UPLOAD}
  ) AS live ON TRUE`;

/**
 * Those of the candidates who are related to the user and have an upload, in no order, with the epoch of the same snapshot.
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

const PLAIN = Object.fromEntries(
  Object.entries(RELATED_BY).map(([relation, condition]) => [
    relation,
    {
      first: plain(condition),
      below: plain(
        `${condition} AND ${LAST_UPLOAD} <= ? AND (${LAST_UPLOAD} < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY))`,
      ),
    },
  ]),
) as Readonly<Record<Relation, { first: string; below: string }>>;

function plain(condition: string): string {
  return `
  SELECT ${EPOCH}, live.*
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT ${COLUMNS}
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND ${HAS_UPLOAD} ${condition}
    ORDER BY ${BY_KEY}
    LIMIT ?
  ) AS live ON TRUE`;
}

/**
 * The plain query: the user's most recently active contacts out of all of them, highest key first. Its time grows with
 * the number of the user's contacts, so it waits for its turn.
 * @param below only keys below this one
 * @throws DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled
 */
export async function readPlain(
  database: Database,
  wanted: { user: Id; relation: Relation; limit: number; below: Key | undefined },
  deadline?: Deadline,
): Promise<LiveContacts> {
  const { user, relation, limit, below } = wanted;
  const heavy = { heavy: 'answer', deadline } as const;
  const { first, below: next } = PLAIN[relation];
  const rows = below
    ? await readAnswer(database, next, [user, String(below.at), String(below.at), below.id, String(limit)], heavy)
    : await readAnswer(database, first, [user, String(limit)], heavy);
  const found = contactsOf(rows);
  return { ...found, contacts: found.contacts.sort(byKeyDescending) }; // a derived table has no order of its own
}

function contactsOf({ epoch, rows, isReplica }: AnswerRows): LiveContacts {
  return { epoch, contacts: rows.filter(([contact]) => contact !== null).map(contactOf), isReplica };
}

/** The contact in a row that begins with `COLUMNS`. */
export function contactOf([id, at, isFriend, isFamily, sees]: readonly Value[]): LiveContact {
  return {
    id: String(id),
    at: lastUploadOf(at),
    isFriend: Number(isFriend) !== 0,
    isFamily: Number(isFamily) !== 0,
    sees: String(sees ?? 0),
  };
}

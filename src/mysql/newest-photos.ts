/**
 * The newest photo of an uploader in each audience: what last uploads are compared with. A subquery for each audience
 * reads one entry of the index (owner_id, audience, uploaded_at), because its ORDER BY names all three columns. Ordered
 * by the time alone, MySQL reads and sorts all photos of the uploader, although the other two are given. With MAX()
 * both servers read all of them, and MariaDB would materialize a derived table, because it cannot push the uploader
 * into it.
 */
import type { Id } from '../contracts/id.ts';
import { lastUploadOf } from './contacts.ts';
import type { ColumnValue, Database } from './database.ts';
import { asScore, IS_RELATED, lastUpload } from './last-upload.ts';
import { type LearnedStatement, madeOnce, readLearned } from './learned.ts';
import type { Pair } from './pairs.ts';

/** Statements exist for these numbers of audiences only, so that prepared statements do not pile up. */
export const AUDIENCES = [4, 16, 63] as const;

export type Audiences = (typeof AUDIENCES)[number];

// The same rules as for the view's column: whole ms, an upper bound, and nothing below 1.
function newest(owner: string, audience: number): string {
  return `(SELECT ${asScore('p.uploaded_at')} FROM recency_photos AS p
           WHERE p.owner_id = ${owner} AND p.audience = ${audience} AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;
}

const each = (audiences: Audiences) => Array.from({ length: audiences }, (_, audience) => audience);

const OF_UPLOADERS = byAudiences(
  (audiences) => `
  SELECT owner.id, ${each(audiences)
    .map((audience) => newest('owner.id', audience))
    .join(', ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner`,
);

/**
 * By uploader, the upload time of the newest photo in each of the first audiences, ms since 1970 UTC; 0 when there is
 * none.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readNewestOf(
  database: Database,
  uploaders: readonly Id[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ReadonlyMap<Id, readonly number[]>> {
  const rows = await database.rows(String(OF_UPLOADERS.get(audiences)), [JSON.stringify(uploaders)], {
    heavy: 'background',
    withinMs,
  });
  return new Map(rows.map(([uploader, ...times]) => [String(uploader), times.map(lastUploadOf)]));
}

/** A related pair's last upload according to each view. */
export interface ComparedPair extends Pair {
  /** `last_upload_at` of `recency_contacts`, or what answers derive where it has none, ms since 1970 UTC; 0: there is none. */
  readonly viewSays: number;
  /** The newest row of `recency_photos` in an audience that the user sees, ms since 1970 UTC; 0 when there is none. */
  readonly photosSay: number;
  /** A bitmask as decimal text. */
  readonly sees: string;
}

const OF_PAIRS = byAudiences((audiences) =>
  madeOnce(
    (by) => `
  SELECT c.user_id, c.contact_id, ${lastUpload(by)}, c.sees, GREATEST(0, ${each(audiences)
    .map((audience) => `IF((c.sees >> ${audience}) & 1, COALESCE(${newest('c.contact_id', audience)}, 0), 0)`)
    .join(', ')})
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  WHERE ${IS_RELATED}`,
  ),
);

/**
 * Reads both views for the same pairs in one snapshot: a photo whose transaction commits meanwhile is in both or in
 * neither. Pairs that are not related are left out.
 * @param audiences higher audiences are ignored
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function comparePairs(
  database: Database,
  pairs: readonly Pair[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ComparedPair[]> {
  const asked = JSON.stringify(pairs.map(({ user, contact }) => [user, contact]));
  const statement: LearnedStatement = (by) => String(OF_PAIRS.get(audiences)?.(by));
  const rows = await readLearned(database, statement, (text) =>
    database.rows(text, [asked], { heavy: 'background', withinMs }),
  );
  return rows.map(comparedPair);
}

function comparedPair([user, contact, viewSays, sees, photosSay]: readonly ColumnValue[]): ComparedPair {
  return {
    user: String(user),
    contact: String(contact),
    viewSays: lastUploadOf(viewSays),
    photosSay: lastUploadOf(photosSay),
    sees: String(sees ?? 0),
  };
}

function byAudiences<Statement>(statement: (audiences: Audiences) => Statement): ReadonlyMap<Audiences, Statement> {
  return new Map(AUDIENCES.map((audiences) => [audiences, statement(audiences)]));
}

const FROM_CONTACT = `
  SELECT c.contact_id FROM recency_contacts AS c
  WHERE c.user_id = ? AND c.contact_id >= ?
  ORDER BY c.contact_id
  LIMIT ?`;

/**
 * The user's next contacts in the order of their ids, related or not.
 * @param from included
 * @throws DatabaseUnavailable
 */
export async function readContactsFrom(database: Database, user: Id, from: Id | '0', limit: number): Promise<Id[]> {
  return (await database.rows(FROM_CONTACT, [user, from, String(limit)])).map((row) => String(row[0]));
}

// No ORDER BY, so that it stops at the limit whatever the indexes are.
const ANY_PAIRS = 'SELECT c.user_id, c.contact_id FROM recency_contacts AS c LIMIT ?';

/** Any pairs, at most `limit`. @throws DatabaseUnavailable */
export async function readAnyPairs(database: Database, limit: number): Promise<Pair[]> {
  const rows = await database.rows(ANY_PAIRS, [String(limit)]);
  return rows.map(([user, contact]) => ({ user: String(user), contact: String(contact) }));
}

/** Is there any photo? @throws DatabaseUnavailable */
export async function isAnyPhoto(database: Database): Promise<boolean> {
  return (await database.rows('SELECT 1 FROM recency_photos LIMIT 1', [])).length > 0;
}

/** The columns of `users` in the reference schema with the newest photo of audience 0, 1, 2 and 3. */
const COLUMN_OF_AUDIENCE = ['last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'];

const PRESENT = `
  SELECT COUNT(*) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND (TABLE_NAME = 'users' AND COLUMN_NAME IN ('id', ${COLUMN_OF_AUDIENCE.map((name) => `'${name}'`).join(', ')})
         OR TABLE_NAME = 'photos' AND COLUMN_NAME IN ('owner_id', 'audience', 'uploaded_at'))`;

/** Does the database have the tables of the reference schema? A site with tables of its own has nothing to check. */
export async function hasLastUploadColumns(database: Database): Promise<boolean> {
  const [row] = await database.rows(PRESENT, []);
  return Number(row?.[0]) === COLUMN_OF_AUDIENCE.length + 4;
}

const USERS = 'SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?';

/** The next users of the reference schema, in the order of their ids. @param after '0': from the first */
export async function readUsers(database: Database, after: Id | '0', limit: number): Promise<Id[]> {
  return (await database.rows(USERS, [after, String(limit)])).map((row) => String(row[0]));
}

/** Reads one entry of an index, however many photos there are. */
function isWrongColumn(column: string, audience: number): string {
  return `u.${column} <> COALESCE((SELECT p.uploaded_at FROM photos AS p
                                  WHERE p.owner_id = u.id AND p.audience = ${audience}
                                  ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0)`;
}

const COMPARED_COLUMNS = `
  SELECT u.id, ${COLUMN_OF_AUDIENCE.map(isWrongColumn).join(' OR ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN users AS u ON u.id = asked.id`;

export interface ComparedColumns {
  /** The users asked for that exist. */
  readonly users: readonly Id[];
  /** Those of them whose columns contradict their photos. */
  readonly wrong: readonly Id[];
}

/**
 * Compares the `last_…_at` columns of these users with their photos. Both are read in one snapshot and written in one
 * transaction, so every difference is an error.
 * @throws DatabaseUnavailable
 */
export async function compareColumns(database: Database, users: readonly Id[]): Promise<ComparedColumns> {
  const rows = await database.rows(COMPARED_COLUMNS, [JSON.stringify(users)]);
  const wrong = rows.filter((row) => Number(row[1]) !== 0);
  return { users: rows.map((row) => String(row[0])), wrong: wrong.map((row) => String(row[0])) };
}

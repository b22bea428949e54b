import type { Id } from '../contracts/id.ts';
import type { Database, Value } from './database.ts';
import { GREATEST_SCORE, LAST_UPLOAD, lastUploadOf } from './last-upload.ts';
import type { Pair } from './pairs.ts';

/**
 * The newest photo of an audience, by owner: what `last_upload_at` is compared with. A subquery for each audience reads
 * one entry of the index (owner_id, audience, uploaded_at), because its order names all three: ordered by the time alone, MySQL
 * reads and sorts all of an owner's photos, although the other two are given. With MAX() both servers read all of
 * them, and a derived table would be made whole by MariaDB, which cannot push the owner into it.
 */

/** Numbers of audiences that there are statements for: few texts, so that prepared statements do not pile up. */
export const AUDIENCES = [4, 16, 63] as const;

export type Audiences = (typeof AUDIENCES)[number];

// The same rules as for the view's column: whole ms, a bound, and nothing below 1 (DESIGN §1).
function newest(owner: string, audience: number): string {
  return `(SELECT CAST(FLOOR(LEAST(p.uploaded_at, ${GREATEST_SCORE})) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = ${owner} AND p.audience = ${audience} AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;
}

const each = (audiences: Audiences) => Array.from({ length: audiences }, (_, audience) => audience);

const OF_OWNERS = byAudiences(
  (audiences) => `
  SELECT owner.id, ${each(audiences)
    .map((audience) => newest('owner.id', audience))
    .join(', ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner`,
);

/**
 * The newest photo of each of the first audiences, in ms since 1970 UTC, by owner; 0: there is none.
 * @param withinMs the server ends the statement after so many ms
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readNewestOf(
  database: Database,
  owners: readonly Id[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ReadonlyMap<Id, readonly number[]>> {
  const rows = await database.rows(String(OF_OWNERS.get(audiences)), [JSON.stringify(owners)], {
    heavy: 'background',
    withinMs,
  });
  return new Map(rows.map(([owner, ...times]) => [String(owner), times.map(lastUploadOf)]));
}

/** What a related pair's last upload is by either view. */
export interface ComparedPair extends Pair {
  /** `last_upload_at` of `recency_contacts`, ms since 1970 UTC; 0: there is none. */
  readonly viewSays: number;
  /** The newest row of `recency_photos` of an audience that the user sees; 0: there is none. */
  readonly photosSay: number;
  /** A bitmask as decimal text. */
  readonly sees: string;
}

const OF_PAIRS = byAudiences(
  (audiences) => `
  SELECT c.user_id, c.contact_id, ${LAST_UPLOAD}, c.sees, GREATEST(0, ${each(audiences)
    .map((audience) => `IF((c.sees >> ${audience}) & 1, COALESCE(${newest('c.contact_id', audience)}, 0), 0)`)
    .join(', ')})
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  WHERE c.related`,
);

/**
 * Reads both views about the same pairs in one statement, so of one snapshot: a photo whose transaction commits meanwhile is
 * in both or in neither. Who is not related is left out.
 * @param audiences those above are not looked at
 * @param withinMs the server ends the statement after so many ms
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function comparePairs(
  database: Database,
  pairs: readonly Pair[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ComparedPair[]> {
  const asked = JSON.stringify(pairs.map(({ user, contact }) => [user, contact]));
  return (await database.rows(String(OF_PAIRS.get(audiences)), [asked], { heavy: 'background', withinMs })).map(
    comparedPair,
  );
}

function comparedPair([user, contact, viewSays, sees, photosSay]: readonly Value[]): ComparedPair {
  return {
    user: String(user),
    contact: String(contact),
    viewSays: lastUploadOf(viewSays),
    photosSay: lastUploadOf(photosSay),
    sees: String(sees ?? 0),
  };
}

function byAudiences(statement: (audiences: Audiences) => string): ReadonlyMap<Audiences, string> {
  return new Map(AUDIENCES.map((audiences) => [audiences, statement(audiences)]));
}

const FROM_CONTACT = `
  SELECT c.contact_id FROM recency_contacts AS c
  WHERE c.user_id = ? AND c.contact_id >= ?
  ORDER BY c.contact_id
  LIMIT ?`;

/** Some of a user's contacts, by id from the one given, related or not. @throws DatabaseUnavailable */
export async function readContactsFrom(database: Database, user: Id, from: Id | '0', limit: number): Promise<Id[]> {
  return (await database.rows(FROM_CONTACT, [user, from, String(limit)])).map((row) => String(row[0]));
}

// In no order, so that it stops at the limit whatever the indexes are.
const ANY_PAIRS = 'SELECT c.user_id, c.contact_id FROM recency_contacts AS c LIMIT ?';

/** Pairs, up to so many: all of them where there are fewer. @throws DatabaseUnavailable */
export async function readAnyPairs(database: Database, limit: number): Promise<Pair[]> {
  const rows = await database.rows(ANY_PAIRS, [String(limit)]);
  return rows.map(([user, contact]) => ({ user: String(user), contact: String(contact) }));
}

/** Is there a photo at all? @throws DatabaseUnavailable */
export async function isAnyPhoto(database: Database): Promise<boolean> {
  return (await database.rows('SELECT 1 FROM recency_photos LIMIT 1', [])).length > 0;
}

import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import type { Audience } from './checks.ts';

export interface NewUser {
  readonly id: Id;
  readonly name?: string;
}

export interface NewContact {
  readonly user: Id;
  readonly contact: Id;
  readonly friend?: boolean;
  readonly family?: boolean;
}

export interface NewPhoto {
  readonly owner: Id;
  readonly audience: Audience;
  /** ms since 1970 UTC. */
  readonly uploadedAt: number;
  readonly title?: string;
}

/** Rows to send in one statement: few round trips, and a packet far below max_allowed_packet. */
export const ROWS_AT_ONCE = 2000;

// One JSON text for any number of rows: one placeholder, one statement text. IGNORE leaves rows that exist as they are;
// there is nothing else that it could hide, as every value was checked before.
const USERS = `
  INSERT IGNORE INTO users (id, name)
  SELECT it.id, it.name
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, name VARCHAR(100) PATH '$[1]' ERROR ON ERROR)) AS it`;

const CONTACTS = `
  INSERT IGNORE INTO contacts (user_id, contact_id, is_friend, is_family)
  SELECT it.user_id, it.contact_id, it.is_friend, it.is_family
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    user_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, contact_id BIGINT UNSIGNED PATH '$[1]' ERROR ON ERROR,
    is_friend INT PATH '$[2]' ERROR ON ERROR, is_family INT PATH '$[3]' ERROR ON ERROR)) AS it`;

const REVIVE = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
    user_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, contact_id BIGINT UNSIGNED PATH '$[1]' ERROR ON ERROR,
    is_friend INT PATH '$[2]' ERROR ON ERROR, is_family INT PATH '$[3]' ERROR ON ERROR)) AS it
  STRAIGHT_JOIN contacts ON contacts.user_id = it.user_id AND contacts.contact_id = it.contact_id
  SET contacts.is_friend = it.is_friend, contacts.is_family = it.is_family,
      contacts.active = TRUE, contacts.version = contacts.version + 1
  WHERE NOT contacts.active`;

const PHOTOS = `
  INSERT INTO photos (owner_id, audience, uploaded_at, title)
  SELECT it.owner_id, it.audience, it.uploaded_at, it.title
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    owner_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, audience INT PATH '$[1]' ERROR ON ERROR,
    uploaded_at BIGINT PATH '$[2]' ERROR ON ERROR, title VARCHAR(255) PATH '$[3]' ERROR ON ERROR)) AS it`;

/** Returns how many were new; the others are left as they are. */
export async function insertUsers(connection: PoolConnection, users: readonly NewUser[]): Promise<number> {
  return await change(
    connection,
    USERS,
    users.map(({ id, name = '' }) => [id, name]),
  );
}

/** Returns how many were new or no contacts any more; those that are contacts are left as they are. */
export async function insertContacts(connection: PoolConnection, contacts: readonly NewContact[]): Promise<number> {
  const rows = contacts.map(({ user, contact, friend, family }) => [user, contact, friend ? 1 : 0, family ? 1 : 0]);
  const revived = await change(connection, REVIVE, rows);
  return revived + (await change(connection, CONTACTS, rows));
}

export async function insertPhotos(connection: PoolConnection, photos: readonly NewPhoto[]): Promise<number> {
  const rows = photos.map(({ owner, audience, uploadedAt, title = '' }) => [owner, audience, uploadedAt, title]);
  return await change(connection, PHOTOS, rows);
}

async function change(connection: PoolConnection, statement: string, rows: unknown[]): Promise<number> {
  const [{ affectedRows }] = await connection.execute<ResultSetHeader>(statement, [JSON.stringify(rows)]);
  return affectedRows;
}

/** Cuts into pieces of at most {@link ROWS_AT_ONCE}. */
export function* pieces<T>(rows: Iterable<T>): Generator<T[]> {
  let piece: T[] = [];
  for (const row of rows) {
    if (piece.push(row) < ROWS_AT_ONCE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

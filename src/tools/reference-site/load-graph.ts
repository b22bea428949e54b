import type { Pool, PoolConnection, ResultSetHeader } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { chunks } from '../../timing/batches.ts';
import { type Audience, checkAudience, checkId, checkPair, checkTime } from './checks.ts';
import { lockUsers, recomputeLastUploads, startNewEpoch } from './last-uploads.ts';
import { inTransaction } from './transaction.ts';

/** Iterated once per attempt, so each must be repeatable: an array, not a running generator. */
export interface Graph {
  readonly users?: Iterable<NewUser>;
  readonly contacts?: Iterable<NewContact>;
  readonly photos?: Iterable<NewPhoto>;
}

export interface LoadCounts {
  /** New ones; existing users and contacts stay as they are. */
  readonly users: number;
  readonly contacts: number;
  readonly photos: number;
}

/**
 * Loads a whole graph, in one transaction and set by set. It leaves no tasks but a new epoch: backfill afterwards.
 * Users that contacts and photos name must be there or among `users`.
 * @throws SiteError bad_id, bad_audience, bad_time, self_contact, unknown_user
 */
export async function loadGraph(pool: Pool, { users = [], contacts = [], photos = [] }: Graph): Promise<LoadCounts> {
  checkGraph(users, contacts, photos);
  return await inTransaction(pool, async (connection) => {
    const counts = { users: 0, contacts: 0, photos: 0 };
    for (const piece of pieces(users)) counts.users += await insertUsers(connection, piece);
    const uploaders = new Set([...photos].map(({ owner }) => owner));
    const named = new Set(uploaders);
    for (const { user, contact } of contacts) named.add(user).add(contact);
    for (const piece of pieces(named)) await lockUsers(connection, piece);
    for (const piece of pieces(contacts)) counts.contacts += await insertContacts(connection, piece);
    for (const piece of pieces(photos)) counts.photos += await insertPhotos(connection, piece);
    for (const piece of pieces(uploaders)) await recomputeLastUploads(connection, piece);
    await startNewEpoch(connection, 'a graph was loaded');
    return counts;
  });
}

function checkGraph(users: Iterable<NewUser>, contacts: Iterable<NewContact>, photos: Iterable<NewPhoto>): void {
  for (const { id } of users) checkId('the user', id);
  for (const { user, contact } of contacts) checkPair(user, contact);
  for (const { owner, audience, uploadedAt } of photos) {
    checkId('the owner', owner);
    checkAudience(audience);
    checkTime(uploadedAt);
  }
}

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

const CONTACT_ROWS = `JSON_TABLE(?, '$[*]' COLUMNS (
    user_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, contact_id BIGINT UNSIGNED PATH '$[1]' ERROR ON ERROR,
    is_friend INT PATH '$[2]' ERROR ON ERROR, is_family INT PATH '$[3]' ERROR ON ERROR)) AS it`;

const CONTACTS = `
  INSERT IGNORE INTO contacts (user_id, contact_id, is_friend, is_family)
  SELECT it.user_id, it.contact_id, it.is_friend, it.is_family
  FROM ${CONTACT_ROWS}`;

const REVIVE = `
  UPDATE ${CONTACT_ROWS}
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

/** Returns the number of new ones; existing ones stay as they are. */
export async function insertUsers(connection: PoolConnection, users: readonly NewUser[]): Promise<number> {
  return await change(
    connection,
    USERS,
    users.map(({ id, name = '' }) => [id, name]),
  );
}

/** Returns the number of new or revived ones; current contacts stay as they are. */
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

/** Consecutive ids. */
export function idsFrom(first: bigint, count: number): Id[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}

export function pieces<T>(rows: Iterable<T>): T[][] {
  return chunks([...rows], ROWS_AT_ONCE);
}

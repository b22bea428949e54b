import type { Pool, PoolConnection } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import {
  insertContacts,
  insertPhotos,
  insertUsers,
  type NewContact,
  type NewPhoto,
  type NewUser,
  pieces,
} from './bulk.ts';
import { checkAudience, checkId, checkPair, checkTime } from './checks.ts';
import { lockUsers, recomputeLastUploads } from './last-uploads.ts';
import { startNewEpoch } from './new-epoch.ts';
import { inTransaction } from './transaction.ts';

/** Each part is gone through once for every attempt, so it must be iterable again: an array, not a running generator. */
export interface Graph {
  readonly users?: Iterable<NewUser>;
  readonly contacts?: Iterable<NewContact>;
  readonly photos?: Iterable<NewPhoto>;
}

export interface LoadCounts {
  /** New ones; users and contacts that exist are left as they are. */
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
    const named = [...namedUsers(contacts, photos)];
    for (const piece of pieces(named)) await lockUsers(connection, piece);
    for (const piece of pieces(contacts)) counts.contacts += await insertContacts(connection, piece);
    for (const piece of pieces(photos)) counts.photos += await insertPhotos(connection, piece);
    await recompute(connection, photos);
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

function namedUsers(contacts: Iterable<NewContact>, photos: Iterable<NewPhoto>): Set<Id> {
  const named = new Set<Id>();
  for (const { user, contact } of contacts) named.add(user).add(contact);
  for (const { owner } of photos) named.add(owner);
  return named;
}

async function recompute(connection: PoolConnection, photos: Iterable<NewPhoto>): Promise<void> {
  const owners = new Set<Id>();
  for (const { owner } of photos) owners.add(owner);
  for (const piece of pieces(owners)) await recomputeLastUploads(connection, piece);
}

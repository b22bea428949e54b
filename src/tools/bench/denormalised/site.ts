import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../timing/batches.ts';
import { createDenormalised } from '../../denormalised/table.ts';
import { idsFrom, loadGraph, type NewContact } from '../../reference-site/load-graph.ts';
import { contactsOf, onePhotoEach } from '../circle.ts';

export interface DenormalisedSiteSize {
  /** People, each with so many contacts among them. */
  readonly users: number;
  readonly contacts: number;
  /** Owners beside them, each with so many followers among them. */
  readonly owners: number;
  readonly followers: number;
}

export interface DenormalisedSite {
  readonly owners: readonly OwnerWithFollowers[];
  /** Rows of the denormalised table. */
  readonly pairs: number;
}

export interface OwnerWithFollowers {
  readonly owner: Id;
  /** At regular distances, so that an upload changes pages all over the index. */
  readonly followers: readonly Id[];
}

const FIRST_USER = 20_000_000n;
const FIRST_OWNER = 40_000_000n;

/** Rows of one transaction. */
const ROWS = 100_000;

export async function gatherSite(
  pool: Pool,
  size: DenormalisedSiteSize,
  signal: AbortSignal,
): Promise<DenormalisedSite> {
  const users = idsFrom(FIRST_USER, size.users);
  const distance = Math.floor(size.users / size.followers);
  const owners = idsFrom(FIRST_OWNER, size.owners).map((owner, i) => ({
    owner,
    followers: Array.from({ length: size.followers }, (_, k) => users[(i + k * distance) % size.users] ?? ''),
  }));
  const people = [...users, ...owners.map(({ owner }) => owner)];
  for (const some of chunks(people, ROWS)) await loadGraph(pool, { users: some.map((id) => ({ id })) });
  for (const some of chunks(onePhotoEach(users), ROWS)) await loadGraph(pool, { photos: some });
  const load = async (contacts: readonly NewContact[]) => {
    signal.throwIfAborted();
    await loadGraph(pool, { contacts });
  };
  const usersAtOnce = Math.ceil(ROWS / size.contacts);
  for (let from = 0; from < users.length; from += usersAtOnce) {
    const places = users.slice(from, from + usersAtOnce).map((_, i) => from + i);
    await load(places.flatMap((place) => contactsOf(users, place, size.contacts)));
  }
  for (const { owner, followers } of owners) await load(followers.map((user) => ({ user, contact: owner })));
  await pool.query('ANALYZE TABLE contacts, users, photos');
  await createDenormalised(pool, signal);
  return { owners, pairs: size.users * size.contacts + size.owners * size.followers };
}

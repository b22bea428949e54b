import type { Id } from '../../contracts/id.ts';
import { run } from '../../index/protocol.ts';
import { rebuild } from '../../index/rebuild.ts';
import { chunks } from '../../timing/batches.ts';
import type { HarnessStores } from '../harness/stores.ts';
import { idsFrom, loadGraph, type NewContact, type NewPhoto } from '../reference-site/load-graph.ts';

export const FIRST_USER = 20_000_000n;

const HOUR_MS = 3_600_000;

/** Few enough for one statement over all their contacts to meet its deadline. */
const USERS_AT_ONCE = 50;

/** People in a circle: each has exactly this many contacts and as many followers. */
export interface Circle {
  readonly users: readonly Id[];
  readonly contacts: number;
}

/** Fills MySQL; {@link buildIndexes} builds the indexes. Everybody has a public photo, in no order of the ids. */
export async function gatherCircle(
  { pool }: HarnessStores,
  circle: Omit<Circle, 'users'> & { readonly count: number; readonly first?: bigint },
): Promise<Circle> {
  const users = idsFrom(circle.first ?? FIRST_USER, circle.count);
  await loadGraph(pool, {
    users: users.map((id) => ({ id })),
    contacts: users.flatMap((_, position) => contactsOf(users, position, circle.contacts)),
    photos: onePhotoEach(users),
  });
  await pool.query('ANALYZE TABLE contacts, users, photos');
  return { users, contacts: circle.contacts };
}

/** One public photo of each, in no order of the ids. */
export function onePhotoEach(people: readonly Id[]): NewPhoto[] {
  const begin = Date.now() - HOUR_MS;
  const at = (position: number) => begin - ((position * 7_919) % people.length);
  return people.map((owner, position) => ({ owner, audience: 0, uploadedAt: at(position) }));
}

/** The people at regular distances. */
export function contactsOf(users: readonly Id[], position: number, count: number): NewContact[] {
  const distance = Math.floor((users.length - 1) / count);
  return Array.from({ length: count }, (_, i) => ({
    user: users[position] ?? '',
    contact: users[(position + (i + 1) * distance) % users.length] ?? '',
  }));
}

/** The rows of the contacts table for a JSON array of [user, contact]. */
export const PAIRS = `JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS it
  STRAIGHT_JOIN contacts ON contacts.user_id = it.user_id AND contacts.contact_id = it.contact_id`;

/** Ends these relationships or begins them again. As in a site's own change, the version grows under the row's lock. */
export const TURN_OVER = `UPDATE ${PAIRS} SET contacts.active = NOT contacts.active, contacts.version = contacts.version + 1`;

export async function buildIndexes({ steps }: Pick<HarnessStores, 'steps'>, users: readonly Id[]): Promise<void> {
  for (const page of chunks(users, USERS_AT_ONCE)) await run(rebuild(page), steps);
}

import type { Id } from '../../contracts/id.ts';
import { chunks } from '../../index/chunks.ts';
import { run } from '../../index/protocol.ts';
import { rebuild } from '../../index/rebuild.ts';
import type { HarnessStores } from '../harness/stores.ts';
import { loadGraph, type NewContact } from '../reference-site/load-graph.ts';

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
  circle: Omit<Circle, 'users'> & { count: number },
): Promise<Circle> {
  const users = ids(FIRST_USER, circle.count);
  const begin = Date.now() - HOUR_MS;
  await loadGraph(pool, {
    users: users.map((id) => ({ id })),
    contacts: users.flatMap((_, position) => contactsOf(users, position, circle.contacts)),
    photos: users.map((owner, position) => ({
      owner,
      audience: 0,
      uploadedAt: begin - ((position * 7_919) % circle.count),
    })),
  });
  await pool.query('ANALYZE TABLE contacts, users, photos');
  return { users, contacts: circle.contacts };
}

/** The people at regular distances. */
export function contactsOf(users: readonly Id[], position: number, count: number): NewContact[] {
  const distance = Math.floor((users.length - 1) / count);
  return Array.from({ length: count }, (_, i) => ({
    user: users[position] ?? '',
    contact: users[(position + (i + 1) * distance) % users.length] ?? '',
  }));
}

export async function buildIndexes({ steps }: HarnessStores, users: readonly Id[]): Promise<void> {
  for (const page of chunks(users, USERS_AT_ONCE)) await run(rebuild(page), steps);
}

/** Consecutive ids. */
export function ids(first: bigint, count: number): Id[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}

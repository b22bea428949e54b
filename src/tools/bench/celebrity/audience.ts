import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../index/chunks.ts';
import { run } from '../../../index/protocol.ts';
import { rebuild } from '../../../index/rebuild.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import { idsFrom, loadGraph, type NewContact } from '../../reference-site/load-graph.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { Ground } from '../bench.ts';
import type { Crowd } from '../fanout/crowd.ts';

export interface AudienceSize {
  readonly followers: number;
  /** One follower in so many has an index. */
  readonly oneIndexedIn: number;
  /** Other contacts of a follower with an index. */
  readonly contacts: number;
  /** Followers of `idol`, all of whom have an index. */
  readonly ofIdol: number;
}

/** Owners, and who follows them. */
export interface Audience {
  /** Everybody follows this one. */
  readonly star: Id;
  /** Followed by some of those who have an index. */
  readonly idol: Id;
  /** Followed by all who have none. */
  readonly stranger: Id;
  readonly followers: readonly Id[];
  readonly indexed: readonly Id[];
  readonly cold: readonly Id[];
  /** The followers of `idol`, and what their indexes hold. */
  readonly idols: Crowd;
}

const [STAR, IDOL, STRANGER] = ['40000000', '40000001', '40000002'] as const;
const FIRST_FOLLOWER = 50_000_000n;
const FIRST_KNOWN = 30_000_000n;
const DAY_MS = 86_400_000;

/** Rows of one transaction. */
const ROWS = 100_000;

/** Fills MySQL, and builds the indexes of those who have one. */
export async function gatherAudience({ stores, signal }: Ground, size: AudienceSize): Promise<Audience> {
  const { pool, steps } = stores;
  const followers = idsFrom(FIRST_FOLLOWER, size.followers);
  const indexed = followers.filter((_, i) => i % size.oneIndexedIn === 0);
  const cold = followers.filter((_, i) => i % size.oneIndexedIn !== 0);
  const known = idsFrom(FIRST_KNOWN, size.contacts).map((id, i) => ({ id, at: Date.now() - DAY_MS + i }));
  const people = [...followers, STAR, IDOL, STRANGER, ...known.map(({ id }) => id)];
  for (const some of chunks(people, ROWS)) await loadGraph(pool, { users: some.map((id) => ({ id })) });
  await loadGraph(pool, { photos: known.map(({ id, at }) => ({ owner: id, audience: 0, uploadedAt: at })) });
  const idols = indexed.slice(0, size.ofIdol);
  const following = (users: readonly Id[], contact: Id) => users.map((user) => ({ user, contact }));
  const loading: (readonly [readonly Id[], (user: Id) => NewContact[]])[] = [
    [indexed, (user) => known.map(({ id }) => ({ user, contact: id }))],
    ...(
      [
        [followers, STAR],
        [idols, IDOL],
        [cold, STRANGER],
      ] as const
    ).map(([users, owner]) => [users, (user: Id) => following([user], owner)] as const),
  ];
  for (const [users, contactsOf] of loading) await loadContacts(pool, users, contactsOf, signal);
  await pool.query('ANALYZE TABLE contacts, users, photos');
  for (const page of chunks(indexed, PAIRS_A_CALL)) await run(rebuild(page), steps);
  const crowd = { followers: idols, owners: [IDOL], known };
  return { star: STAR, idol: IDOL, stranger: STRANGER, followers, indexed, cold, idols: crowd };
}

async function loadContacts(
  pool: Pool,
  users: readonly Id[],
  contactsOf: (user: Id) => NewContact[],
  signal: AbortSignal,
): Promise<void> {
  const each = contactsOf(users[0] ?? '').length;
  for (const some of chunks(users, Math.ceil(ROWS / Math.max(1, each)))) {
    signal.throwIfAborted();
    await loadGraph(pool, { contacts: some.flatMap(contactsOf) });
  }
}

/** A newer photo of the owner than any before it. @returns its time, ms since 1970 UTC */
export async function uploadBy(pool: Pool, owner: Id): Promise<number> {
  const at = Date.now();
  await uploadPhoto(pool, owner, 0, at);
  return at;
}

import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { run } from '../../../index/protocol.ts';
import { rebuild } from '../../../index/rebuild.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import { chunks } from '../../../timing/batches.ts';
import { idsFrom, loadGraph } from '../../reference-site/load-graph.ts';
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
  /** Followers of `stranger`, none of whom has one. */
  readonly ofStranger: number;
}

/** Owners, and who follows them. */
export interface CelebrityAudience {
  /** Everybody follows this one. */
  readonly star: Id;
  /** Followed by some of those who have an index. */
  readonly idol: Id;
  /** Followed by some of those who have none. */
  readonly stranger: Id;
  readonly followers: readonly Id[];
  /** The followers of `idol`, and what their indexes hold. */
  readonly idols: Crowd;
  readonly strangers: readonly Id[];
}

const [STAR, IDOL, STRANGER] = ['40000000', '40000001', '40000002'] as const;
const FIRST_FOLLOWER = 50_000_000n;
const FIRST_KNOWN = 30_000_000n;
const DAY_MS = 86_400_000;

/** Rows of one transaction. */
const ROWS = 100_000;

/** Fills MySQL, and builds the indexes of those who have one. */
export async function gatherAudience({ stores, signal }: Ground, size: AudienceSize): Promise<CelebrityAudience> {
  const { pool, steps } = stores;
  const followers = idsFrom(FIRST_FOLLOWER, size.followers);
  const indexed = followers.filter((_, i) => i % size.oneIndexedIn === 0);
  const strangers = followers.filter((_, i) => i % size.oneIndexedIn !== 0).slice(0, size.ofStranger);
  const known = idsFrom(FIRST_KNOWN, size.contacts).map((id, i) => ({ id, at: Date.now() - DAY_MS + i }));
  const people = [...followers, STAR, IDOL, STRANGER, ...known.map(({ id }) => id)];
  for (const some of chunks(people, ROWS)) await loadGraph(pool, { users: some.map((id) => ({ id })) });
  await loadGraph(pool, { photos: known.map(({ id, at }) => ({ owner: id, audience: 0, uploadedAt: at })) });
  const idols = indexed.slice(0, size.ofIdol);
  const following: readonly (readonly [users: readonly Id[], contacts: readonly Id[]])[] = [
    [indexed, known.map(({ id }) => id)],
    [followers, [STAR]],
    [idols, [IDOL]],
    [strangers, [STRANGER]],
  ];
  for (const [users, contacts] of following) await loadContacts(pool, { users, contacts }, signal);
  await pool.query('ANALYZE TABLE contacts, users, photos');
  for (const page of chunks(indexed, PAIRS_A_CALL)) await run(rebuild(page), steps);
  const crowd = { followers: idols, owners: [IDOL], known };
  return { star: STAR, idol: IDOL, stranger: STRANGER, followers, idols: crowd, strangers };
}

/** All of these users get all of these contacts. */
async function loadContacts(
  pool: Pool,
  { users, contacts }: { readonly users: readonly Id[]; readonly contacts: readonly Id[] },
  signal: AbortSignal,
): Promise<void> {
  for (const some of chunks(users, Math.ceil(ROWS / contacts.length))) {
    signal.throwIfAborted();
    await loadGraph(pool, { contacts: some.flatMap((user) => contacts.map((contact) => ({ user, contact }))) });
  }
}

/** Of the last photo. */
let lastAt = 0;

/** A newer photo of the owner than any before it. @returns its time, ms since 1970 UTC */
export async function uploadBy(pool: Pool, owner: Id): Promise<number> {
  const at = Math.max(Date.now(), lastAt + 1);
  lastAt = at;
  await uploadPhoto(pool, owner, 0, at);
  return at;
}

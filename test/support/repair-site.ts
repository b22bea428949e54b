import { randomBytes } from 'node:crypto';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import type { RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { drainBarrierOf } from '../../src/index/index-drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { indexedUsers } from '../../src/index/redis/keys.ts';
import { stepsOn } from '../../src/index/steps.ts';
import { type Fence, nextFencingToken } from '../../src/mysql/leases.ts';
import type { UploadsFrom } from '../../src/mysql/statements/last-upload.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import type { PagedRunStores } from '../../src/repair/paged-run.ts';
import type { RepairParts } from '../../src/repair/repair.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { passedAtOnce } from './barriers.ts';
import { MeteredContactsDatabase } from './contacts-database.ts';
import { closeAtEnd } from './servers.ts';
import { freshNonce, freshStores, type Stores } from './stores.ts';

/** Ids beyond the exact range of JavaScript numbers. */
const BASE = 9_007_199_254_740_990n;

export const userId = (i: number): Id => String(BASE + BigInt(i));

export const LIMITS = { max: 6, min: 3 };

export interface RepairSite {
  readonly stores: Stores;
  readonly pool: Pool;
  /** Users who own relationships, ordered by id. */
  readonly users: readonly Id[];
  /** Everybody who owns relationships: the users, and the stranger who has granted something to some of them. */
  readonly everybody: readonly Id[];
  /** Builds everybody's index from nothing. */
  readonly rebuildAll: () => Promise<void>;
  /** Everything that a repair, a verify or a backfill needs, under a lease of its own. */
  readonly repair: PagedRunStores & RepairParts;
  /** Pending work: in the outbox or in the delay queue. */
  readonly raiseBarrier: RaiseBarrier;
  /** The check of `repair`, with another source of pending work, and perhaps another time to wait for it, ms. */
  readonly checkWith: (raiseBarrier: RaiseBarrier, settleMs?: number) => PageCheck;
}

interface RepairSiteOptions {
  readonly users: number;
  /** How many contacts the i-th user has, and how many of them have an upload that the user may see. */
  readonly contactsOf?: (i: number) => number;
  readonly settleMs?: number;
  /** See `freshStores`. */
  readonly uploads?: UploadsFrom;
}

/** The number of contacts; none of them is one of the users. */
const STRANGERS = 40;

/** A site with users 1 … n, each with some of the contacts n + 1 … n + 40, who have photos for various audiences. */
export async function freshSite(options: RepairSiteOptions): Promise<RepairSite> {
  const { users: count, contactsOf = () => 12, settleMs = 5_000, uploads = 'column' } = options;
  const stores = await freshStores({ ...LIMITS, uploads });
  const pool = openSitePool(stores.url);
  closeAtEnd(() => pool.end());
  const users = Array.from({ length: count }, (_, i) => userId(i + 1));
  const everybody = [...users, userId(count + 1)];
  await loadGraph(pool, graph(users, contactsOf));
  const metered = new MeteredContactsDatabase(stores.url, { connections: 3, queue: 100, deadlineMs: 20_000 });
  closeAtEnd(() => metered.close());
  const { primary, delayed, rechecks } = stores;
  const raiseBarrier = drainBarrierOf({ primary, rechecks, delayed }, passedAtOnce);
  const checkWith = (other: RaiseBarrier, waitMs = settleMs) => pageCheck(stores, metered, other, waitMs);
  return {
    stores,
    pool,
    users,
    everybody,
    rebuildAll: async () => {
      await stores.index.drop(everybody);
      await run(rebuild(everybody), stores.steps);
    },
    raiseBarrier,
    checkWith,
    repair: { ...(await repairStores(stores, metered)), check: checkWith(raiseBarrier) },
  };
}

function pageCheck(
  { index, primary }: Stores,
  metered: MeteredContactsDatabase,
  raiseBarrier: RaiseBarrier,
  settleMs: number,
) {
  const stores = { index, primary: metered, answersFrom: primary };
  const clocks = { now: () => performance.now(), clock: Date.now, random: Math.random };
  return new PageCheck({ ...stores, limits: LIMITS, raiseBarrier, graceMs: 0, settleMs, ...clocks });
}

function graph(users: readonly Id[], contactsOf: (i: number) => number) {
  const strangers = Array.from({ length: STRANGERS }, (_, i) => userId(users.length + 1 + i));
  const contacts = users.flatMap((user, i) =>
    Array.from({ length: contactsOf(i) }, (_, k) => ({
      user,
      contact: strangers[(i + k) % STRANGERS] as Id,
      friend: k % 3 === 0,
      family: k % 4 === 0,
    })),
  );
  // Times are equal in pairs, so that ids decide; every fifth contact shows a newer photo to friends only.
  const photos = strangers.flatMap((owner, i) => [
    { owner, audience: 0 as const, uploadedAt: 1_000 + Math.floor(i / 2) },
    ...(i % 5 === 0 ? [{ owner, audience: 1 as const, uploadedAt: 5_000 + i }] : []),
  ]);
  const granted = users
    .filter((_user, i) => i % 2 === 0)
    .map((user) => ({ user: strangers[0] as Id, contact: user, friend: true }));
  return { users: [...users, ...strangers].map((id) => ({ id })), contacts: [...contacts, ...granted], photos };
}

async function repairStores(
  stores: Stores,
  primary: MeteredContactsDatabase,
): Promise<Omit<RepairSite['repair'], 'check'>> {
  const { redis, delayed, prefix } = stores;
  return {
    primary,
    fence: await freshFence(stores),
    clock: () => Date.now(),
    rowsRead: () => primary.rowsRead,
    now: () => performance.now(),
    random: Math.random,
    indexedUsers: () => indexedUsers(redis, prefix),
    steps: stepsOn({ primary, redis, delayed }, { ...LIMITS, prefix, freshNonce }),
  };
}

export async function freshFence({ primary }: Pick<Stores, 'primary'>): Promise<Fence> {
  const lease = randomBytes(6).toString('hex');
  return { lease, token: await nextFencingToken(primary, lease, Date.now()) };
}

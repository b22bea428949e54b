import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { readFollowerAt, readFollowers, readNeighbours, readPairs } from '../mysql/pairs.ts';
import { TopContactsReader } from '../mysql/top-contacts.ts';
import { readUsersAmong } from '../mysql/users.ts';
import { readWatchedFollowers } from '../mysql/watched-followers.ts';
import type { RedisClient } from '../redis/connection.ts';
import { FORGOTTEN_MS } from './contact-index.ts';
import { type DelayedWork, Rechecks } from './delayed-work.ts';
import type { Steps, SystemOfRecord } from './protocol.ts';
import { type ContactIndexOptions, RedisContactIndex } from './redis/redis-contact-index.ts';
import { WaitingPlans } from './redis/waiting-plans.ts';
import { WatchedUsers } from './redis/watched-users.ts';

export interface StepsOptions extends ContactIndexOptions {
  /** Timeout of a statement that reads all contacts of one user while tasks wait, ms (5,000). */
  readonly aloneMs?: number;
  /** The same where nothing waits for it, ms (60,000). */
  readonly patientMs?: number;
  /** Publishes to the bulk lane; left out where nothing is fanned out. */
  readonly publish?: Steps['publish'];
}

const noLane: Steps['publish'] = () => Promise.reject(new Error('nothing is fanned out here: there is no bulk lane'));

const ALONE_MS = 5_000;

const PATIENT_MS = 60_000;

/** Far longer than dropping a user's work takes. If the process ends in between, builds are blocked for no longer, ms. */
const HARD_MS = 60_000;

export interface RealSteps extends Steps {
  readonly index: RedisContactIndex;
  /** The same steps for a caller that has the time to read all contacts of a user with very many. */
  readonly patient: Steps;
}

/** The steps of the protocol on the indexes of one kind. @param stores `primary` is asked about this kind (`ofKind`), and `delayed` is its own */
export function stepsOn(
  stores: { readonly primary: Database; readonly redis: RedisClient; readonly delayed: DelayedWork },
  options: StepsOptions,
): RealSteps {
  const { aloneMs = ALONE_MS, patientMs = PATIENT_MS, publish = noLane } = options;
  const { primary, redis, delayed } = stores;
  const index = new RedisContactIndex(redis, options);
  const { prefix, kind, freshNonce: freshName } = options;
  const plans = new WaitingPlans(redis, { prefix, kind, freshName });
  const rechecks = new Rechecks(primary);
  const watched = new WatchedUsers(redis, options.prefix);
  const steps: Steps = {
    ...systemOfRecord(primary, options.max, aloneMs),
    nonces: (users) => index.nonces(users),
    apply: (epoch, requests) => index.apply(epoch, requests),
    claim: (users, asked) => index.claim(users, asked),
    replace: (epoch, requests) => index.replace(epoch, requests),
    beginPlan: (epoch, owner) => plans.beginPlan(epoch, owner),
    publish,
    planPublished: (epoch, owner, plan) => plans.planPublished(epoch, owner, plan),
    takePlan: (owner, plan) => plans.takePlan(owner, plan),
    drop: (users) => index.drop(users),
    forget: async (users) => {
      // Nothing is built while the waiting work is dropped: an index built in between might need one of those refreshes.
      await index.bar(users, 'hard', HARD_MS);
      await delayed.forget(users);
      await index.bar(users, 'soft', FORGOTTEN_MS);
    },
    defer: (work) => delayed.defer(work),
    signal: (users) => watched.signal(users),
    recheck: (pairs, attempt) => rechecks.put(pairs, attempt),
  };
  const { topContacts } = systemOfRecord(primary, options.max, patientMs);
  return { ...steps, index, patient: { ...steps, topContacts } };
}

/** @param aloneMs timeout of a statement that reads all contacts of one user */
function systemOfRecord(primary: Database, max: number, aloneMs: number): SystemOfRecord {
  const tops = new TopContactsReader({ database: primary, aloneMs, now: () => performance.now() });
  return {
    pairs: (pairs, by) => readPairs(primary, pairs, by),
    neighbours: (pairs) => readNeighbours(primary, pairs),
    topContacts: (users, by) => tops.read(users, max + 1, by),
    owners: (users) => readUsersAmong(primary, users),
    currentEpoch: async () => (await readEpoch(primary)).token,
    followerAt: (from, count) => readFollowerAt(primary, from, count),
    followers: (wanted, limit) => Promise.all(wanted.map((range) => readFollowers(primary, range, limit))),
    watchedFollowers: (owner, limit) => readWatchedFollowers(primary, owner, limit),
  };
}

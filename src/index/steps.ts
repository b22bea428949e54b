import { readEpoch } from '../mysql/epoch.ts';
import { RowCounts } from '../mysql/row-counts.ts';
import { readFollowerAt, readFollowersIn, readWatchedFollowers } from '../mysql/statements/followers.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { readNeighbours, readPairs } from '../mysql/statements/pairs.ts';
import { readUsersAmong } from '../mysql/statements/users.ts';
import { TopContactsReader } from '../mysql/top-contacts-reader.ts';
import type { RedisClient } from '../redis/connection.ts';
import { allowanceOf, areAllKept, KEEP_ALL } from './allowance.ts';
import { FORGOTTEN_MS } from './contact-index.ts';
import { type DelayedWork, Rechecks } from './delayed-work.ts';
import type { Steps, SystemOfRecord } from './protocol.ts';
import { type ContactIndexOptions, RedisContactIndex } from './redis/redis-contact-index.ts';
import { WaitingPlans } from './redis/waiting-plans.ts';
import { WatchedUsers } from './redis/watched-users.ts';

interface StepsOptions extends ContactIndexOptions {
  /** Timeout of a statement that reads all contacts of one user while tasks wait, ms (5,000). */
  readonly aloneMs?: number;
  /** The same where nothing waits for it, ms (60,000). */
  readonly patientMs?: number;
  /** Publishes to the bulk lane; left out where nothing is fanned out. */
  readonly publish?: Steps['publish'];
  /** Asks the bulk lane; left out where its places are not known, so that no plan can be shown to wait. */
  readonly isWaiting?: Steps['isWaiting'];
}

const noLane: Steps['publish'] = () => Promise.reject(new Error('nothing is fanned out here: there is no bulk lane'));

const ALONE_MS = 5_000;

const PATIENT_MS = 60_000;

/** Far longer than dropping a user's work takes. If the process ends in between, builds are blocked for no longer, ms. */
const HARD_MS = 60_000;

interface RealSteps extends Steps {
  readonly index: RedisContactIndex;
  /** The same steps for a caller that has the time to read all contacts of a user with very many. */
  readonly patient: Steps;
  /** Those that the steps put. */
  readonly rechecks: Rechecks;
}

/** The steps of the protocol on the indexes of one kind. @param stores `primary` and `delayed` are the kind's own */
export function stepsOn(
  stores: { readonly primary: KindDatabase; readonly redis: RedisClient; readonly delayed: DelayedWork },
  options: Omit<StepsOptions, 'kind'>,
): RealSteps {
  const { aloneMs = ALONE_MS, patientMs = PATIENT_MS, publish = noLane, isWaiting = async () => false } = options;
  const { primary, redis, delayed } = stores;
  const { kind } = primary.statements;
  const index = new RedisContactIndex(redis, { ...options, kind });
  const { prefix, freshNonce: freshName } = options;
  const plans = new WaitingPlans(redis, { prefix, kind, freshName });
  const rechecks = new Rechecks(primary);
  const watched = new WatchedUsers(redis, options.prefix);
  const steps: Steps = {
    ...systemOfRecord(primary, options, aloneMs),
    nonces: (users) => index.nonces(users),
    apply: (epoch, requests) => index.apply(epoch, requests),
    claim: (users, asked) => index.claim(users, asked),
    replace: (epoch, requests) => index.replace(epoch, requests),
    beginPlan: (epoch, owner, lost) => plans.beginPlan(epoch, owner, lost),
    notedPlan: (epoch, owner) => plans.notedPlan(epoch, owner),
    publish,
    isWaiting,
    planPublished: (epoch, owner, plan, place) => plans.planPublished(epoch, owner, plan, place),
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
  const { topContacts } = systemOfRecord(primary, options, patientMs);
  return { ...steps, index, rechecks, patient: { ...steps, topContacts } };
}

/** @param aloneMs timeout of a statement that reads all contacts of one user */
function systemOfRecord(
  primary: KindDatabase,
  { max, rules = KEEP_ALL }: Pick<StepsOptions, 'max' | 'rules'>,
  aloneMs: number,
): SystemOfRecord {
  const tops = new TopContactsReader({ database: primary, aloneMs, now: () => performance.now() });
  const counts = new RowCounts(primary);
  return {
    pairs: (pairs, by) => readPairs(primary, pairs, by),
    neighbours: (pairs) => readNeighbours(primary, pairs),
    topContacts: (users, by) => tops.read(users, max + 1, by),
    allowances: async (users, by) => {
      const rowsOf = areAllKept(rules) ? users.map(() => 1) : await counts.of(users, rules.indexAbove, by);
      return rowsOf.map((rows) => allowanceOf(rows, rules));
    },
    owners: (users) => readUsersAmong(primary, users),
    currentEpoch: async () => (await readEpoch(primary.server)).token,
    followerAt: (from, count) => readFollowerAt(primary, from, count),
    followers: (wanted, limit) => readFollowersIn(primary, wanted, limit),
    watchedFollowers: (owner, limit) => readWatchedFollowers(primary, owner, limit),
  };
}

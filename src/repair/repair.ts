import type { Id } from '../contracts/id.ts';
import { run, type Steps } from '../index/protocol.ts';
import { EpochSuspended, rebuild } from '../index/rebuild.ts';
import { type DriftExample, Examples } from './examples.ts';
import { ContactsTooMany, type FailedUser } from './failed-users.ts';
import {
  type AnswerCounts,
  type CheckedIndexes,
  type IndexCounts,
  NO_ANSWERS,
  NO_INDEXES,
  type PageCheck,
  type TruthCounted,
  withTruth,
} from './page-check.ts';
import { PagedRun, type PagedRunStores, type RunRequest } from './paged-run.ts';
import type { IndexedUsers } from './stray-pages.ts';
import { NO_TRUTH, type WrongPair } from './truth-check.ts';

export interface RepairStores extends PagedRunStores {
  readonly check: PageCheck;
  readonly steps: Steps;
  /** Those who have an index; some of them may own no relationship any more. Left out: only the owners are repaired. */
  readonly indexedUsers?: IndexedUsers;
}

/** A type, not an interface: it is kept as a tally. */
export type RepairReport = {
  /** As `verify` counts; `truth`: of the users' heads and some pairs beside. */
  readonly before: IndexCounts & TruthCounted;
  readonly after: AnswerCounts & {
    /** Users who were wrong or unsettled, were rebuilt, and are neither now. */
    readonly repaired: number;
    readonly still_wrong: number;
    readonly still_unsettled: number;
    /** Neither verified nor repaired: what they are by name says why. */
    readonly failed: number;
  };
  readonly cost: { readonly rows_read: number; readonly seconds: number };
};

const NOTHING_DONE = { repaired: 0, still_wrong: 0, still_unsettled: 0, failed: 0, ...NO_ANSWERS };
const NOTHING_FOUND = { ...NO_INDEXES, truth: NO_TRUTH };
const FREE = { rows_read: 0, seconds: 0 };

/** What `repair --json` prints. `answers_…`: of the users who were rebuilt, afterwards. */
export type RepairResult = IndexCounts &
  TruthCounted &
  RepairReport['after'] & {
    readonly run: Id;
    readonly dry_run: boolean;
    readonly rows_read: number;
    readonly seconds: number;
    readonly wrong_users: readonly DriftExample[];
    /** Drift of the class `truth`, which no rebuild removes. */
    readonly wrong_pairs: readonly WrongPair[];
    /** Of this part of the run; the first 100. */
    readonly failed_users: readonly FailedUser[];
  };

/** Verifies users page by page, and rebuilds the indexes that are wrong or may be; a dry run only verifies. */
export class Repair extends PagedRun<RepairReport> {
  readonly #examples: Examples;

  /** @throws InvalidJob */
  constructor(stores: RepairStores, request: RunRequest) {
    const examples = new Examples();
    const work = async (users: readonly Id[], { dryRun }: { dryRun: boolean }, signal?: AbortSignal) => {
      const found = await stores.check.indexes(users, signal);
      const after = dryRun ? NOTHING_DONE : await mend(stores, found, signal);
      const truth = await stores.check.truth(users, found.heads, signal); // it repairs nothing, so it comes last
      const onRecorded = () => examples.add({ drifted: found.drifted, pairs: truth.wrong });
      return { report: { before: withTruth(found.counts, truth), after, cost: FREE }, onRecorded };
    };
    const empty = { before: NOTHING_FOUND, after: NOTHING_DONE, cost: FREE };
    const { indexedUsers } = stores;
    const failed = (users: number) => ({
      before: { ...NOTHING_FOUND, users },
      after: { ...NOTHING_DONE, failed: users },
      cost: FREE,
    });
    const usersIn = ({ before }: RepairReport) => before.users;
    super(stores, { kind: 'repair', empty, work, indexedUsers, usersIn, failed }, request);
    this.#examples = examples;
  }

  /** Of all parts of the run; the users by name are those of this one. */
  get result(): RepairResult {
    const { before, after, cost } = this.report;
    const { dryRun } = this.parameters;
    const seconds = Math.round(cost.seconds * 1000) / 1000;
    const { wrong_users, wrong_pairs } = this.#examples.shown();
    const { id: run, failedUsers: failed_users } = this;
    const { rows_read } = cost;
    return { run, dry_run: dryRun, ...before, ...after, rows_read, seconds, wrong_users, wrong_pairs, failed_users };
  }
}

/**
 * Rebuilds what is wrong, and what could not be told, and looks again. A rebuild never overwrites a newer write: its
 * compare-and-set sees to it. So it does no harm where a change was only on its way.
 */
async function mend(
  { check, steps }: RepairStores,
  { drifted, unsettled: untold }: CheckedIndexes,
  signal?: AbortSignal,
): Promise<RepairReport['after']> {
  const users = [...drifted.map(({ user }) => user), ...untold];
  if (users.length === 0) return NOTHING_DONE;
  const { unsettled, slow, suspended } = await run(rebuild(users), steps);
  if (suspended.length > 0) throw new EpochSuspended();
  if (slow.length > 0) throw new ContactsTooMany(slow[0]);
  if (unsettled.length > 0) await steps.defer({ pairs: [], rebuilds: unsettled });
  const again = await check.indexes(users, signal);
  const answers = await check.answers(users, false, signal);
  const { wrong: still_wrong, unsettled: still_unsettled } = again.counts;
  const repaired = users.length - still_wrong - still_unsettled;
  return { ...NOTHING_DONE, repaired, still_wrong, still_unsettled, ...answers.counts };
}

import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import { run, type Steps } from '../index/protocol.ts';
import { EpochSuspended, rebuild } from '../index/rebuild.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type UploadsFrom, uploadsFrom } from '../mysql/statements/last-upload.ts';
import {
  type AnswerCounts,
  type IndexCounts,
  NO_ANSWERS,
  NO_INDEXES,
  NO_TRUTH,
  type TruthCounted,
  withTruth,
} from './counts.ts';
import type { ShownExamples, UploadSources } from './examples.ts';
import { ContactsTooMany } from './failed-users.ts';
import type { Cost } from './job.ts';
import type { CheckedIndexes, PageCheck } from './page-check.ts';
import { PagedRun, type PagedRunStores } from './paged-run.ts';
import type { KindOf, OfKinds, RunParameters, RunRequest } from './run-parameters.ts';
import type { PageWork, ProcessedUsers, RunResult } from './run-work.ts';
import type { IndexedUsers } from './user-pages.ts';

/** What checks and rebuilds the indexes of one kind. */
export interface RepairParts {
  readonly primary: KindDatabase;
  readonly check: PageCheck;
  readonly steps: Steps;
  /** Given: orphaned indexes are repaired as well. */
  readonly indexedUsers?: IndexedUsers;
}

export type RepairStores = PagedRunStores & OfKinds<RepairParts>;

/** What a run saves. */
type RepairReport = {
  /** As `verify` counts; `truth`: of the users' heads and some other pairs. */
  readonly before: IndexCounts & TruthCounted;
  readonly after: AnswerCounts & {
    /** Users who were wrong or unsettled, were rebuilt, and are neither now. */
    readonly repaired: number;
    readonly still_wrong: number;
    readonly still_unsettled: number;
    /** Neither verified nor repaired; `failed_users` says why. */
    readonly failed: number;
  };
  readonly cost: Cost;
};

const NOTHING_FOUND = { ...NO_INDEXES, truth: NO_TRUTH };
const NOTHING_DONE = { repaired: 0, still_wrong: 0, still_unsettled: 0, failed: 0, ...NO_ANSWERS };

/**
 * What `repair --json` prints. `answers_…`: of the users who were rebuilt, afterwards. `wrong_pairs`: drift of the class
 * `truth`, which no rebuild removes.
 */
export type RepairResult = RunResult<RepairReport> & RepairExamples;

interface RepairExamples extends Pick<ShownExamples, 'wrong_users' | 'wrong_pairs'> {
  /** Of the kinds that this part of the run went through. */
  readonly last_uploads: UploadSources;
}

/** Verifies users page by page, and rebuilds the indexes that are wrong or may be. A dry run only verifies. @throws InvalidJob */
export function createRepair(stores: RepairStores, request: RunRequest): PagedRun<RepairReport, RepairExamples> {
  const kinds = stores.kinds.map((parts) => new RepairWork(parts));
  const work = {
    job: 'repair',
    empty: { before: NOTHING_FOUND, after: NOTHING_DONE, cost: { rows_read: 0, seconds: 0 } },
    kinds,
    examples: ({ wrong_users, wrong_pairs }: ShownExamples) => ({
      wrong_users,
      wrong_pairs,
      last_uploads: Object.fromEntries(kinds.flatMap(({ kind, uploads }) => (uploads ? [[kind.name, uploads]] : []))),
    }),
  } as const;
  return new PagedRun(stores, work, request);
}

class RepairWork implements PageWork<RepairReport> {
  readonly kind: Kind;
  readonly primary: KindDatabase;
  readonly indexedUsers: IndexedUsers | undefined;
  readonly #check: PageCheck;
  readonly #steps: Steps;
  /** Where the last uploads come from; undefined: nothing was read yet. */
  uploads: UploadsFrom | undefined;

  constructor({ kind, primary, check, steps, indexedUsers }: KindOf<RepairParts>) {
    this.kind = kind;
    this.primary = primary;
    this.#check = check;
    this.#steps = steps;
    this.indexedUsers = indexedUsers;
  }

  async process(
    users: readonly Id[],
    { dryRun }: RunParameters,
    signal?: AbortSignal,
  ): Promise<ProcessedUsers<RepairReport>> {
    this.uploads ??= await uploadsFrom(this.primary);
    const found = await this.#check.indexes(users, signal);
    const after = dryRun ? NOTHING_DONE : await this.#repair(found, signal);
    const truth = await this.#check.truth(users, found.heads, signal); // last, because it repairs nothing
    return { before: withTruth(found.counts, truth), after, found: { drifted: found.drifted, pairs: truth.wrong } };
  }

  /**
   * Rebuilds wrong and unsettled indexes, and checks them again. A rebuild never overwrites a newer write, thanks to its
   * compare-and-set, so it does no harm if a change was only on its way.
   */
  async #repair({ drifted, unsettled }: CheckedIndexes, signal?: AbortSignal): Promise<RepairReport['after']> {
    const users = [...drifted.map(({ user }) => user), ...unsettled];
    if (users.length === 0) return NOTHING_DONE;
    const rebuilt = await run(rebuild(users), this.#steps);
    if (rebuilt.suspended.length > 0) throw new EpochSuspended();
    if (rebuilt.slow.length > 0) throw new ContactsTooMany(rebuilt.slow[0]);
    if (rebuilt.unsettled.length > 0) await this.#steps.defer({ pairs: [], rebuilds: rebuilt.unsettled });
    const { counts } = await this.#check.indexes(users, signal);
    const answers = await this.#check.answers(users, false, signal);
    const repaired = users.length - counts.wrong - counts.unsettled;
    return {
      ...NOTHING_DONE,
      repaired,
      still_wrong: counts.wrong,
      still_unsettled: counts.unsettled,
      ...answers.counts,
    };
  }
}

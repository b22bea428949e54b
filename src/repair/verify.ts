import { type Id, isId } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { type CheckedColumns, ColumnCheck, type ColumnCounts } from './column-check.ts';
import { Examples, type Found, type Shown } from './examples.ts';
import { type FailedUser, FailedUsers } from './failed-users.ts';
import { InvalidJob } from './invalid-job.ts';
import type { Job } from './job.ts';
import { NO_ODD_ROWS, type OddRows } from './odd-rows.ts';
import { openPages } from './open-pages.ts';
import { Pace } from './pace.ts';
import {
  type AnswerCounts,
  type IndexCounts,
  NO_ANSWERS,
  NO_INDEXES,
  type PageCheck,
  type TruthCounted,
  withTruth,
} from './page-check.ts';
import { type Progress, ProgressMeter } from './progress.ts';
import { parseRunParameters, type RunParameters, type RunParametersInput } from './run-parameters.ts';
import type { IndexedUsers } from './stray-pages.ts';
import { sum } from './tally.ts';
import { NO_TRUTH } from './truth-check.ts';
import { NamedPages, PAGE_SIZE, type UserPages } from './user-pages.ts';

export interface VerifyStores {
  readonly primary: Database;
  readonly check: PageCheck;
  /** ms, monotonic. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Users in a page at the most (PAGE_SIZE). */
  readonly pageSize?: number;
  /** Those who have an index; some of them may own no relationship any more. Left out: only the owners are verified. */
  readonly indexedUsers?: IndexedUsers;
}

/** One user, thoroughly; or a sample, a range, or all of them. */
export type VerifyRequest =
  | { readonly user: Id }
  | (Omit<RunParametersInput, 'dryRun'> & { readonly user?: undefined });

/** A type, not an interface: pages of it are summed up. */
export type VerifyCounts = IndexCounts &
  TruthCounted &
  AnswerCounts & {
    readonly columns: ColumnCounts;
    readonly odd_rows: OddRows;
    /** Users who could not be verified: what they are by name says why. */
    readonly failed: number;
  };

/** What `verify --json` prints, and some of what is wrong by name. */
export type VerifyResult = VerifyCounts & {
  readonly seconds: number;
  /** The first 100. */
  readonly failed_users: readonly FailedUser[];
} & Shown;

const NO_COLUMNS: ColumnCounts = { users: 0, wrong: 0 };
const NOTHING: VerifyCounts = {
  ...{ ...NO_INDEXES, truth: NO_TRUTH, ...NO_ANSWERS },
  ...{ columns: NO_COLUMNS, odd_rows: NO_ODD_ROWS, failed: 0 },
};

/**
 * Compares indexes and answers with plain SQL, and with the photos what that says of each contact, and the columns of the
 * reference schema. It changes nothing, and keeps no run.
 */
export class Verify implements Job {
  readonly #stores: VerifyStores;
  readonly #user: Id | undefined;
  readonly #parameters: RunParameters;
  readonly #columns: ColumnCheck;
  readonly #pace: Pace;
  readonly #meter: ProgressMeter;
  readonly #begun: number;
  readonly #examples = new Examples();
  readonly #failed: FailedUsers;
  #pages: UserPages | undefined;
  /** After which user the columns are checked next; undefined: nothing is left to check. */
  #columnsAfter: Id | '0' | undefined;
  #counts: VerifyCounts = NOTHING;

  /** @throws InvalidJob */
  constructor(stores: VerifyStores, request: VerifyRequest) {
    const { user, ...parameters } = request;
    if (user !== undefined && !isId(user)) throw new InvalidJob(`user: '${user}' is not an id`);
    this.#stores = stores;
    this.#user = user;
    this.#parameters = parseRunParameters(parameters);
    this.#columns = new ColumnCheck(stores.primary);
    this.#failed = new FailedUsers(stores.primary);
    this.#pace = new Pace(this.#parameters.rate, stores.now);
    this.#meter = new ProgressMeter(stores.now);
    this.#begun = stores.now();
  }

  /** @throws DatabaseUnavailable */
  async start(): Promise<void> {
    const { primary, random, pageSize = PAGE_SIZE, indexedUsers } = this.#stores;
    const pace = this.#pace;
    this.#pages = this.#user
      ? new NamedPages([this.#user], 1)
      : await openPages({ primary, random, pageSize, pace, indexedUsers }, this.#parameters);
    if (await this.#columns.isPossible()) this.#columnsAfter = '0';
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async runOnce(signal?: AbortSignal): Promise<VerifyCounts | undefined> {
    if (this.#pages === undefined) throw new Error('verify must be started first');
    const users = await this.#pages.next(signal);
    if (users === undefined) return await this.#checkColumns();
    await this.#pace.spend(users.length, signal);
    const { done, failed } = await this.#failed.workOn(users, (some) => this.#checkUsers(some, signal), signal);
    const notDone = { ...NOTHING, users: failed, failed };
    const page = done.reduce((all, { counts }) => sum(all, counts), failed > 0 ? notDone : NOTHING);
    for (const { found } of done) this.#examples.add(found); // only now: a page that is not done comes again
    this.#counts = sum(this.#counts, page);
    this.#pages.done();
    this.#meter.add(users.length);
    return page;
  }

  progress(): Progress {
    const done = this.#counts.users;
    return this.#meter.progress(undefined, done, this.#pages?.total(done) ?? done);
  }

  /** Of the pages that are done. */
  get result(): VerifyResult {
    const seconds = (this.#stores.now() - this.#begun) / 1000;
    const failed_users = this.#failed.named;
    return { ...this.#counts, seconds: Math.round(seconds * 1000) / 1000, failed_users, ...this.#examples.shown() };
  }

  async #checkUsers(users: readonly Id[], signal?: AbortSignal): Promise<{ counts: VerifyCounts; found: Found }> {
    const { check } = this.#stores;
    const indexes = await check.indexes(users, signal);
    const answers = await check.answers(users, this.#user !== undefined, signal);
    const columns = this.#isWhole() || this.#columnsAfter === undefined ? undefined : await this.#columns.of(users);
    const counts = {
      ...{ ...withTruth(indexes.counts, answers.truth), ...answers.counts },
      ...{ columns: columns?.counts ?? NO_COLUMNS, odd_rows: answers.oddRows, failed: 0 },
    };
    const { drifted } = indexes;
    const found = { drifted, answers: answers.wrong, columns: columns?.wrong ?? [], pairs: answers.truth.wrong };
    return { counts, found };
  }

  /** Of all users, also of those who have no contacts; where only some are verified, their own columns are enough. */
  async #checkColumns(): Promise<VerifyCounts | undefined> {
    if (!this.#isWhole() || this.#columnsAfter === undefined) return undefined;
    const checked: CheckedColumns = await this.#columns.page(this.#columnsAfter);
    this.#columnsAfter = checked.last;
    this.#examples.add({ columns: checked.wrong });
    const page = { ...NOTHING, columns: checked.counts };
    this.#counts = sum(this.#counts, page);
    return page;
  }

  #isWhole(): boolean {
    const { from, to, sample } = this.#parameters;
    return this.#user === undefined && from === undefined && to === undefined && sample === undefined;
  }
}

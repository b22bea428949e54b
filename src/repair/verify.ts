import { type Id, isId } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { compareColumns, hasLastUploadColumns, readUsers } from '../mysql/newest-photos.ts';
import { NO_ODD_ROWS, type OddRows } from './answer-check.ts';
import {
  type AnswerCounts,
  addCounts,
  type IndexCounts,
  NO_ANSWERS,
  NO_INDEXES,
  NO_TRUTH,
  type TruthCounted,
  withTruth,
} from './counts.ts';
import { Examples, type FoundWrong, type ShownExamples } from './examples.ts';
import { type FailedUser, FailedUsers } from './failed-users.ts';
import { type Job, type JobProgress, ProgressMeter } from './job.ts';
import type { PageCheck } from './page-check.ts';
import { RateLimiter } from './rate-limiter.ts';
import { InvalidJob, parseRunParameters, type RunParameters, type RunParametersInput } from './run-parameters.ts';
import { createUserPages, type IndexedUsers, ListPages, PAGE_SIZE, type UserPages } from './user-pages.ts';

export interface VerifyStores {
  readonly primary: Database;
  readonly check: PageCheck;
  /** ms, monotonic. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Maximum users in a page (PAGE_SIZE). */
  readonly pageSize?: number;
  /** Given: orphaned indexes are verified as well. */
  readonly indexedUsers?: IndexedUsers;
}

/** One user, thoroughly; or a sample, a range, or everybody. */
export type VerifyRequest =
  | { readonly user: Id }
  | (Omit<RunParametersInput, 'dryRun'> & { readonly user?: undefined });

/** Users of the reference schema whose `last_…_at` columns were compared with their photos. */
type ColumnCounts = { readonly users: number; readonly wrong: number };

export type VerifyCounts = IndexCounts &
  TruthCounted &
  AnswerCounts & {
    readonly columns: ColumnCounts;
    readonly odd_rows: OddRows;
    /** Users who could not be verified; `failed_users` says why. */
    readonly failed: number;
  };

/** What `verify --json` prints. */
export type VerifyResult = VerifyCounts & {
  readonly seconds: number;
  /** The first 100. */
  readonly failed_users: readonly FailedUser[];
} & ShownExamples;

const NO_COLUMNS: ColumnCounts = { users: 0, wrong: 0 };
const NOTHING: VerifyCounts = {
  ...NO_INDEXES,
  truth: NO_TRUTH,
  ...NO_ANSWERS,
  columns: NO_COLUMNS,
  odd_rows: NO_ODD_ROWS,
  failed: 0,
};

/** Users whose columns are compared at a time. */
const COLUMNS_PAGE = 1_000;

/**
 * Compares indexes and answers with plain SQL; and the last uploads that plain SQL gives, and the columns of the reference
 * schema, with the photos. Changes nothing and saves nothing.
 */
export class Verify implements Job {
  readonly #stores: VerifyStores;
  readonly #user: Id | undefined;
  readonly #parameters: RunParameters;
  readonly #rateLimiter: RateLimiter;
  readonly #meter: ProgressMeter;
  readonly #startedAt: number;
  readonly #examples = new Examples();
  readonly #failed: FailedUsers;
  #pages: UserPages | undefined;
  /** The columns are compared next after this user; undefined: none are left, or the site has tables of its own. */
  #columnsAfter: Id | '0' | undefined;
  #counts: VerifyCounts = NOTHING;

  /** @throws InvalidJob */
  constructor(stores: VerifyStores, request: VerifyRequest) {
    const { user, ...parameters } = request;
    if (user !== undefined && !isId(user)) throw new InvalidJob(`user: '${user}' is not an id`);
    this.#stores = stores;
    this.#user = user;
    this.#parameters = parseRunParameters(parameters);
    this.#failed = new FailedUsers(stores.primary);
    this.#rateLimiter = new RateLimiter(this.#parameters.rate, stores.now);
    this.#meter = new ProgressMeter(stores.now);
    this.#startedAt = stores.now();
  }

  /** @throws DatabaseUnavailable */
  async start(): Promise<void> {
    const { primary, random, pageSize = PAGE_SIZE, indexedUsers } = this.#stores;
    const pageStores = { primary, random, pageSize, rateLimiter: this.#rateLimiter, indexedUsers };
    this.#pages = this.#user ? new ListPages([this.#user], 1) : await createUserPages(pageStores, this.#parameters);
    if (await hasLastUploadColumns(primary)) this.#columnsAfter = '0';
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async runOnce(signal?: AbortSignal): Promise<VerifyCounts | undefined> {
    if (this.#pages === undefined) throw new Error('verify must be started first');
    const users = await this.#pages.next(signal);
    if (users === undefined) return await this.#checkNextColumns();
    await this.#rateLimiter.spend(users.length, signal);
    const { done, failures } = await this.#failed.workOn(users, (some) => this.#checkUsers(some, signal), signal);
    const failed = failures.length;
    const page = done.reduce((all, { counts }) => addCounts(all, counts), { ...NOTHING, users: failed, failed });
    for (const { found } of done) this.#examples.add(found); // not before the page is done: after an error it comes again
    this.#counts = addCounts(this.#counts, page);
    this.#pages.done();
    this.#meter.add(users.length);
    return page;
  }

  progress(): JobProgress {
    const done = this.#counts.users;
    return this.#meter.progress(undefined, done, this.#pages?.total(done) ?? done);
  }

  /** Of the pages that are done. */
  get result(): VerifyResult {
    const seconds = Math.round(this.#stores.now() - this.#startedAt) / 1000;
    return { ...this.#counts, seconds, failed_users: this.#failed.named, ...this.#examples.shown() };
  }

  async #checkUsers(users: readonly Id[], signal?: AbortSignal): Promise<{ counts: VerifyCounts; found: FoundWrong }> {
    const { check, primary } = this.#stores;
    const indexes = await check.indexes(users, signal);
    const answers = await check.answers(users, this.#user !== undefined, signal);
    const hasColumns = this.#columnsAfter !== undefined && !this.#isEverybody(); // everybody's come at the end
    const columns = hasColumns ? await compareColumns(primary, users) : { users: [], wrong: [] };
    const counts = {
      ...withTruth(indexes.counts, answers.truth),
      ...answers.counts,
      columns: { users: columns.users.length, wrong: columns.wrong.length },
      odd_rows: answers.oddRows,
      failed: 0,
    };
    const { drifted } = indexes;
    return { counts, found: { drifted, answers: answers.wrong, columns: columns.wrong, pairs: answers.truth.wrong } };
  }

  /** The columns of all users, including those without contacts. They are the site's own, so repair leaves them alone. */
  async #checkNextColumns(): Promise<VerifyCounts | undefined> {
    if (!this.#isEverybody() || this.#columnsAfter === undefined) return undefined;
    const { primary } = this.#stores;
    const users = await readUsers(primary, this.#columnsAfter, COLUMNS_PAGE);
    const compared = await compareColumns(primary, users);
    this.#columnsAfter = users.length < COLUMNS_PAGE ? undefined : users.at(-1);
    this.#examples.add({ columns: compared.wrong });
    const page = { ...NOTHING, columns: { users: compared.users.length, wrong: compared.wrong.length } };
    this.#counts = addCounts(this.#counts, page);
    return page;
  }

  #isEverybody(): boolean {
    const { from, to, sample } = this.#parameters;
    return this.#user === undefined && from === undefined && to === undefined && sample === undefined;
  }
}

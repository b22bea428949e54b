import type { Id } from '../contracts/id.ts';
import { EpochSuspended } from '../index/rebuild.ts';
import type { Database } from '../mysql/database.ts';
import type { Fence } from '../mysql/leases.ts';
import { readEpochState } from '../mysql/losses.ts';
import { createRun, findRun, type RunKind, type RunState, saveRun } from '../mysql/runs.ts';
import { addCounts, type Counts } from './counts.ts';
import { Examples, type FoundWrong, type ShownExamples } from './examples.ts';
import { type FailedUser, FailedUsers } from './failed-users.ts';
import { type Cost, CostMeter, type CostSources, type Job, type JobProgress, ProgressMeter } from './job.ts';
import { RateLimiter } from './rate-limiter.ts';
import { InvalidJob, parseRunParameters, type RunParameters, type RunRequest } from './run-parameters.ts';
import { createUserPages, type IndexedUsers, PAGE_SIZE, type UserPages } from './user-pages.ts';

export interface PagedRunStores extends CostSources {
  readonly primary: Database;
  /** The run is made under this fence: a stale holder's writes are refused. */
  readonly fence: Fence;
  /** ms since 1970 UTC. */
  readonly clock: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Maximum users in a page (PAGE_SIZE). */
  readonly pageSize?: number;
}

/** What a run saves in MySQL: what it found, what it did, and the cost. */
export type RunReport = {
  readonly before: Counts & { readonly users: number };
  readonly after: Counts & { readonly failed: number };
  readonly cost: Cost;
};

/** What a run does with the users of a page. */
export interface PageWork<R extends RunReport, E extends object = object> {
  readonly kind: RunKind;
  /** The report of a run that has done nothing. */
  readonly empty: R;
  /** Given: after all users with relationships, the run also covers indexes whose user has none. */
  readonly indexedUsers?: IndexedUsers | undefined;
  /** Processes some users of a page. The same users may come again, until the page is saved. */
  process(users: readonly Id[], parameters: RunParameters, signal?: AbortSignal): Promise<ProcessedUsers<R>>;
  /** The examples that the result shows. */
  examples(shown: ShownExamples): E;
}

export interface ProcessedUsers<R extends RunReport> {
  readonly before: R['before'];
  readonly after: R['after'];
  /** Examples for the result; they are kept once the page is saved. */
  readonly found?: Partial<FoundWrong>;
}

/** What a run's `--json` prints, apart from examples. */
export type RunResult<R extends RunReport> = R['before'] &
  R['after'] &
  Cost & {
    readonly run: Id;
    readonly dry_run: boolean;
    /** The first 100 of this part of the run. */
    readonly failed_users: readonly FailedUser[];
  };

interface Started<R extends RunReport> {
  readonly id: Id;
  readonly parameters: RunParameters;
  readonly pages: UserPages;
  readonly rateLimiter: RateLimiter;
  readonly meter: ProgressMeter;
  readonly costs: CostMeter;
  /** The last user of the last saved page; '0': none. */
  cursor: Id | '0';
  /** The sum of all saved pages, of all parts of the run. */
  report: R;
}

type SavedRun<R extends RunReport> = { id: Id; parameters: unknown; cursor: Id | '0'; report: R };

/** A resumable job: goes through users by id, page by page, and saves its cursor and report in MySQL after each page. */
export class PagedRun<R extends RunReport, E extends object = object> implements Job {
  readonly #stores: PagedRunStores;
  readonly #work: PageWork<R, E>;
  readonly #request: RunParameters | { readonly resume: Id; readonly rate?: number | undefined };
  readonly #failed: FailedUsers;
  readonly #examples = new Examples();
  #started: Started<R> | undefined;

  /** @throws InvalidJob */
  constructor(stores: PagedRunStores, work: PageWork<R, E>, request: RunRequest) {
    this.#stores = stores;
    this.#work = work;
    this.#failed = new FailedUsers(stores.primary);
    const { resume, ...input } = request;
    this.#request = resume === undefined ? parseRunParameters(input) : { resume, rate: input.rate };
  }

  /** @throws InvalidJob, EpochSuspended, StaleFence, DatabaseUnavailable */
  async start(): Promise<void> {
    const { primary, random, now, pageSize = PAGE_SIZE } = this.#stores;
    const { indexedUsers } = this.#work;
    await this.#refuseWhileSuspended();
    const saved = 'resume' in this.#request ? await this.#resume(this.#request.resume) : await this.#begin();
    const { rate } = this.#request;
    const parameters = parseRunParameters({ ...(saved.parameters as object), ...(rate !== undefined && { rate }) });
    const rateLimiter = new RateLimiter(parameters.rate, now);
    const done = { cursor: saved.cursor, users: saved.report.before.users };
    const pageStores = { primary, random, pageSize, rateLimiter, indexedUsers };
    const pages = await createUserPages(pageStores, parameters, done);
    const meter = new ProgressMeter(now);
    this.#started = { ...saved, parameters, pages, rateLimiter, meter, costs: new CostMeter(this.#stores) };
  }

  /** @throws StaleFence, DatabaseUnavailable, RedisUnavailable */
  async runOnce(signal?: AbortSignal): Promise<R | undefined> {
    const run = this.#mustBeStarted();
    const users = await run.pages.next(signal);
    if (users === undefined) {
      await this.#save(run.id, 'done', run.cursor, run.report);
      return undefined;
    }
    await run.rateLimiter.spend(users.length, signal);
    const { page, found } = await this.#process(users, run.parameters, signal);
    const cost = run.costs.unsaved();
    const report = addCounts(run.report, { ...page, cost });
    const { cursor } = run.pages;
    await this.#save(run.id, 'running', cursor, report);
    run.cursor = cursor;
    run.report = report; // not before it is saved: after an error the same page comes again
    run.costs.saved(cost);
    for (const some of found) this.#examples.add(some);
    run.pages.done();
    run.meter.add(users.length);
    return page;
  }

  progress(): JobProgress {
    const { id, report, pages, meter } = this.#mustBeStarted();
    const done = report.before.users;
    return meter.progress(id, done, pages.total(done));
  }

  /** Is there a run that can be resumed? */
  get isStarted(): boolean {
    return this.#started !== undefined;
  }

  get id(): Id {
    return this.#mustBeStarted().id;
  }

  /** The sum of all saved pages, of all parts of the run. */
  get report(): R {
    return this.#mustBeStarted().report;
  }

  /** The report, with examples and failed users of this part of the run. */
  get result(): RunResult<R> & E {
    const { id, parameters, report } = this.#mustBeStarted();
    const { before, after, cost }: RunReport = report;
    const result = {
      run: id,
      dry_run: parameters.dryRun,
      ...before,
      ...after,
      rows_read: cost.rows_read,
      seconds: Math.round(cost.seconds * 1000) / 1000,
      ...this.#work.examples(this.#examples.shown()),
      failed_users: this.#failed.named,
    };
    return result as RunResult<R> & E;
  }

  /** Checked before a run is saved or resumed that could do nothing. A dry run builds nothing, so it may run. */
  async #refuseWhileSuspended(): Promise<void> {
    const { primary } = this.#stores;
    const { suspended, epoch } = await readEpochState(primary);
    if (!suspended) return;
    const request = this.#request;
    const requested = 'resume' in request ? (await findRun(primary, request.resume))?.parameters : request;
    if (requested === undefined) return; // the run to resume does not exist: that is reported instead
    if (!parseRunParameters(requested).dryRun) throw new EpochSuspended(epoch.why);
  }

  /** One user's bad row or too many contacts stop nobody else: such users are counted as failed. */
  async #process(users: readonly Id[], parameters: RunParameters, signal?: AbortSignal) {
    const { empty } = this.#work;
    const process = (some: readonly Id[]) => this.#work.process(some, parameters, signal);
    const { done, failures } = await this.#failed.workOn(users, process, signal);
    const failed = failures.length;
    const page = done.reduce<R>((all, { before, after }) => addCounts(all, { ...empty, before, after }), {
      ...empty,
      before: { ...empty.before, users: failed },
      after: { ...empty.after, failed },
    });
    return { page, found: done.map((part) => part.found ?? {}) };
  }

  async #begin(): Promise<SavedRun<R>> {
    const { primary, fence, clock } = this.#stores;
    const { kind, empty } = this.#work;
    const parameters = this.#request;
    const id = await createRun(primary, fence, { kind, parameters, counts: empty }, clock());
    return { id, parameters, cursor: '0', report: empty };
  }

  async #resume(id: Id): Promise<SavedRun<R>> {
    const { kind } = this.#work;
    const run = await findRun(this.#stores.primary, id);
    if (run === undefined) throw new InvalidJob(`there is no run ${id} to resume`);
    if (run.kind !== kind) throw new InvalidJob(`run ${id} is a ${run.kind}: resume it by \`recency ${run.kind}\``);
    if (run.state === 'done') throw new InvalidJob(`run ${id} is done: start a new one, without --resume`);
    const report = run.counts as R;
    await this.#save(id, 'running', run.cursor, report);
    return { id, parameters: run.parameters, cursor: run.cursor, report };
  }

  /** @throws StaleFence, DatabaseUnavailable */
  async #save(id: Id, state: RunState, cursor: Id | '0', counts: R): Promise<void> {
    const { primary, fence, clock } = this.#stores;
    await saveRun(primary, fence, { id, state, cursor, counts }, clock());
  }

  #mustBeStarted(): Started<R> {
    if (this.#started === undefined) throw new Error('a run must be started first');
    return this.#started;
  }
}

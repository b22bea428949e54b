import type { Id } from '../contracts/id.ts';
import { EpochSuspended } from '../index/rebuild.ts';
import { readEpochState } from '../mysql/losses.ts';
import { findRun, type RunKind } from '../mysql/runs.ts';
import { Costs } from './costs.ts';
import { type FailedUser, FailedUsers } from './failed-users.ts';
import type { Job } from './job.ts';
import { openPages } from './open-pages.ts';
import { Pace } from './pace.ts';
import { type Progress, ProgressMeter } from './progress.ts';
import { RecordedRun, type RunRecords, type RunReport } from './recorded-run.ts';
import { parseRunParameters, type RunParameters, type RunParametersInput } from './run-parameters.ts';
import type { IndexedUsers } from './stray-pages.ts';
import { sum } from './tally.ts';
import { PAGE_SIZE, type UserPages } from './user-pages.ts';

export interface PagedRunStores extends RunRecords {
  /** Rows that this job's questions to MySQL have read so far. */
  readonly rowsRead: () => number;
  /** ms, monotonic. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Users in a page at the most (PAGE_SIZE). */
  readonly pageSize?: number;
}

/** A new run, or one to go on with (of which only the rate can be given anew). */
export type RunRequest =
  | (RunParametersInput & { readonly resume?: undefined })
  | { readonly resume: Id; readonly rate?: number | undefined };

export interface PagedRunOptions<R extends RunReport> {
  readonly kind: RunKind;
  readonly empty: R;
  /** Does some users of a page; they may come again. The cost is added here. */
  readonly work: (users: readonly Id[], parameters: RunParameters, signal?: AbortSignal) => Promise<WorkedOn<R>>;
  /** Those who have an index: then those of them who own no relationship are looked at as well, at the end. */
  readonly indexedUsers?: IndexedUsers | undefined;
  /** How many users a report counts. */
  readonly usersIn: (report: R) => number;
  /** Counts users with whom nothing could be done. */
  readonly failed: (users: number) => R;
}

/** What the work on some users of a page came to. */
export interface WorkedOn<R extends RunReport> {
  readonly report: R;
  /** Called once their page is recorded, after which they do not come again. */
  readonly onRecorded?: () => void;
}

interface Opened<R extends RunReport> {
  readonly run: RecordedRun<R>;
  readonly parameters: RunParameters;
  readonly pages: UserPages;
  readonly pace: Pace;
  readonly meter: ProgressMeter;
  readonly costs: Costs;
}

/** Pages through users in the order of their ids; after each page the cursor and the report are saved. */
export class PagedRun<R extends RunReport> implements Job {
  readonly #stores: PagedRunStores;
  readonly #options: PagedRunOptions<R>;
  readonly #request: RunParameters | { readonly resume: Id; readonly rate?: number | undefined };
  readonly #failed: FailedUsers;
  #opened: Opened<R> | undefined;

  /** @throws InvalidJob */
  constructor(stores: PagedRunStores, options: PagedRunOptions<R>, request: RunRequest) {
    this.#stores = stores;
    this.#options = options;
    this.#failed = new FailedUsers(stores.primary);
    const { resume, ...input } = request;
    this.#request = resume === undefined ? parseRunParameters(input) : { resume, rate: input.rate };
  }

  /** @throws InvalidJob, EpochSuspended, StaleFence, DatabaseUnavailable */
  async start(): Promise<void> {
    const { primary, random, now, pageSize = PAGE_SIZE } = this.#stores;
    await this.#refuseWhileSuspended();
    const run = await this.#open();
    const { rate } = this.#request;
    const parameters = parseRunParameters({ ...(run.parameters as object), ...(rate === undefined ? {} : { rate }) });
    const done = { cursor: run.cursor, users: this.#options.usersIn(run.report) };
    const pace = new Pace(parameters.rate, now);
    const { indexedUsers } = this.#options;
    const pages = await openPages({ primary, random, pageSize, pace, indexedUsers }, parameters, done);
    const costs = new Costs(this.#stores);
    this.#opened = { run, parameters, pages, pace, meter: new ProgressMeter(now), costs };
  }

  /** @throws StaleFence, DatabaseUnavailable, RedisUnavailable */
  async runOnce(signal?: AbortSignal): Promise<R | undefined> {
    const { run, parameters, pages, pace, meter, costs } = this.#mustBeOpen();
    const users = await pages.next(signal);
    if (users === undefined) {
      await run.finish();
      return undefined;
    }
    await pace.spend(users.length, signal);
    const { page, parts } = await this.#work(users, parameters, signal);
    const cost = costs.soFar();
    await run.add(pages.cursor, { ...page, cost });
    for (const { onRecorded } of parts) onRecorded?.();
    costs.count(cost);
    pages.done();
    meter.add(users.length);
    return page;
  }

  progress(): Progress {
    const { run, pages, meter } = this.#mustBeOpen();
    const done = this.#options.usersIn(run.report);
    return meter.progress(run.id, done, pages.total(done));
  }

  /** Has it a run, which can be resumed? Before `start` it has none. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get id(): Id {
    return this.#mustBeOpen().run.id;
  }

  get parameters(): RunParameters {
    return this.#mustBeOpen().parameters;
  }

  /** Of all parts of the run. */
  get report(): R {
    return this.#mustBeOpen().run.report;
  }

  /** Before a run is recorded, or goes on, that could do nothing. A dry run builds nothing. */
  async #refuseWhileSuspended(): Promise<void> {
    const { primary } = this.#stores;
    const { suspended, epoch } = await readEpochState(primary);
    if (!suspended) return;
    const request = this.#request;
    const recorded = 'resume' in request ? (await findRun(primary, request.resume))?.parameters : request;
    if (recorded === undefined) return; // there is no such run: it is refused for that
    if (!parseRunParameters(recorded as RunParametersInput).dryRun) throw new EpochSuspended(epoch.why);
  }

  /** The users of this part of the run with whom nothing could be done; the first of them, by name. */
  get failedUsers(): readonly FailedUser[] {
    return this.#failed.named;
  }

  /** What one user's row or number of contacts keeps from being done is counted, and keeps nobody else from it. */
  async #work(users: readonly Id[], parameters: RunParameters, signal?: AbortSignal) {
    const { work, failed: count, empty } = this.#options;
    const { done, failed } = await this.#failed.workOn(users, (some) => work(some, parameters, signal), signal);
    const reports = [...done.map(({ report }) => report), ...(failed > 0 ? [count(failed)] : [])];
    return { page: reports.reduce((all, part) => sum(all, part), empty), parts: done };
  }

  #open(): Promise<RecordedRun<R>> {
    const { kind, empty } = this.#options;
    const request = this.#request;
    if ('resume' in request) return RecordedRun.resume(this.#stores, kind, request.resume);
    return RecordedRun.begin(this.#stores, kind, request, empty);
  }

  #mustBeOpen(): Opened<R> {
    if (this.#opened === undefined) throw new Error('a run must be started first');
    return this.#opened;
  }
}

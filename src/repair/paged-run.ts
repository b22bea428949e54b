import type { Id } from '../contracts/id.ts';
import { CONTACTS } from '../contracts/kind.ts';
import { EpochSuspended } from '../index/rebuild.ts';
import type { Database } from '../mysql/database.ts';
import type { Fence } from '../mysql/leases.ts';
import { readEpochState } from '../mysql/losses.ts';
import { createRun, findRun, type RunState, saveRun } from '../mysql/runs.ts';
import { RateLimiter } from '../timing/limiter.ts';
import { addCounts } from './counts.ts';
import { Examples } from './examples.ts';
import { FailedUsers } from './failed-users.ts';
import { CostMeter, type CostSources, type Job, type JobProgress } from './job.ts';
import { RunLedger, type SavedReport } from './run-ledger.ts';
import {
  chosenKinds,
  InvalidJob,
  isContactsAlone,
  parseRunParameters,
  type RunParameters,
  type RunRequest,
  UnknownRun,
} from './run-parameters.ts';
import type { PageWork, RunReport, RunResult, RunWork } from './run-work.ts';
import { createUserPages, estimateUsers, PAGE_SIZE, type UserPages } from './user-pages.ts';

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

interface Started<R extends RunReport> {
  readonly id: Id;
  readonly parameters: RunParameters;
  readonly rateLimiter: RateLimiter;
  readonly costs: CostMeter;
  /** The kind that is being done. */
  work: PageWork<R>;
  pages: UserPages;
  /** Estimated number of users of the kinds that come after it. */
  usersLater: number;
  /** The last user of the last saved page of this kind; '0': none. */
  cursor: Id | '0';
  /** Of all saved pages, of all parts of the run. */
  ledger: RunLedger<R>;
}

interface SavedRun<R extends RunReport> {
  readonly id: Id;
  readonly parameters: RunParameters;
  readonly cursor: Id | '0';
  readonly ledger: RunLedger<R>;
}

/**
 * A resumable job: goes through users by id, page by page, for one kind after the other, and saves its cursor and report in
 * MySQL after each page.
 */
export class PagedRun<R extends RunReport, E extends object = object> implements Job {
  readonly #stores: PagedRunStores;
  readonly #work: RunWork<R, E>;
  readonly #request: RunParameters | { readonly resume: Id; readonly rate?: number | undefined };
  readonly #failed: FailedUsers;
  readonly #examples = new Examples();
  #started: Started<R> | undefined;

  /** @throws InvalidJob */
  constructor(stores: PagedRunStores, work: RunWork<R, E>, request: RunRequest) {
    this.#stores = stores;
    this.#work = work;
    this.#failed = new FailedUsers(stores.primary, work.kinds);
    const { resume, ...input } = request;
    this.#request = resume === undefined ? parseRunParameters(input) : { resume, rate: input.rate };
  }

  /** @throws InvalidJob, EpochSuspended, StaleFence, DatabaseUnavailable */
  async start(): Promise<void> {
    await this.#refuseWhileSuspended();
    const saved = 'resume' in this.#request ? await this.#resume(this.#request.resume) : await this.#begin();
    const { rate } = this.#request;
    const parameters = { ...saved.parameters, ...(rate !== undefined && { rate }) };
    const rateLimiter = new RateLimiter(parameters.rate, this.#stores.now);
    const costs = new CostMeter(this.#stores);
    const opened = await this.#open(saved.ledger, saved.cursor, { parameters, rateLimiter });
    this.#started = { ...saved, ...opened, parameters, rateLimiter, costs };
  }

  /** @throws StaleFence, DatabaseUnavailable, RedisUnavailable */
  async runOnce(signal?: AbortSignal): Promise<R | undefined> {
    const run = this.#mustBeStarted();
    const users = await this.#nextUsers(run, signal);
    if (users === undefined) {
      await this.#save(run.id, 'done', run.cursor, run.ledger);
      return undefined;
    }
    await run.rateLimiter.spend(users.length, signal);
    const { page, found } = await this.#process(run.work, users, run.parameters, signal);
    const cost = run.costs.unsaved();
    const ledger = run.ledger.with({ ...page, cost });
    const { cursor } = run.pages;
    await this.#save(run.id, 'running', cursor, ledger);
    run.cursor = cursor;
    run.ledger = ledger; // not before it is saved: after an error the same page comes again
    run.costs.saved(cost);
    for (const some of found) this.#examples.add(some, this.#tag(run));
    run.pages.done();
    return page;
  }

  progress(): JobProgress {
    const { id, ledger, pages, usersLater } = this.#mustBeStarted();
    const done = ledger.report.before.users;
    const here = ledger.of(ledger.at).before.users;
    return { run: id, done, total: done - here + pages.total(here) + usersLater };
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
    return this.#mustBeStarted().ledger.report;
  }

  /** The report, with examples and failed users of this part of the run. */
  get result(): RunResult<R> & E {
    const { id, parameters, ledger } = this.#mustBeStarted();
    const { before, after, cost }: RunReport = ledger.report;
    const result = {
      run: id,
      dry_run: parameters.dryRun,
      ...before,
      ...after,
      rows_read: cost.rows_read,
      seconds: Math.round(cost.seconds * 1000) / 1000,
      ...(ledger.byKind && { kinds: ledger.byKind }),
      ...this.#work.examples(this.#examples.shown()),
      failed_users: this.#failed.named,
    };
    return result as RunResult<R> & E;
  }

  /** The next page; when none is left of this kind, the first of the next one. */
  async #nextUsers(run: Started<R>, signal?: AbortSignal): Promise<readonly Id[] | undefined> {
    for (;;) {
      const users = await run.pages.next(signal);
      const ledger = users === undefined ? run.ledger.next() : undefined;
      if (ledger === undefined) return users;
      const opened = await this.#open(ledger, '0', run);
      await this.#save(run.id, 'running', '0', ledger);
      Object.assign(run, opened, { cursor: '0', ledger } satisfies Partial<Started<R>>);
    }
  }

  /** What is needed to go on with the kind where the ledger is. */
  async #open(
    ledger: RunLedger<R>,
    cursor: Id | '0',
    { parameters, rateLimiter }: Pick<Started<R>, 'parameters' | 'rateLimiter'>,
  ): Promise<Pick<Started<R>, 'work' | 'pages' | 'usersLater'>> {
    const { random, pageSize = PAGE_SIZE } = this.#stores;
    const [work] = chosenKinds(this.#work.kinds, [ledger.at]);
    if (work === undefined) throw new Error('a run is about at least one kind');
    const { primary, indexedUsers } = work;
    const done = { cursor, users: ledger.of(ledger.at).before.users };
    const pages = await createUserPages({ primary, random, pageSize, rateLimiter, indexedUsers }, parameters, done);
    const later = chosenKinds(this.#work.kinds, ledger.kindsLeft);
    const estimates = await Promise.all(later.map((kind) => estimateUsers(kind.primary, parameters)));
    return { work, pages, usersLater: estimates.reduce((sum, users) => sum + users, 0) };
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
  async #process(work: PageWork<R>, users: readonly Id[], parameters: RunParameters, signal?: AbortSignal) {
    const { empty } = this.#work;
    const process = (some: readonly Id[]) => work.process(some, parameters, signal);
    const { done, failures } = await this.#failed.workOn(users, process, { signal, kind: this.#tag() });
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
    const { job, kinds, empty } = this.#work;
    const input = this.#request as RunParameters;
    const names = chosenKinds(kinds, input.kinds).map(({ kind }) => kind.name);
    const { kinds: _, ...of } = input;
    const parameters = isContactsAlone(names) ? of : { ...of, kinds: names };
    const ledger = RunLedger.begin(names, empty);
    const id = await createRun(primary, fence, { kind: job, parameters, counts: ledger.saved }, clock());
    return { id, parameters, cursor: '0', ledger };
  }

  async #resume(id: Id): Promise<SavedRun<R>> {
    const { job, kinds, empty } = this.#work;
    const run = await findRun(this.#stores.primary, id);
    if (run === undefined) throw new UnknownRun(`There is no run ${id}. \`recency runs\` lists them.`);
    if (run.kind !== job) throw new InvalidJob(`run ${id} is a ${run.kind}: resume it by \`recency ${run.kind}\``);
    if (run.state === 'done') throw new InvalidJob(`run ${id} is done: start a new one, without --resume`);
    const parameters = parseRunParameters(run.parameters);
    const names = parameters.kinds ?? [CONTACTS.name];
    chosenKinds(kinds, names); // all of them are still in use
    const ledger = RunLedger.resume(names, run.counts as SavedReport<R>, empty);
    await this.#save(id, 'running', run.cursor, ledger);
    return { id, parameters, cursor: run.cursor, ledger };
  }

  /** @throws StaleFence, DatabaseUnavailable */
  async #save(id: Id, state: RunState, cursor: Id | '0', { saved: counts }: RunLedger<R>): Promise<void> {
    const { primary, fence, clock } = this.#stores;
    await saveRun(primary, fence, { id, state, cursor, counts }, clock());
  }

  /** What examples and failed users are marked with: nothing where there are contacts alone. */
  #tag({ ledger }: Pick<Started<R>, 'ledger'> = this.#mustBeStarted()): string | undefined {
    return isContactsAlone(ledger.names) ? undefined : ledger.at;
  }

  #mustBeStarted(): Started<R> {
    if (this.#started === undefined) throw new Error('a run must be started first');
    return this.#started;
  }
}

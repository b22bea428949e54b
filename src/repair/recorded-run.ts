import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import type { Fence } from '../mysql/leases.ts';
import { createRun, findRun, type RunKind, saveRun } from '../mysql/runs.ts';
import { InvalidJob } from './invalid-job.ts';
import { sum, type Tally } from './tally.ts';

/** What a run keeps in MySQL: what was found, what was made of it, and what that cost. */
export type RunReport = Tally & {
  readonly before: Tally;
  readonly after: Tally;
  readonly cost: { readonly rows_read: number; readonly seconds: number };
};

export interface RunRecords {
  readonly primary: Database;
  /** Under which the run is made: a stale holder's writes are refused. */
  readonly fence: Fence;
  /** ms since 1970 UTC. */
  readonly clock: () => number;
}

/** One run's row in MySQL: its parameters, its cursor and its report. */
export class RecordedRun<R extends RunReport> {
  readonly id: Id;
  readonly parameters: unknown;
  readonly #records: RunRecords;
  #cursor: Id | '0';
  #report: R;

  private constructor(records: RunRecords, id: Id, parameters: unknown, cursor: Id | '0', report: R) {
    this.id = id;
    this.parameters = parameters;
    this.#records = records;
    this.#cursor = cursor;
    this.#report = report;
  }

  /** @throws StaleFence, DatabaseUnavailable */
  static async begin<R extends RunReport>(
    records: RunRecords,
    kind: RunKind,
    parameters: unknown,
    empty: R,
  ): Promise<RecordedRun<R>> {
    const run = { kind, parameters, counts: empty };
    const id = await createRun(records.primary, records.fence, run, records.clock());
    return new RecordedRun(records, id, parameters, '0', empty);
  }

  /** Goes on with a run that was stopped or killed. @throws InvalidJob, StaleFence, DatabaseUnavailable */
  static async resume<R extends RunReport>(records: RunRecords, kind: RunKind, id: Id): Promise<RecordedRun<R>> {
    const run = await findRun(records.primary, id);
    if (run === undefined) throw new InvalidJob(`there is no run ${id} to resume`);
    if (run.kind !== kind) throw new InvalidJob(`run ${id} is a ${run.kind}: resume it by \`recency ${run.kind}\``);
    if (run.state === 'done') throw new InvalidJob(`run ${id} is done: start a new one, without --resume`);
    const resumed = new RecordedRun(records, id, run.parameters, run.cursor, run.counts as R);
    await resumed.#save('running', run.cursor, resumed.#report);
    return resumed;
  }

  /** The last user of the last page that is done; '0': none is. */
  get cursor(): Id | '0' {
    return this.#cursor;
  }

  /** The sum of all pages that are done. */
  get report(): R {
    return this.#report;
  }

  /** A page is done. Nothing is counted unless it was written. @throws StaleFence, DatabaseUnavailable */
  async add(cursor: Id | '0', page: R): Promise<void> {
    const report = sum(this.#report, page);
    await this.#save('running', cursor, report);
    this.#cursor = cursor;
    this.#report = report;
  }

  /** @throws StaleFence, DatabaseUnavailable */
  async finish(): Promise<void> {
    await this.#save('done', this.#cursor, this.#report);
  }

  async #save(state: 'running' | 'done', cursor: Id | '0', counts: R): Promise<void> {
    const { primary, fence, clock } = this.#records;
    await saveRun(primary, fence, { id: this.id, state, cursor, counts }, clock());
  }
}

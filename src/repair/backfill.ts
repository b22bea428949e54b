import type { Id } from '../contracts/id.ts';
import { run, type Steps } from '../index/protocol.ts';
import { EpochSuspended, rebuild } from '../index/rebuild.ts';
import { Chunks } from './chunks.ts';
import { PagedRun, type PagedRunStores, type RunRequest } from './paged-run.ts';
import { sum } from './tally.ts';

export interface BackfillStores extends PagedRunStores {
  readonly steps: Steps;
}

/** A type, not an interface: it is kept as a tally. */
export type BackfillReport = {
  readonly before: { readonly users: number };
  readonly after: {
    readonly rebuilt: number;
    /** Lost every race; put into the delay queue. */
    readonly unsettled: number;
    /** A key of the wrong type is in the way. */
    readonly obstructed: number;
  };
  readonly cost: { readonly rows_read: number; readonly seconds: number };
};

/** What `backfill --json` prints. */
export type BackfillResult = BackfillReport['before'] &
  BackfillReport['after'] &
  BackfillReport['cost'] & { readonly run: Id; readonly dry_run: boolean };

const NOTHING_BUILT = { rebuilt: 0, unsettled: 0, obstructed: 0 };
const FREE = { rows_read: 0, seconds: 0 };

/** Builds the indexes of users page by page; a dry run only counts them. */
export class Backfill extends PagedRun<BackfillReport> {
  /** @throws InvalidJob */
  constructor(stores: BackfillStores, request: RunRequest) {
    const chunks = new Chunks(stores.now);
    const work = async (users: readonly Id[], { dryRun }: { dryRun: boolean }, signal?: AbortSignal) => {
      const built = dryRun ? [] : await chunks.each(users, (some) => build(some, stores.steps), signal);
      return { before: { users: users.length }, after: built.reduce(sum, NOTHING_BUILT), cost: FREE };
    };
    const empty = { before: { users: 0 }, after: NOTHING_BUILT, cost: FREE };
    super(stores, { kind: 'backfill', empty, work, usersIn: ({ before }) => before.users }, request);
  }

  /** Of all parts of the run. */
  get result(): BackfillResult {
    const { before, after, cost } = this.report;
    const seconds = Math.round(cost.seconds * 1000) / 1000;
    return { run: this.id, dry_run: this.parameters.dryRun, ...before, ...after, rows_read: cost.rows_read, seconds };
  }
}

async function build(users: readonly Id[], steps: Steps): Promise<BackfillReport['after']> {
  const { rebuilt, unsettled, obstructed, suspended } = await run(rebuild(users), steps);
  if (suspended.length > 0) throw new EpochSuspended();
  if (unsettled.length > 0) await steps.defer({ pairs: [], rebuilds: unsettled });
  return { rebuilt: rebuilt.length, unsettled: unsettled.length, obstructed: obstructed.length };
}

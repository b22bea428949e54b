import type { Id } from '../contracts/id.ts';
import { run, type Steps } from '../index/protocol.ts';
import { EpochSuspended, rebuild } from '../index/rebuild.ts';
import { Chunks } from './chunks.ts';
import { ContactsTooMany, type FailedUser } from './failed-users.ts';
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
    /** Cannot be built: what they are by name says why. */
    readonly failed: number;
  };
  readonly cost: { readonly rows_read: number; readonly seconds: number };
};

/** What `backfill --json` prints. */
export type BackfillResult = BackfillReport['before'] &
  BackfillReport['after'] &
  BackfillReport['cost'] & {
    readonly run: Id;
    readonly dry_run: boolean;
    /** Of this part of the run; the first 100. */
    readonly failed_users: readonly FailedUser[];
  };

const NOTHING_BUILT = { rebuilt: 0, unsettled: 0, obstructed: 0, failed: 0 };
const FREE = { rows_read: 0, seconds: 0 };

/** Builds the indexes of users page by page; a dry run only counts them. */
export class Backfill extends PagedRun<BackfillReport> {
  /** @throws InvalidJob */
  constructor(stores: BackfillStores, request: RunRequest) {
    const chunks = new Chunks(stores.now);
    const work = async (users: readonly Id[], { dryRun }: { dryRun: boolean }, signal?: AbortSignal) => {
      const built = dryRun ? [] : await chunks.each(users, (some) => build(some, stores.steps), signal);
      return { report: { before: { users: users.length }, after: built.reduce(sum, NOTHING_BUILT), cost: FREE } };
    };
    const empty = { before: { users: 0 }, after: NOTHING_BUILT, cost: FREE };
    const failed = (users: number) => ({ before: { users }, after: { ...NOTHING_BUILT, failed: users }, cost: FREE });
    super(stores, { kind: 'backfill', empty, work, usersIn: ({ before }) => before.users, failed }, request);
  }

  /** Of all parts of the run. */
  get result(): BackfillResult {
    const { before, after, cost } = this.report;
    const seconds = Math.round(cost.seconds * 1000) / 1000;
    const { id: run, failedUsers: failed_users } = this;
    const { dryRun: dry_run } = this.parameters;
    return { run, dry_run, ...before, ...after, rows_read: cost.rows_read, seconds, failed_users };
  }
}

async function build(users: readonly Id[], steps: Steps): Promise<BackfillReport['after']> {
  const { rebuilt, unsettled, obstructed, slow, suspended } = await run(rebuild(users, true), steps);
  if (suspended.length > 0) throw new EpochSuspended();
  if (slow.length > 0) throw new ContactsTooMany(slow[0]);
  if (unsettled.length > 0) await steps.defer({ pairs: [], rebuilds: unsettled });
  return { ...NOTHING_BUILT, rebuilt: rebuilt.length, unsettled: unsettled.length, obstructed: obstructed.length };
}

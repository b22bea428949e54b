import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import { run, type Steps } from '../index/protocol.ts';
import { EpochSuspended, rebuild } from '../index/rebuild.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { TimedBatches } from './adaptive-batches.ts';
import { addCounts } from './counts.ts';
import { ContactsTooMany } from './failed-users.ts';
import type { Cost } from './job.ts';
import { PagedRun, type PagedRunStores } from './paged-run.ts';
import type { KindOf, OfKinds, RunParameters, RunRequest } from './run-parameters.ts';
import type { PageWork, ProcessedUsers, RunResult } from './run-work.ts';

/** What builds the indexes of one kind. */
export interface BackfillParts {
  readonly primary: KindDatabase;
  readonly steps: Steps;
}

export type BackfillStores = PagedRunStores & OfKinds<BackfillParts>;

/** What a run saves. */
type BackfillReport = {
  readonly before: { readonly users: number };
  readonly after: {
    readonly rebuilt: number;
    /** Have too few contacts for an index (RECENCY_INDEX_ABOVE), so that none is kept. */
    readonly small: number;
    /** Lost every race; put into the delay queue. */
    readonly unsettled: number;
    /** Blocked by a key of the wrong type. */
    readonly obstructed: number;
    /** Cannot be built; `failed_users` says why. */
    readonly failed: number;
  };
  readonly cost: Cost;
};

/** What `backfill --json` prints. */
export type BackfillResult = RunResult<BackfillReport>;

const NOTHING_BUILT = { rebuilt: 0, small: 0, unsettled: 0, obstructed: 0, failed: 0 };

/** Builds the indexes of users page by page. A dry run only counts the users. @throws InvalidJob */
export function createBackfill(stores: BackfillStores, request: RunRequest): PagedRun<BackfillReport> {
  const work = {
    job: 'backfill',
    empty: { before: { users: 0 }, after: NOTHING_BUILT, cost: { rows_read: 0, seconds: 0 } },
    kinds: stores.kinds.map((parts) => new BackfillWork(parts, stores.now)),
    examples: () => ({}),
  } as const;
  return new PagedRun(stores, work, request);
}

class BackfillWork implements PageWork<BackfillReport> {
  readonly kind: Kind;
  readonly primary: KindDatabase;
  readonly #steps: Steps;
  readonly #batches: TimedBatches;

  constructor({ kind, primary, steps }: KindOf<BackfillParts>, now: () => number) {
    this.kind = kind;
    this.primary = primary;
    this.#steps = steps;
    this.#batches = new TimedBatches(now);
  }

  async process(
    users: readonly Id[],
    { dryRun }: RunParameters,
    signal?: AbortSignal,
  ): Promise<ProcessedUsers<BackfillReport>> {
    const built = dryRun ? [] : await this.#batches.each(users, (some) => this.#build(some), signal);
    return { before: { users: users.length }, after: built.reduce(addCounts, NOTHING_BUILT) };
  }

  async #build(users: readonly Id[]): Promise<BackfillReport['after']> {
    const { rebuilt, small, unsettled, obstructed, slow, suspended } = await run(rebuild(users, true), this.#steps);
    if (suspended.length > 0) throw new EpochSuspended();
    if (slow.length > 0) throw new ContactsTooMany(slow[0]);
    if (unsettled.length > 0) await this.#steps.defer({ pairs: [], rebuilds: unsettled });
    return {
      ...NOTHING_BUILT,
      ...{ rebuilt: rebuilt.length, small: small.length },
      ...{ unsettled: unsettled.length, obstructed: obstructed.length },
    };
  }
}

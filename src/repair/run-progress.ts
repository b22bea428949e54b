import { z } from 'zod';
import { DRIFT_CLASSES } from '../contracts/drift.ts';
import { CONTACTS } from '../contracts/kind.ts';
import type { Run } from '../mysql/runs.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { parseRunParameters, type RunParameters } from './run-parameters.ts';
import { estimateUsers } from './user-pages.ts';

const count = z.number().nonnegative();
const classes = z.partialRecord(z.enum(DRIFT_CLASSES), count);

/** Of what a run has saved, that which is shown. */
const savedSchema = z.object({
  before: z.object({
    users: count,
    wrong: count.optional(),
    visible: count.optional(),
    unsettled: count.optional(),
    classes: classes.optional(),
    visible_classes: classes.optional(),
  }),
  after: z.record(z.string(), count),
  cost: z.object({ seconds: count }),
});

type SavedCounts = z.output<typeof savedSchema>;

/** A run of backfill or repair, and how far it is. */
export interface RunProgress {
  readonly run: Run;
  readonly parameters: RunParameters;
  readonly counts: SavedCounts;
  /** Users done, and estimated number of users in all. */
  readonly users: { readonly done: number; readonly of: number };
  /** Of the time that was worked; undefined: nothing is saved yet. */
  readonly usersPerSecond: number | undefined;
  /** ms since 1970 UTC, if it goes on like this; undefined: it is done, or nothing is saved yet. */
  readonly endsAt: number | undefined;
  /** It is not done, and nothing has been saved for a minute: probably it was stopped or killed. */
  readonly isStill: boolean;
}

/** A page takes seconds; a user with very many contacts longer, ms. */
const STILL_MS = 60_000;

/**
 * @param kinds those in use
 * @param now ms since 1970 UTC
 * @throws DatabaseUnavailable
 */
export async function runProgress(run: Run, kinds: readonly KindDatabase[], now: number): Promise<RunProgress> {
  const parameters = parseRunParameters(run.parameters);
  const counts = savedSchema.parse(run.counts);
  const { users: done } = counts.before;
  const of = run.state === 'done' ? done : Math.max(done, await usersIn(parameters, kinds));
  const { seconds } = counts.cost;
  const usersPerSecond = seconds > 0 && done > 0 ? done / seconds : undefined;
  const isStill = run.state === 'running' && now - run.updatedAt > STILL_MS;
  const isGoingOn = run.state === 'running' && !isStill && usersPerSecond !== undefined;
  const endsAt = isGoingOn ? run.updatedAt + ((of - done) / usersPerSecond) * 1_000 : undefined;
  return { run, parameters, counts, users: { done, of }, usersPerSecond, endsAt, isStill };
}

async function usersIn(parameters: RunParameters, kinds: readonly KindDatabase[]): Promise<number> {
  const names = parameters.kinds ?? [CONTACTS.name];
  const some = kinds.filter(({ statements }) => names.includes(statements.kind.name));
  const estimates = await Promise.all(some.map((database) => estimateUsers(database, parameters)));
  return estimates.reduce((sum, users) => sum + users, 0);
}

/** A run in JSON, as `recency runs --json` prints it. */
export function runView({ run, parameters, users, usersPerSecond, endsAt, isStill, counts }: RunProgress) {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(Math.round(at)).toISOString());
  return {
    ...{ run: run.id, job: run.kind, state: isStill ? 'still' : run.state, dry_run: parameters.dryRun },
    users,
    users_per_second: usersPerSecond === undefined ? null : Math.round(usersPerSecond),
    ...{ started_at: iso(run.startedAt), updated_at: iso(run.updatedAt), finished_at: iso(run.finishedAt) },
    ends_at: iso(endsAt),
    ...{ found: counts.before, did: counts.after },
  };
}

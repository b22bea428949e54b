import { type JobParts, whileLeaseHolder } from '../../../app/jobs.ts';
import { createBackfill } from '../../../repair/backfill.ts';
import { type Job, runToEnd } from '../../../repair/job.ts';
import { createRepair } from '../../../repair/repair.ts';
import { Verify } from '../../../repair/verify.ts';
import type { Household } from './households.ts';

/** The long jobs that are measured, over one household each time. */
export type JobKind = 'backfill' | 'repair_dry_run' | 'verify';

const nobodyElse = () => undefined;

/** Does the job as the command does. @returns rows that MySQL read for it @throws Error when it left something undone */
export async function doJob(kind: JobKind, parts: JobParts, household: Household): Promise<number> {
  if (kind === 'verify') return await verify(parts, household);
  const { range, users } = household;
  const { steps } = parts.stores;
  return await whileLeaseHolder(parts, kind === 'backfill' ? kind : 'repair', nobodyElse, async (stores, signal) => {
    if (kind === 'backfill') {
      const job = createBackfill({ ...stores, steps }, range);
      await runToEnd(job, { signal });
      return rowsRead(job.result, job.result.rebuilt === users.length);
    }
    const job = createRepair({ ...stores, steps, check: parts.check }, { ...range, dryRun: true });
    await runToEnd(job, { signal });
    return rowsRead(job.result, job.result.warm === users.length && job.result.wrong === 0);
  });
}

/** Which counts no rows. */
async function verify({ stores, check, signal }: JobParts, { range, users }: Household): Promise<number> {
  const { primary } = stores;
  const job: Job & { readonly result: Verify['result'] } = new Verify(
    { primary, check, now: () => performance.now(), random: Math.random },
    range,
  );
  await runToEnd(job, { signal });
  return rowsRead({ ...job.result, rows_read: 0 }, job.result.warm === users.length && job.result.wrong === 0);
}

function rowsRead(result: { readonly rows_read: number }, isDone: boolean): number {
  if (isDone) return result.rows_read;
  throw new Error(`a job left something undone: ${JSON.stringify(result)}`);
}

import { type JobParts, whileLeaseHolder } from '../../../app/jobs.ts';
import { type BackfillResult, createBackfill } from '../../../repair/backfill.ts';
import type { VerifyResult } from '../../../repair/examples.ts';
import { runToEnd } from '../../../repair/job.ts';
import { Verify } from '../../../repair/verify.ts';
import type { ReportProgress } from '../story.ts';

/** Builds the index of every user. @throws Error when one could not be built */
export async function backfillAll(jobs: JobParts, progress: ReportProgress): Promise<BackfillResult> {
  const nobodyElse = () => undefined;
  const result = await whileLeaseHolder(jobs, 'backfill', nobodyElse, async (stores, signal) => {
    const job = createBackfill({ ...stores, kinds: jobs.kinds }, {});
    await runToEnd(job, { signal, onProgress: ({ done, total }) => progress(done, total) });
    return job.result;
  });
  if (result.obstructed === 0) return result;
  throw new Error(`${result.obstructed} users have keys in the way that are not Recency's`);
}

/** Compares every user's index and answers with plain SQL. */
export async function verifyAll(
  { stores: { primary }, kinds, signal }: JobParts,
  progress: ReportProgress,
): Promise<VerifyResult> {
  const now = () => performance.now();
  const verify = new Verify({ primary, kinds, now, random: Math.random }, {});
  await runToEnd(verify, { signal, onProgress: ({ done, total }) => progress(done, total) });
  return verify.result;
}

import type { JobParts } from '../../../app/jobs.ts';
import { runToEnd } from '../../../repair/job.ts';
import { Verify, type VerifyResult } from '../../../repair/verify.ts';
import type { Progress } from '../story/step-progress.ts';

/** Every user's index and answers against plain SQL. */
export async function verifyAll(
  { stores: { primary }, check, indexedUsers, signal }: JobParts,
  progress: Progress,
): Promise<VerifyResult> {
  const now = () => performance.now();
  const verify = new Verify({ primary, check, indexedUsers, now, random: Math.random }, {});
  await runToEnd(verify, { signal, onProgress: ({ done, total }) => progress(done, total) });
  return verify.result;
}

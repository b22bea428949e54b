import { runToEnd } from '../../repair/job.ts';
import { Verify, type VerifyResult } from '../../repair/verify.ts';
import type { JobParts } from '../../start/jobs.ts';
import type { Progress } from '../story/step-progress.ts';

/** Every user's index and answers against plain SQL. */
export async function verifyAll({ stores, check, signal }: JobParts, progress: Progress): Promise<VerifyResult> {
  const { primary } = stores;
  const verify = new Verify({ primary, check, now: () => performance.now(), random: Math.random }, {});
  await runToEnd(verify, { signal, onProgress: ({ done, total }) => progress(done, total) });
  return verify.result;
}

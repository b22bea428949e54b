import type { JobParts } from '../app/jobs.ts';
import type { Id } from '../contracts/id.ts';
import type { RunKind } from '../mysql/runs.ts';
import type { PagedRun, PagedRunStores } from '../repair/paged-run.ts';
import type { Progress } from '../repair/progress.ts';
import type { RunReport } from '../repair/recorded-run.ts';
import { sayResume, showProgress } from './job-command.ts';
import type { Output } from './output.ts';

/**
 * Runs a job whose cursor is kept in MySQL, while holding its lease; others stand by meanwhile. When it ends before its
 * end, it says how to go on.
 */
export async function runRecordedJob<R extends RunReport, T>(
  output: Output,
  kind: RunKind,
  signal: AbortSignal,
  make: (stores: PagedRunStores, parts: JobParts) => PagedRun<R> & { readonly result: T },
): Promise<T> {
  const [{ whileLeaseHolder, withJobParts }, { runToEnd }] = await Promise.all([
    import('../app/jobs.ts'),
    import('../repair/job.ts'),
  ]);
  const onWaiting = () => output.note(`Another process runs a ${kind} now; waiting for it to end.`);
  return await withJobParts(kind, signal, (parts) =>
    whileLeaseHolder(parts, kind, onWaiting, async (stores, whileHeld) => {
      const job = make(stores, parts);
      const shown = showProgress(output);
      let run: Id | undefined;
      const onProgress = (progress: Progress) => {
        run = progress.run;
        shown.onProgress(progress);
      };
      try {
        await runToEnd(job, { signal: whileHeld, onProgress }).finally(shown.stop);
        return job.result;
      } catch (error) {
        sayResume(output, kind, run);
        throw error;
      }
    }),
  );
}

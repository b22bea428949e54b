import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Job, JobResult } from './job.ts';

type Reply = { readonly result: JobResult } | { readonly error: string };

/** With more threads, they only compete for memory. */
const MOST_THREADS = 4;

export const THREADS = Math.min(availableParallelism(), MOST_THREADS);

/**
 * Runs the jobs on several threads, and reports each one when it and all before it are done.
 * @throws the first error of a job; the others are abandoned
 */
export async function doJobs(
  jobs: readonly Job[],
  threads: number,
  onResult: (result: JobResult, place: number) => void,
): Promise<JobResult[]> {
  const results: (JobResult | undefined)[] = jobs.map(() => undefined);
  const waiting = [...jobs.keys()];
  let told = 0;
  const tell = () => {
    for (let result = results[told]; result !== undefined; result = results[told]) onResult(result, told++);
  };
  const workers = Array.from(
    { length: Math.min(threads, jobs.length) },
    () => new Worker(new URL('./job-thread.ts', import.meta.url)),
  );
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
          results[place] = await doOne(worker, jobs[place] as Job);
          tell();
        }
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return results as JobResult[];
}

function doOne(worker: Worker, job: Job): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(error);
    worker.once('error', failed);
    worker.once('message', (reply: Reply) => {
      worker.off('error', failed);
      if ('result' in reply) resolve(reply.result);
      else reject(new Error(`${JSON.stringify(job)}: ${reply.error}`));
    });
    worker.postMessage(job);
  });
}

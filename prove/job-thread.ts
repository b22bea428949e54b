import { parentPort } from 'node:worker_threads';
import { doJob, type Job } from './job.ts';

// A thread of the pool: jobs in, results out, one at a time.
parentPort?.on('message', (job: Job) => {
  doJob(job).then(
    (result) => parentPort?.postMessage({ result }),
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});

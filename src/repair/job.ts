import { isStoreFault } from '../index/store-fault.ts';
import { retry } from '../timing/loop.ts';
import type { Progress } from './progress.ts';

/** A long job: pages, one after the other. */
export interface Job {
  /** Once, before the first page. */
  start(): Promise<void>;
  /** One page; what it counted, undefined: there are no more pages. After an error the same page comes again. */
  runOnce(signal?: AbortSignal): Promise<object | undefined>;
  progress(): Progress;
}

export interface JobOptions {
  /** Ends the job between two pages, and whatever it waits for. */
  readonly signal?: AbortSignal;
  /** Called after every page. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Before a page that failed because of a store is tried again, ms. After the last, the job fails. */
const RETRY_PAUSES_MS = [200, 500, 1_000, 2_000, 5_000];

/**
 * Runs a job to its end.
 * @throws the signal's reason, and what a page throws: RedisUnavailable or DatabaseUnavailable only after some retries
 */
export async function runToEnd(job: Job, { signal, onProgress }: JobOptions = {}): Promise<void> {
  await job.start();
  while (await runPage(job, signal)) onProgress?.(job.progress());
}

async function runPage(job: Job, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const onFailure = (error: unknown, failures: number) => {
    signal?.throwIfAborted();
    const waitMs = RETRY_PAUSES_MS[failures - 1];
    if (waitMs === undefined || !isStoreFault(error)) throw error;
    return waitMs;
  };
  return await retry(async () => (await job.runOnce(signal)) !== undefined, { signal, onFailure });
}

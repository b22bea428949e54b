import type { Id } from '../contracts/id.ts';
import { isStoreFault } from '../index/store-fault.ts';
import { retry } from '../timing/loop.ts';

/** A long job that works page by page. */
export interface Job {
  /** Call once, before the first page. */
  start(): Promise<void>;
  /** Does one page and returns its counts; undefined: no pages are left. After an error the same page comes again. */
  runOnce(signal?: AbortSignal): Promise<object | undefined>;
  progress(): JobProgress;
}

interface JobOptions {
  /** Ends the job between two pages, and interrupts its waits. */
  readonly signal?: AbortSignal;
  /** Called after every page, and at the end. */
  readonly onProgress?: (progress: JobProgress) => void;
}

/** Pauses before a page that failed because of a store is retried, ms. After the last retry the job fails. */
const RETRY_PAUSES_MS = [200, 500, 1_000, 2_000, 5_000];

/**
 * Runs a job to its end.
 * @throws the signal's reason; what a page throws, RedisUnavailable and DatabaseUnavailable only after retries
 */
export async function runToEnd(job: Job, { signal, onProgress }: JobOptions = {}): Promise<void> {
  await job.start();
  while (await runPage(job, signal)) onProgress?.(job.progress());
  onProgress?.(job.progress());
}

async function runPage(job: Job, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const onFailure = (error: unknown, failures: number) => {
    signal?.throwIfAborted();
    const pauseMs = RETRY_PAUSES_MS[failures - 1];
    if (pauseMs === undefined || !isStoreFault(error)) throw error;
    return pauseMs;
  };
  return await retry(async () => (await job.runOnce(signal)) !== undefined, { signal, onFailure });
}

/** How far a job has come. */
export interface JobProgress {
  /** The id to resume the run by; undefined: this job cannot be resumed. */
  readonly run: Id | undefined;
  /** Users done. */
  readonly done: number;
  /** Estimated number of users in all; at the end, those that there were. */
  readonly total: number;
}

/** What part of a run has cost. The seconds include pauses for the rate limit. */
export type Cost = { readonly rows_read: number; readonly seconds: number };

export interface CostSources {
  /** Rows that this job's statements have read so far. */
  readonly rowsRead: () => number;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** Divides what a process spends among its pages, so that nothing is left out or counted twice. */
export class CostMeter {
  readonly #sources: CostSources;
  #rows: number;
  #since: number;

  constructor(sources: CostSources) {
    this.#sources = sources;
    this.#rows = sources.rowsRead();
    this.#since = sources.now();
  }

  /** The cost since the last one that was saved. */
  unsaved(): Cost {
    const { rowsRead, now } = this.#sources;
    return { rows_read: rowsRead() - this.#rows, seconds: (now() - this.#since) / 1000 };
  }

  /** Call when a cost from `unsaved` has been saved. */
  saved(cost: Cost): void {
    this.#rows += cost.rows_read;
    this.#since += cost.seconds * 1000;
  }
}

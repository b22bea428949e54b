import { retry } from '../timing/loop.ts';

export interface RetryOptions {
  /** How often what lost to others is tried, in all. */
  readonly attempts?: number;
  /** From 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/** ER_LOCK_DEADLOCK and ER_LOCK_WAIT_TIMEOUT: InnoDB chose this one to give way; done again it may well pass. */
const LOST_TO_OTHERS = new Set([1213, 1205]);

const LONGEST_WAIT_MS = 500;

/**
 * Does something that InnoDB rolls back when it gives way to others, and then again after a random wait.
 * @throws what `work` throws; of lost races the last one
 */
export async function retryingLostRaces<T>(
  work: () => Promise<T>,
  { attempts = 20, random = Math.random }: RetryOptions = {},
): Promise<T> {
  const onFailure = (error: unknown, failures: number) => {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    if (!LOST_TO_OTHERS.has(errno) || failures >= attempts) throw error;
    return random() * Math.min(LONGEST_WAIT_MS, 2 ** (failures + 1));
  };
  return await retry(work, { onFailure });
}

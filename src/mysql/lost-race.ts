import { retry } from '../timing/loop.ts';

export interface LostRaceOptions {
  /** The maximum number of attempts. */
  readonly attempts?: number;
  /** From 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/**
 * ER_LOCK_DEADLOCK and ER_LOCK_WAIT_TIMEOUT: InnoDB rolled this one back in favour of others; another attempt may
 * succeed.
 */
const LOST_TO_OTHERS = new Set([1213, 1205]);

const LONGEST_WAIT_MS = 500;

/**
 * Runs work that InnoDB may roll back in favour of others, and runs it again after a random wait.
 * @throws errors of the work; after lost races the last one
 */
export async function retryingLostRaces<T>(
  work: () => Promise<T>,
  { attempts = 20, random = Math.random }: LostRaceOptions = {},
): Promise<T> {
  const onFailure = (error: unknown, failures: number) => {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    if (!LOST_TO_OTHERS.has(errno) || failures >= attempts) throw error;
    return random() * Math.min(LONGEST_WAIT_MS, 2 ** (failures + 1));
  };
  return await retry(work, { onFailure });
}

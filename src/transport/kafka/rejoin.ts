import { type Backoff, backoffMs, retry } from '../../timing/loop.ts';
import { isPassing } from './errors.ts';

interface RejoinOptions {
  /** Monotonic clock, ms. */
  readonly now: () => number;
  readonly backoff: Backoff;
  /** The other members wait for this one for so long, ms. */
  readonly rebalanceTimeoutMs: number;
}

/**
 * Joins a group again, for as long as its other members wait: the coordinator may be away, or still loading.
 * @param isWanted is it still to be joined?
 * @throws what the last attempt threw
 */
export async function rejoin(
  join: () => Promise<void>,
  { now, backoff, rebalanceTimeoutMs }: RejoinOptions,
  isWanted: () => boolean,
): Promise<void> {
  const deadline = now() + rebalanceTimeoutMs;
  const onFailure = (error: unknown, failures: number) => {
    if (!isWanted() || !isPassing(error) || now() > deadline) throw error;
    return backoffMs(failures - 1, backoff);
  };
  await retry(join, { onFailure });
}

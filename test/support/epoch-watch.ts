import { onTestFinished } from 'vitest';
import { EpochWatch, type EpochWatchOptions } from '../../src/index/epoch-watch.ts';
import { logger } from '../transport/place.ts';
import type { Stores } from './stores.ts';

/** Compares the Redis master with those on record, as every process does, until the test ends. */
export async function startWatch(
  { redis, primary }: Pick<Stores, 'redis' | 'primary'>,
  options: Partial<EpochWatchOptions> = {},
): Promise<EpochWatch> {
  const watch = new EpochWatch({ client: redis, database: primary, logger, ...options });
  onTestFinished(() => watch.stop());
  await watch.start();
  return watch;
}

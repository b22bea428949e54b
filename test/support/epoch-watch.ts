import { onTestFinished } from 'vitest';
import { EpochWatch, type EpochWatchOptions } from '../../src/index/epoch-watch.ts';
import { ownerKey, RedisOwnership } from '../../src/index/ownership.ts';
import { SetBackWatch } from '../../src/index/set-back.ts';
import type { Database } from '../../src/mysql/database.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { TextRecord } from '../../src/redis/text-record.ts';
import { logger } from '../transport/place.ts';
import { freshPrefix } from './servers.ts';

export interface WatchedStores {
  readonly redis: RedisClient;
  readonly primary: Database;
  /** Of the keys of the indexes. Left out: one of its own. */
  readonly prefix?: string;
}

/** Whose the Redis is, as a consumer sees it; a process that takes nothing over if told so. */
export function ownershipOf(
  { redis, primary, prefix = freshPrefix() }: WatchedStores,
  takesOver = true,
): RedisOwnership {
  return new RedisOwnership(new TextRecord(redis, ownerKey(prefix)), primary, takesOver);
}

/** Compares the Redis master with those on record, as every process does, until the test ends. */
export async function startWatch(
  { redis, primary, prefix = freshPrefix() }: WatchedStores,
  options: Partial<EpochWatchOptions> = {},
): Promise<EpochWatch> {
  const ownership = ownershipOf({ redis, primary, prefix });
  const setBack = new SetBackWatch(redis, prefix, ownership);
  const watch = new EpochWatch({ ...{ client: redis, database: primary, logger, ownership, setBack }, ...options });
  onTestFinished(() => watch.stop());
  await watch.start();
  return watch;
}

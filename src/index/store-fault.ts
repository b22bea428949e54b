import { DatabaseUnavailable } from '../mysql/database.ts';
import { EpochMissing } from '../mysql/pairs.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';

/**
 * Did a store fail, rather than the work asked of it? Away, full, without its tables or its permissions: whoever sees
 * this waits and tries again, for the same would happen to any other work.
 */
export function isStoreFault(error: unknown): boolean {
  if (error instanceof RedisUnavailable || error instanceof DatabaseUnavailable || error instanceof EpochMissing) {
    return true;
  }
  return error instanceof Error && (error.name === 'ReplyError' || 'sqlState' in error);
}

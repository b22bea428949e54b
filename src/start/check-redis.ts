import type { Config } from '../config/config.ts';
import type { RedisClient } from '../redis/connection.ts';
import { fieldOf } from '../redis/masters.ts';
import { StartError } from './start-error.ts';

/** The oldest that is tested. */
const OLDEST = 7;

/** Looks whether Redis can be used: its version, and what this user may do. @throws StartError, what ioredis throws when Redis is away */
export async function checkRedisUse(client: RedisClient, config: Config): Promise<void> {
  const probe = `${config.keyPrefix}:{probe}`;
  try {
    const server = await client.info('server');
    const version = fieldOf(server, 'redis_version') ?? '0';
    if (Number.parseInt(version, 10) < OLDEST) {
      throw new StartError(`Redis is ${version} here; Recency needs at least ${OLDEST}.0. Upgrade it.`);
    }
    if (fieldOf(server, 'redis_mode') === 'cluster' && !client.isCluster) {
      const mend = 'Set RECENCY_REDIS_URL to several of its addresses, separated by commas; one twice will do.';
      throw new StartError(`Redis is one node of a cluster. ${mend}`);
    }
    await client.eval("return redis.call('SET', KEYS[1], '1', 'PX', 1000)", 1, probe);
    await client.unlink(probe);
  } catch (error) {
    throw refusedCommand(error, config);
  }
}

function refusedCommand(error: unknown, { keyPrefix }: Config): unknown {
  if (!(error instanceof Error)) return error;
  if (/NOPERM/.test(error.message)) {
    const mend = `Allow it: ACL SETUSER … ~${keyPrefix}:* +@all -@dangerous +info`;
    return new StartError(`Redis does not let this user work: ${error.message}. ${mend}`, { cause: error });
  }
  if (/^READONLY/.test(error.message)) {
    return new StartError(`Redis is a replica, which takes no writes. Set RECENCY_REDIS_URL to its master.`, {
      cause: error,
    });
  }
  return error;
}

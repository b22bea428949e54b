import type { Config } from '../config/config.ts';
import { isSupported, OLDEST_VERSIONS } from '../contracts/server-versions.ts';
import type { RedisRole } from '../mysql/epoch.ts';
import type { RedisClient } from '../redis/connection.ts';
import { fieldOf } from '../redis/masters.ts';
import { aclRules, missingCommands, type RedisUses } from '../redis/permissions.ts';
import { ServerAway, StartError } from './start-error.ts';

/** `full`: it is at its maxmemory and refuses what needs more. Consumers can work there, and give memory back. */
export type RedisUse = 'usable' | 'full';

/** Where the Redis of a role is, and the setting that says so. */
export function redisAddress(config: Config, role: RedisRole): { readonly url: string; readonly setting: string } {
  return role === 'streams' && config.streamsUrl !== undefined
    ? { url: config.streamsUrl, setting: 'RECENCY_STREAMS_URL' }
    : { url: config.redisUrl, setting: 'RECENCY_REDIS_URL' };
}

/**
 * Looks whether Redis can be used: its version, and what this user may do.
 * @throws StartError, what ioredis throws when Redis is away
 */
export async function checkRedisUse(client: RedisClient, config: Config, role: RedisRole = 'index'): Promise<RedisUse> {
  const { setting } = redisAddress(config, role);
  const probe = `${config.keyPrefix}:{probe}`;
  try {
    const server = await client.info('server');
    const version = fieldOf(server, 'redis_version') ?? '0';
    if (!isSupported('Redis', version)) {
      throw new StartError(`Redis is ${version} here; Recency needs at least ${OLDEST_VERSIONS.Redis}. Upgrade it.`);
    }
    if (fieldOf(server, 'redis_mode') === 'cluster' && !client.isCluster) {
      const mend = `Set ${setting} to several of its addresses, separated by commas; one twice will do.`;
      throw new StartError(`Redis is one node of a cluster. ${mend}`);
    }
    const missing = await missingCommands(client, probe, usesOf(config, role));
    if (missing.length > 0) {
      throw new StartError(`Redis does not let this user work. Allow it: ACL SETUSER … ${missing.join(' ')}`);
    }
    await client.eval("return redis.call('SET', KEYS[1], '1', 'PX', 1000)", 1, probe);
    await client.unlink(probe);
    return 'usable';
  } catch (error) {
    // Permissions are looked at before memory is: this user may write, only not now.
    if (error instanceof Error && error.message.startsWith('OOM')) return 'full';
    throw refusedCommand(error, setting, aclRules(config.keyPrefix, usesOf(config, role), client.isCluster));
  }
}

/** Tasks are on the Redis of the indexes unless they have one of their own. */
function usesOf(config: Config, role: RedisRole): RedisUses {
  const { transport, streamsUrl } = config;
  const isShared = transport === 'streams' && streamsUrl === undefined;
  const selects = /^[^?]*\/0*[1-9]\d*(?:$|\?)/.test(redisAddress(config, role).url);
  return { index: role === 'index' || isShared, tasks: role === 'streams' || isShared, selects };
}

function refusedCommand(error: unknown, setting: string, rules: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  if (/NOPERM/.test(error.message)) {
    const mend = `Allow it: ACL SETUSER … ${rules.join(' ')}`;
    return new StartError(`Redis does not let this user work: ${error.message}. ${mend}`, { cause: error });
  }
  if (/^READONLY/.test(error.message)) {
    return new ServerAway(`Redis is a replica, which takes no writes. Set ${setting} to its master.`, {
      cause: error,
    });
  }
  return error;
}

import { on, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { withoutPasswords } from '../config/describe-config.ts';
import { readTls } from '../config/tls.ts';
import { isSupported, OLDEST_VERSIONS } from '../contracts/server-versions.ts';
import type { RedisRole } from '../mysql/redis-masters.ts';
import type { RedisConnectionOptions } from '../redis/connection.ts';
import { openRedis, type RedisClient, untilReady } from '../redis/connection.ts';
import { fieldOf } from '../redis/masters.ts';
import { aclRules, missingCommands, type RedisUses } from '../redis/permissions.ts';
import { isUnavailable, refusalOf } from '../redis/unavailable.ts';
import { ServerAway, StartError, tlsStartError } from './start-error.ts';

/** A client that connects by itself. @param name shown by CLIENT LIST */
export function openRedisClient(config: Config, name: string, logger: Logger, role: RedisRole = 'index'): RedisClient {
  return openRedis(redisAddress(config, role).url, {
    commandTimeoutMs: config.redisTimeoutMs,
    connectTimeoutMs: config.connectTimeoutMs,
    name: `recency-${name}`,
    ...redisSecurity(config),
    onError: (error) => logger.debug({ err: error }, 'Redis: a connection failed; it is tried again'),
  });
}

/** Waits until every command sent is answered, not longer than a command may take. */
export async function closeRedis(client: RedisClient): Promise<void> {
  await client.quit().catch(() => undefined); // not connected: there is nobody to say goodbye to
  client.disconnect(); // what listens to Sentinels goes on otherwise
}

const BETWEEN_TRIES_MS = 250;

export interface RedisOpening {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Waits until Redis answers, not longer than `timeoutMs` (START_TIMEOUT_MS), and looks whether it can be used.
 * @throws StartError with the reason; a wrong password is not waited for
 */
export async function untilRedisAnswers(
  client: RedisClient,
  { config, signal, logger }: RedisOpening,
  role: RedisRole = 'index',
  timeoutMs = config.startTimeoutMs,
): Promise<void> {
  const { url, setting } = redisAddress(config, role);
  const deadline = performance.now() + timeoutMs;
  try {
    await connected(client, { timeoutMs, setting, address: withoutPasswords(url) }, signal);
    let use = await howUsable(client, config, role, deadline);
    for (; use === 'not now'; use = await howUsable(client, config, role, deadline)) {
      await pause(BETWEEN_TRIES_MS, undefined, { signal });
    }
    if (use === 'full') logger.warn({ setting }, 'Redis is at its maxmemory: what needs more of it is refused for now');
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (/cluster support disabled/.test((error as Error).message)) {
      const mend = `Set ${setting} to one address.`;
      throw new StartError(`Redis at ${withoutPasswords(url)} is no cluster. ${mend}`, { cause: error });
    }
    const refusal = refusalOf(error as Error);
    if (refusal !== undefined) {
      const { what, remedy } = refusal;
      const said = (error as Error).message.replace(/\.$/, '');
      throw new ServerAway(`Redis at ${withoutPasswords(url)} ${what} (${said}). ${remedy}`, { cause: error });
    }
    throw new ServerAway(
      `No Redis answers at ${withoutPasswords(url)} (${(error as Error).message}). Start it, or set ${setting} to where it is.`,
      { cause: error },
    );
  }
}

/** `not now`: as while a cluster elects a master. */
async function howUsable(
  client: RedisClient,
  config: Config,
  role: RedisRole,
  deadline: number,
): Promise<RedisUse | 'not now'> {
  try {
    return await checkRedisUse(client, config, role);
  } catch (error) {
    if (!isUnavailable(error) || performance.now() > deadline) throw error;
    return 'not now';
  }
}

async function connected(
  client: RedisClient,
  { timeoutMs, ...named }: { timeoutMs: number; setting: string; address: string },
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    await Promise.race([
      untilReady(client, timeoutMs),
      refusal(client, named, done.signal),
      aborted(signal, done.signal),
    ]);
  } finally {
    done.abort();
  }
}

/** Rejects when Redis does not let this user in; never resolves. */
async function refusal(
  client: RedisClient,
  { setting, address }: { setting: string; address: string },
  done: AbortSignal,
): Promise<never> {
  for await (const [error] of on(client, 'error', { signal: done })) {
    const { lastNodeError = error, message } = error as Error & { lastNodeError?: Error };
    const tlsError = tlsStartError(lastNodeError, { kind: 'Redis', address, setting });
    if (tlsError !== undefined) throw tlsError;
    if (/^All sentinels are unreachable.*(WRONGPASS|NOAUTH|NOPERM)/.test(message)) {
      const account = 'RECENCY_REDIS_SENTINEL_USER and RECENCY_REDIS_SENTINEL_PASSWORD';
      throw new StartError(`The Sentinels refuse this user: ${message}. Fix ${account}.`);
    }
    if (!/WRONGPASS|NOAUTH|NOPERM|without any password configured/.test(message)) continue;
    throw new StartError(
      `Redis refuses this user: ${message.replace(/\.$/, '')}. Mend the user or password in ${setting}.`,
    );
  }
  throw done.reason;
}

async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  await once(signal, 'abort', { signal: done });
  throw signal.reason;
}

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

/** Of the Redis of the indexes and that of the tasks. */
export function redisSecurity(config: Config): Required<Pick<RedisConnectionOptions, 'tls' | 'sentinel'>> {
  const { redisTlsCa: ca, redisTlsCert: cert, redisTlsKey: key } = config;
  return {
    tls: readTls({ ca, cert, key }),
    sentinel: { username: config.redisSentinelUser, password: config.redisSentinelPassword },
  };
}

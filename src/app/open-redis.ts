import { on, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { withoutPasswords } from '../config/config.ts';
import { ServerAway, StartError, tlsStartError } from '../config/start-error.ts';
import { tlsMaterial } from '../config/tls.ts';
import { isSupported, OLDEST_VERSIONS } from '../contracts/server-versions.ts';
import type { RedisRole } from '../mysql/redis-masters.ts';
import type { RedisConnectionOptions } from '../redis/connection.ts';
import { openRedis, type RedisClient, untilReady } from '../redis/connection.ts';
import { fieldOf } from '../redis/masters.ts';
import { aclRules, missingCommands, type RedisUses } from '../redis/permissions.ts';
import { isReplicasReply, RedisUnavailable, refusalOf, reply } from '../redis/unavailable.ts';
import type { ProcessContext } from './run-process.ts';

/** Opens a client, which connects in the background. @param name name of the process, for CLIENT LIST */
export function openRedisClient(config: Config, name: string, logger: Logger, role: RedisRole = 'index'): RedisClient {
  return openRedis(redisAddress(config, role).url, {
    commandTimeoutMs: config.redisTimeoutMs,
    connectTimeoutMs: config.connectTimeoutMs,
    name: `recency-${name}`,
    ...redisSecurity(config),
    onError: (error) => logger.debug({ err: error }, 'Redis: a connection failed; retrying'),
  });
}

/** Who listens to sharded channels of Redis, which are in one slot of a cluster, over a connection of its own. */
export interface ChannelListener {
  /** Of the connection, for CLIENT LIST. */
  readonly name: string;
  readonly channels: readonly string[];
  readonly onMessage: (message: string, channel: string) => void;
  /** It cannot listen now: the account may not, or Redis does not answer. */
  readonly onFault: (error: unknown) => void;
}

/** Listens until the process ends. What is told while Redis is away, or to an account that may not listen, is lost. */
export function listen(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  { name, channels, onMessage, onFault }: ChannelListener,
): void {
  const client = resources.adopt(openRedisClient(config, name, logger), closeRedis);
  client.on('smessage', (channel: string, message: string) => onMessage(message, channel));
  // Subscriptions of a connection that was lost are made again by the client.
  const subscribe = () => void client.ssubscribe(...channels).catch(onFault);
  if (client.status === 'ready') subscribe();
  else client.once('ready', subscribe);
}

/** Waits until every command that was sent is answered, at most for the timeout of a command. */
export async function closeRedis(client: RedisClient): Promise<void> {
  await client.quit().catch(() => undefined); // not connected
  client.disconnect(); // otherwise the connections to Sentinels stay open
}

const BETWEEN_TRIES_MS = 250;

interface RedisOpening {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Waits until Redis answers, at most `timeoutMs` (START_TIMEOUT_MS), and checks that it can be used.
 * @throws StartError with the reason: at once for a wrong password
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
    if (use === 'full')
      logger.warn({ setting }, 'Redis has reached its maxmemory: it refuses writes that need more memory');
  } catch (error) {
    if (!(error instanceof RedisUnavailable)) throw error;
    const said = error.cause instanceof Error ? error.cause.message : error.message;
    if (/cluster support disabled/.test(said)) {
      const fix = `Set ${setting} to one address.`;
      throw new StartError(`Redis at ${withoutPasswords(url)} is not a cluster. ${fix}`, { cause: error });
    }
    const refusal = refusalOf({ message: said });
    if (refusal !== undefined) {
      const { what, remedy } = refusal;
      const text = `Redis at ${withoutPasswords(url)} ${what} (${said.replace(/\.$/, '')}). ${remedy}`;
      throw new ServerAway(text, { cause: error });
    }
    throw new ServerAway(
      `No Redis answers at ${withoutPasswords(url)} (${said}). Start it, or set ${setting} to its address.`,
      { cause: error },
    );
  }
}

/** @returns `not now` when it may work in a moment, for example after a cluster has elected a master */
async function howUsable(
  client: RedisClient,
  config: Config,
  role: RedisRole,
  deadline: number,
): Promise<RedisUse | 'not now'> {
  try {
    return await checkRedisUse(client, config, role);
  } catch (error) {
    if (!(error instanceof RedisUnavailable) || performance.now() > deadline) throw error;
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

/** Rejects when Redis refuses this user; never resolves. */
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
      `Redis refuses this user: ${message.replace(/\.$/, '')}. Fix the user or password in ${setting}.`,
    );
  }
  throw done.reason;
}

async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  await once(signal, 'abort', { signal: done });
  throw signal.reason;
}

/** `full`: Redis has reached its maxmemory and refuses writes that need more. Consumers can still work, and free memory. */
type RedisUse = 'usable' | 'full';

/** The address of the Redis with this role, and the setting that it comes from. */
function redisAddress(config: Config, role: RedisRole): { readonly url: string; readonly setting: string } {
  return role === 'streams' && config.streamsUrl !== undefined
    ? { url: config.streamsUrl, setting: 'RECENCY_STREAMS_URL' }
    : { url: config.redisUrl, setting: 'RECENCY_REDIS_URL' };
}

/**
 * Checks the version of Redis and the permissions of this user.
 * @throws StartError, RedisUnavailable
 */
export async function checkRedisUse(client: RedisClient, config: Config, role: RedisRole = 'index'): Promise<RedisUse> {
  const { setting } = redisAddress(config, role);
  const probe = `${config.keyPrefix}:{probe}`;
  try {
    const server = await reply(client.info('server'));
    const version = fieldOf(server, 'redis_version') ?? '0';
    if (!isSupported('Redis', version)) {
      throw new StartError(
        `This Redis is version ${version}; Recency needs ${OLDEST_VERSIONS.Redis} or newer. Upgrade it.`,
      );
    }
    if (isClusterNode(server) && !client.isCluster) {
      const fix = `Set ${setting} to several of its addresses, separated by commas (the same one twice will do).`;
      throw new StartError(`This Redis is a node of a cluster. ${fix}`);
    }
    const missing = await missingCommands(client, probe, usesOf(client, config, role));
    if (missing.length > 0) {
      throw new StartError(
        `Redis denies this user commands or keys that Recency needs. Allow them: ACL SETUSER … ${missing.join(' ')}`,
      );
    }
    await reply(client.eval("return redis.call('SET', KEYS[1], '1', 'PX', 1000)", 1, probe));
    await reply(client.unlink(probe));
    return 'usable';
  } catch (error) {
    const { cause } = error as Error;
    // Redis checks permissions before memory, so this user may write.
    if (cause instanceof Error && cause.message.startsWith('OOM')) return 'full';
    throw refusedCommand(error, setting, aclRules(config.keyPrefix, usesOf(client, config, role)));
  }
}

/** Valkey has another name for it. @param server the reply to INFO server */
function isClusterNode(server: string): boolean {
  return (fieldOf(server, 'redis_mode') ?? fieldOf(server, 'server_mode')) === 'cluster';
}

/** Tasks are on the Redis of the indexes unless STREAMS_URL is set. */
function usesOf(client: RedisClient, config: Config, role: RedisRole): RedisUses {
  const { transport, streamsUrl } = config;
  const isShared = transport === 'streams' && streamsUrl === undefined;
  const { options, isCluster } = client;
  const selects = 'db' in options && (options.db ?? 0) > 0; // a cluster has no databases
  return { index: role === 'index' || isShared, tasks: role === 'streams' || isShared, isCluster, selects };
}

function refusedCommand(error: unknown, setting: string, rules: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  if (/NOPERM/.test(error.message)) {
    const fix = `Allow what Recency needs: ACL SETUSER … ${rules.join(' ')}`;
    return new StartError(`Redis denies this user a command or a key: ${error.message}. ${fix}`, { cause: error });
  }
  if (isReplicasReply(error.cause)) {
    return new ServerAway(`This Redis is a replica, which accepts no writes. Set ${setting} to its master.`, {
      cause: error,
    });
  }
  return error;
}

/** TLS and sign-in of the Redis of the indexes and that of the tasks. */
function redisSecurity(config: Config): Required<Pick<RedisConnectionOptions, 'tls' | 'sentinel'>> {
  const { redisTlsCa: ca, redisTlsCert: cert, redisTlsKey: key } = config;
  return {
    tls: tlsMaterial({ ca, cert, key }),
    sentinel: { username: config.redisSentinelUser, password: config.redisSentinelPassword },
  };
}

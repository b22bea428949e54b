import { on, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { withoutPasswords } from '../config/describe-config.ts';
import { openRedis, type RedisClient, untilReady } from '../redis/connection.ts';
import { isUnavailable } from '../redis/unavailable.ts';
import { checkRedisUse } from './check-redis.ts';
import { StartError } from './start-error.ts';

/** A client that connects by itself. @param name shown by CLIENT LIST */
export function openRedisClient(config: Config, name: string, logger: Logger): RedisClient {
  return openRedis(config.redisUrl, {
    commandTimeoutMs: config.redisTimeoutMs,
    connectTimeoutMs: config.connectTimeoutMs,
    name: `recency-${name}`,
    onError: (error) => logger.debug({ err: error }, 'Redis: a connection failed; it is tried again'),
  });
}

/** Waits until every command sent is answered, not longer than a command may take. */
export async function closeRedis(client: RedisClient): Promise<void> {
  await client.quit().catch(() => client.disconnect()); // not connected: there is nobody to say goodbye to
}

const BETWEEN_TRIES_MS = 250;

/**
 * Waits until Redis answers, not longer than START_TIMEOUT_MS, and looks whether it can be used.
 * @throws StartError with the reason; a wrong password is not waited for
 */
export async function untilRedisAnswers(client: RedisClient, config: Config, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + config.startTimeoutMs;
  try {
    await connected(client, config.startTimeoutMs, signal);
    while (!(await canBeUsed(client, config, deadline))) await pause(BETWEEN_TRIES_MS, undefined, { signal });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (/cluster support disabled/.test((error as Error).message)) {
      const mend = 'Set RECENCY_REDIS_URL to one address.';
      throw new StartError(`Redis at ${withoutPasswords(config.redisUrl)} is no cluster. ${mend}`, { cause: error });
    }
    throw new StartError(
      `No Redis answers at ${withoutPasswords(config.redisUrl)} (${(error as Error).message}). Start it, or set RECENCY_REDIS_URL to where it is.`,
      { cause: error },
    );
  }
}

/** False: not now, as while a cluster elects a master. */
async function canBeUsed(client: RedisClient, config: Config, deadline: number): Promise<boolean> {
  try {
    await checkRedisUse(client, config);
    return true;
  } catch (error) {
    if (!isUnavailable(error) || performance.now() > deadline) throw error;
    return false;
  }
}

async function connected(client: RedisClient, timeoutMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    await Promise.race([untilReady(client, timeoutMs), refusal(client, done.signal), aborted(signal, done.signal)]);
  } finally {
    done.abort();
  }
}

/** Rejects when Redis does not let this user in; never resolves. */
async function refusal(client: RedisClient, done: AbortSignal): Promise<never> {
  for await (const [error] of on(client, 'error', { signal: done })) {
    const { message } = error as Error;
    if (!/WRONGPASS|NOAUTH|NOPERM|without any password configured/.test(message)) continue;
    throw new StartError(
      `Redis refuses this user: ${message.replace(/\.$/, '')}. Mend the user or password in RECENCY_REDIS_URL.`,
    );
  }
  throw done.reason;
}

async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  await once(signal, 'abort', { signal: done });
  throw signal.reason;
}

import { createRequire } from 'node:module';
import { type Cluster, Redis } from 'ioredis';
import type { TlsMaterial } from '../config/tls.ts';
import { backoffMs } from '../timing/backoff.ts';
import { withTimeout } from '../timing/deadline.ts';
import { type NodeOptions, openCluster } from './cluster.ts';
import { isSentinelUrl, type SentinelAccount, sentinelOptions } from './sentinel.ts';
import { isReplicasReply, RedisUnavailable } from './unavailable.ts';

export type RedisClient = Redis | Cluster;

silenceCommandLog();

/**
 * With DEBUG=ioredis:* or DEBUG=* in the environment, ioredis writes every command with its arguments to stderr, AUTH with the
 * password among them. Its part of that log is turned off; the others stay.
 */
function silenceCommandLog(): void {
  const require = createRequire(import.meta.url);
  const debug = createRequire(require.resolve('ioredis'))('debug') as {
    disable(): string;
    enable(names: string): void;
  };
  const names = debug.disable();
  if (names !== '') debug.enable(`${names},-ioredis,-ioredis:*`);
}

export interface RedisConnectionOptions {
  /** ms that one command may take. */
  readonly commandTimeoutMs: number;
  /** ms that a connection may take to come up. */
  readonly connectTimeoutMs: number;
  /** Shown by CLIENT LIST. */
  readonly name: string;
  /** For addresses that ask for TLS. */
  readonly tls?: TlsMaterial;
  readonly sentinel?: SentinelAccount;
  /** Of a connection that went away or could not be made; it is tried again all the same. */
  readonly onError?: (error: Error) => void;
}

const LONGEST_PAUSE_MS = 1_000;

/**
 * Connects to one Redis, to a cluster when several addresses are given, comma-separated, or to the master that Sentinels
 * name (see sentinel.ts). Does not wait.
 *
 * No offline queue: while Redis is away a command fails at once, because a queue would grow without bound. A command
 * whose reply was lost is sent again by ioredis; every write here is made so that this does no harm.
 */
export function openRedis(urls: string, options: RedisConnectionOptions): RedisClient {
  const addresses = isSentinelUrl(urls) ? [urls] : urls.split(',').map((url) => url.trim());
  const client =
    addresses.length === 1
      ? openOne(String(addresses[0]), options)
      : openCluster(addresses, common(options), pause, options.tls);
  client.on('error', (error: Error) => options.onError?.(error));
  return client;
}

/** Waits until the client is ready. @throws RedisUnavailable after `timeoutMs`, with the last error seen */
export async function untilReady(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  let last: Error | undefined;
  const remember = (error: Error) => {
    last = error;
  };
  const ready = Promise.withResolvers<void>();
  const late = () => new RedisUnavailable(`Redis did not answer within ${timeoutMs} ms: ${reasonOf(last)}`);
  client.on('error', remember);
  client.on('ready', ready.resolve);
  try {
    await withTimeout(ready.promise, timeoutMs, late);
  } finally {
    // Whoever tries on while Redis is away comes here again and again.
    client.off('error', remember);
    client.off('ready', ready.resolve);
  }
}

/** What a cluster's client says is only that no node would do; why is in the node's own error. */
function reasonOf(error: (Error & { lastNodeError?: Error }) | undefined): string {
  return error?.lastNodeError?.message ?? error?.message ?? 'no reply';
}

function common(options: RedisConnectionOptions): NodeOptions {
  return {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs,
    // A half-open connection swallows command after command: when one of them is not answered, it is given up for another.
    socketTimeout: options.commandTimeoutMs,
    connectTimeout: options.connectTimeoutMs,
    maxRetriesPerRequest: 1,
    enableReadyCheck: true,
  };
}

function pause(times: number): number {
  return backoffMs(times, { firstMs: 50, longestMs: LONGEST_PAUSE_MS });
}

function openOne(url: string, options: RedisConnectionOptions): Redis {
  const own = {
    ...common(options),
    enableOfflineQueue: false,
    retryStrategy: pause,
    reconnectOnError: leavingReplicas(),
  };
  const { tls = {}, sentinel = {} } = options;
  if (isSentinelUrl(url)) return new Redis({ ...own, ...sentinelOptions(url, tls, sentinel) });
  return new Redis(url, url.startsWith('rediss:') ? { ...own, tls: { ...tls } } : own);
}

/**
 * Whether to connect anew after an error: the server has become a replica, whose clients stay connected unless they are
 * told. A new connection may lead to the new master. As long as it does not, one a second is enough. The command itself
 * fails, and is tried again by whoever sent it.
 */
function leavingReplicas(): (error: Error) => boolean {
  let left = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isReplicasReply(error) || performance.now() - left < LONGEST_PAUSE_MS) return false;
    left = performance.now();
    return true;
  };
}

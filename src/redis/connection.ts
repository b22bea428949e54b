import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AbstractConnector, Cluster, Redis } from 'ioredis';
import type { TlsMaterial } from '../config/tls.ts';
import { withTimeout } from '../timing/deadline.ts';
import { backoffMs } from '../timing/loop.ts';
import { nameScript } from '../tracing/tracing.ts';
import { isSentinelUrl, type SentinelAccount, sentinelOptions } from './sentinel.ts';
import { isReplicasReply, RedisUnavailable, reply } from './unavailable.ts';

export type RedisClient = Redis | Cluster;

silenceCommandLog();

/**
 * With DEBUG=ioredis:* or DEBUG=* in the environment, ioredis writes every command with its arguments to stderr, AUTH with the
 * password among them. That part of the log is turned off; the others stay.
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
  /** Timeout of one command, ms. */
  readonly commandTimeoutMs: number;
  /** Timeout of connecting, ms. */
  readonly connectTimeoutMs: number;
  /** Shown by CLIENT LIST. */
  readonly name: string;
  /** For addresses that ask for TLS. */
  readonly tls?: TlsMaterial;
  readonly sentinel?: SentinelAccount;
  /** Called when a connection is lost or cannot be made. It is retried regardless. */
  readonly onError?: (error: Error) => void;
}

/** The first attempt comes soon: a firewall may have forgotten the connection of a Redis that works. */
const RECONNECTING = { firstMs: 5, longestMs: 1_000 };

/** How often ioredis redirects or resends a command in a cluster, at most. */
const TRIES = 16;

/**
 * Opens a client of one Redis, of a cluster if several comma-separated addresses are given, or of the master that Sentinels
 * name (see sentinel.ts). Does not wait for the connection.
 *
 * There is no offline queue: while Redis is unavailable a command fails at once, because a queue would grow without bound.
 * ioredis resends a command whose reply was lost; every write here is safe to repeat.
 */
export function openRedis(urls: string, options: RedisConnectionOptions): RedisClient {
  const addresses = isSentinelUrl(urls) ? [urls] : urls.split(',').map((url) => url.trim());
  const [first = ''] = addresses;
  const client = addresses.length === 1 ? openOne(first, options) : openCluster(addresses, options);
  if (client.isCluster) client.on('+node', keepConnecting);
  else beginConnecting(client as Redis);
  client.on('error', (error: Error) => options.onError?.(error));
  return client;
}

function beginConnecting(client: Redis): void {
  keepConnecting(client);
  client.connect().catch(() => undefined); // it is told by the event `error`, and retried
}

/**
 * Two things after which ioredis 6.0 does not connect again:
 *
 * - It listens for the first error of a socket only, and a socket without a listener ends the process. A TLS handshake that the
 *   server refuses may have two: the connection was reset, and the alert that says why.
 * - When Sentinels announce a failover, it stops the connection that is being made, which may be the one to the new master, and
 *   a client whose connecting was stopped has ended. So it connects once more, unless it was closed meanwhile.
 */
function keepConnecting(client: Redis): void {
  const inside = client as unknown as {
    readonly connector: Pick<AbstractConnector, 'connect'>;
    readonly manuallyClosing: boolean;
  };
  const connect = inside.connector.connect.bind(inside.connector);
  inside.connector.connect = async (emitter) => {
    for (;;) {
      try {
        const stream = await connect(emitter);
        stream.on('error', () => undefined); // the first one is reported
        return stream;
      } catch (error) {
        if (inside.manuallyClosing || (error as Error).message !== STOPPED) throw error;
      }
    }
  };
}

/** What ioredis says of connecting that was stopped. */
const STOPPED = 'Connection is closed.';

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
    // While Redis is unavailable this is called again and again with the same client.
    client.off('error', remember);
    client.off('ready', ready.resolve);
  }
}

/** A cluster's client only says that no node could be used; the reason is in the node's own error. */
function reasonOf(error: (Error & { lastNodeError?: Error }) | undefined): string {
  return error?.lastNodeError?.message ?? error?.message ?? 'no reply';
}

function openOne(url: string, options: RedisConnectionOptions): Redis {
  const own = {
    ...connectionOptions(options),
    enableOfflineQueue: false,
    lazyConnect: true, // until the client is set up
    retryStrategy: reconnectingMs,
    reconnectOnError: leavingReplicas(),
  };
  const { tls = {}, sentinel = {} } = options;
  if (isSentinelUrl(url)) return new Redis({ ...own, ...sentinelOptions(url, tls, sentinel) });
  return new Redis(url, url.startsWith('rediss:') ? { ...own, tls } : own);
}

/** @param urls of some of the cluster's nodes; user, password and TLS are those of the first */
function openCluster(urls: readonly string[], options: RedisConnectionOptions): Cluster {
  const { username, password, protocol } = new URL(String(urls[0]));
  // While a node is unavailable, a command is resent for no longer than it may take.
  const resendMs = options.commandTimeoutMs / TRIES;
  return new PlainCluster([...urls], {
    enableOfflineQueue: false,
    shardedSubscribers: true,
    clusterRetryStrategy: reconnectingMs,
    maxRedirections: TRIES,
    retryDelayOnClusterDown: resendMs,
    retryDelayOnFailover: resendMs,
    redisOptions: {
      ...connectionOptions(options),
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: options.tls ?? {} } : {}),
    },
  });
}

/**
 * A cluster client that fails at once when the keys of one command are on two nodes (TRYAGAIN) because their slot is
 * moving. ioredis would resend the command to nodes at random; the caller can do better and ask for fewer keys.
 */
class PlainCluster extends Cluster {
  override handleError(...[error, ttl, handlers]: Parameters<Cluster['handleError']>): void {
    if (error.message.startsWith('TRYAGAIN')) handlers.defaults();
    else super.handleError(error, ttl, handlers);
  }
}

function connectionOptions(options: RedisConnectionOptions) {
  return {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs,
    // A half-open connection swallows command after command: when one is not answered, the connection is replaced.
    socketTimeout: options.commandTimeoutMs,
    connectTimeout: options.connectTimeoutMs,
    maxRetriesPerRequest: 1,
    enableReadyCheck: true,
  };
}

/** How long to wait before connecting again, ms. @param times failures in a row */
function reconnectingMs(times: number): number {
  return backoffMs(times, RECONNECTING);
}

/**
 * Decides whether to reconnect after an error: yes, if the server has become a replica, because its clients stay connected
 * unless they are told. A new connection may lead to the new master. Until it does, one attempt a second is enough. The
 * command itself fails, and its caller retries it.
 */
function leavingReplicas(): (error: Error) => boolean {
  let left = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isReplicasReply(error) || performance.now() - left < RECONNECTING.longestMs) return false;
    left = performance.now();
    return true;
  };
}

type Argument = string | number | Buffer;

type Call = (numberOfKeys: number, ...keysAndArguments: Argument[]) => Promise<unknown>;

/** One atomic operation: a Lua file, whose header is its contract. @throws RedisUnavailable, and the script's own errors */
export type Script = (keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

interface ScriptOptions {
  /** Drop the flags that its first line declares, so that Redis judges each of its commands by itself. */
  readonly unflagged?: boolean;
  /** Lua that the script begins with, behind its first line. */
  readonly shared?: URL;
}

/**
 * Loads a script and binds it to a client. It is called by its digest, and sent whole if the server does not know it (the
 * first time, and after SCRIPT FLUSH or a failover).
 */
export function defineScript(client: RedisClient, name: string, file: URL, options: ScriptOptions = {}): Script {
  const command = `recency_${name}`;
  const [flags = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const shared = options.shared === undefined ? [] : [readFileSync(options.shared, 'utf8')];
  const lua = [flags, ...shared, ...lines].join('\n');
  const sent = options.unflagged ? lua.replace(/^#!lua.*/, '') : lua;
  client.defineCommand(command, { lua: sent });
  nameScript(sent, command);
  const call = (client as unknown as Record<string, Call>)[command] as Call;
  return (keys, args) => reply(call.call(client, keys.length, ...keys, ...args));
}

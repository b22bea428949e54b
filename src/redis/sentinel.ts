import type { Redis } from 'ioredis';
import type { TlsMaterial } from '../config/tls.ts';

/** The account for the Sentinels themselves, as opposed to that for the Redis that they watch. */
export interface SentinelAccount {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Timeout of connecting to a Sentinel and of a command to it, ms. Short, because there are others to ask. */
const SENTINEL_MS = 1_000;

export function isSentinelUrl(url: string): boolean {
  return /^rediss?\+sentinel:/.test(url);
}

/**
 * ioredis's options for `redis+sentinel://[user:password@]host:port,host:port/NAME[/db]`, with TLS to the Sentinels and to Redis
 * for `rediss+sentinel`. User and password are those of Redis.
 *
 * ioredis asks the Sentinels for the master at every connection, and listens to them while it lasts: when they announce a
 * failover, it drops the connection to the old master at once, which otherwise might go on answering.
 */
export function sentinelOptions(url: string, tls: TlsMaterial, account: SentinelAccount) {
  const [, secure, login = '', list = '', name = '', db = '0'] =
    /^redis(s?)\+sentinel:\/\/(?:([^@/]*)@)?([^/]+)\/([^/]+)(?:\/(\d+))?$/.exec(url) ?? [];
  const [username = '', password = ''] = splitOnce(login, ':').map(decodeURIComponent);
  return {
    sentinels: list.split(',').map(hostAndPort),
    name,
    db: Number(db),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(account.username ? { sentinelUsername: account.username } : {}),
    ...(account.password ? { sentinelPassword: account.password } : {}),
    ...(secure ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
    failoverDetector: true,
    sentinelCommandTimeout: SENTINEL_MS,
  };
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function hostAndPort(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
}

/** host:port of the server that a client is connected to: with Sentinels, the current master. */
export function addressOf({ options, stream }: Redis): string {
  const found = options.sentinels ? stream : undefined;
  return `${found?.remoteAddress ?? options.host}:${found?.remotePort ?? options.port}`;
}

/** The number of the database that a client of these addresses uses. A cluster has only 0. */
export function databaseNumberOf(urls: string): number {
  if (isSentinelUrl(urls)) return sentinelOptions(urls, {}, {}).db;
  if (urls.includes(',')) return 0;
  const { pathname, searchParams } = new URL(urls.trim());
  return Number(pathname.slice(1) || searchParams.get('db') || 0); // in ioredis's order
}

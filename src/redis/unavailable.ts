/** Redis cannot be asked now: it is away, loading, full, failing over, or did not answer in time. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

/**
 * What an error reply or a failed call of Redis is a fault of:
 * - `away`: it cannot be asked now; the same work will do later
 * - `setup`: permissions, or a key of Recency's own that somebody else has taken; no work will do until a person fixes that
 * - `row`: a script refuses what it was given for one user, before it has written anything; other work will do
 * - `unknown`: none of these is known of it
 */
export type RedisFault = 'away' | 'setup' | 'row' | 'unknown';

/** By the first word of a server's reply. */
const REPLIES: Readonly<Record<string, RedisFault>> = {
  LOADING: 'away',
  MASTERDOWN: 'away',
  READONLY: 'away',
  CLUSTERDOWN: 'away',
  TRYAGAIN: 'away',
  OOM: 'away',
  BUSY: 'away',
  MISCONF: 'away',
  NOREPLICAS: 'away',
  UNKILLABLE: 'away',
  MOVED: 'away',
  ASK: 'away',
  NOSCRIPT: 'away',
  NOAUTH: 'setup',
  WRONGPASS: 'setup',
  NOPERM: 'setup',
  DENIED: 'setup',
  CROSSSLOT: 'setup',
  WRONGTYPE: 'setup', // keys of users are looked after by the scripts; what is left are keys that all work needs
};

const TOO_MANY_CLIENTS = /^ERR max number of clients/;

// Redis 7.0 says of a script only that one of its commands is not allowed, and not as NOPERM.
const NOT_USABLE = /^ERR (unknown command|The user executing the script can't)/i;

// The scripts of ../index/lua check what they are given, for all users and for each, before they write.
const REFUSED_CALL = /user_script:\d+: [a-z-]+: bad arguments/;

const REFUSED_ROW = /user_script:\d+: [a-z-]+: (bad (contact|row|count)|arguments left over)/;

// What ioredis says when there was no reply.
const NO_REPLY =
  /^(Command timed out|Connection is closed|Stream isn't writeable|Reached the max retries|Failed to refresh slots|None of startup nodes|Cluster isn't ready|Too many Cluster redirections|Socket timeout)/;

// In a slot that is moving, a script may not write anew a key that it has just emptied or deleted: it has to end there.
const NOT_HERE = /attempted to access a non local key/;

const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    error instanceof RedisUnavailable ||
    SOCKET.has(code) ||
    error.name === 'MaxRetriesPerRequestError' ||
    REPLIES[firstWord(error)] === 'away' ||
    TOO_MANY_CLIENTS.test(error.message) ||
    NO_REPLY.test(error.message) ||
    NOT_HERE.test(error.message)
  );
}

/** undefined: the error is not Redis's. */
export function redisFaultOf(error: unknown): RedisFault | undefined {
  if (isUnavailableByName(error)) return 'away';
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  if (isUnavailable(error)) return 'away';
  if (NOT_USABLE.test(error.message) || REFUSED_CALL.test(error.message)) return 'setup';
  return REPLIES[firstWord(error)] ?? (REFUSED_ROW.test(error.message) ? 'row' : 'unknown');
}

function isUnavailableByName(error: unknown): boolean {
  return error instanceof RedisUnavailable || (error instanceof Error && error.name === 'MaxRetriesPerRequestError');
}

function firstWord({ message }: Error): string {
  return /^[A-Z]+\b/.exec(message)?.[0] ?? '';
}

/** Keys of one call are on their way to another node of a cluster. Fewer at once, or the same later, will be answered. */
export function isSlotMoving(error: unknown): boolean {
  return error instanceof RedisUnavailable && (/\bTRYAGAIN\b/.test(error.message) || NOT_HERE.test(error.message));
}

/** Awaits a reply. @throws RedisUnavailable in place of each of the many errors that mean it */
export async function reply<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new RedisUnavailable(`Redis is not available: ${(error as Error).message}`, { cause: error });
  }
}

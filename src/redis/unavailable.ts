import { UserError } from '../contracts/user-error.ts';

/** Redis cannot be used now: it is unreachable, loading, full, failing over, or did not answer in time. */
export class RedisUnavailable extends UserError {
  override readonly name = 'RedisUnavailable';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return refusalOf(this)?.remedy ?? 'Check that Redis is running; `recency doctor` says more.';
  }
}

/**
 * The cause of an error reply or a failed call of Redis:
 * - `away`: Redis is unavailable; the same work will succeed later
 * - `setup`: permissions, or a foreign key in place of one of Recency's; no work will succeed until an operator fixes that
 * - `row`: a script refused its arguments for one user, before it wrote anything; other work will succeed
 * - `unknown`: none of these is known
 */
export type RedisFault = 'away' | 'setup' | 'row' | 'unknown';

/** The fault, by the first word of a server's error reply. */
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
  UNBLOCKED: 'away', // the master became a replica while a command waited
  MOVED: 'away',
  ASK: 'away',
  NOSCRIPT: 'away',
  NOAUTH: 'setup',
  WRONGPASS: 'setup',
  NOPERM: 'setup',
  DENIED: 'setup',
  CROSSSLOT: 'setup',
  WRONGTYPE: 'setup', // the scripts handle the keys of users; what is left are keys that all work needs
};

const TOO_MANY_CLIENTS = /^ERR max number of clients/;

// Redis 7.0 does not reply NOPERM when a command within a script is not allowed.
const NOT_USABLE = /^ERR (unknown command|The user executing the script can't)/i;

// The scripts in ../index/redis/lua check their arguments, those for all users and those for each, before they write.
const REFUSED_CALL = /user_script:\d+: [a-z-]+: bad arguments/;

const REFUSED_ROW = /user_script:\d+: [a-z-]+: (bad (contact|row|count)|arguments left over)/;

const REPLICAS_REPLIES = new Set(['READONLY', 'MASTERDOWN']);

const REFUSED_WRITES = new Set(['MISCONF', 'NOREPLICAS']);

// In a slot that is moving, a script is aborted when it writes a key that it has just emptied or deleted.
const NOT_HERE = /attempted to access a non local key/;

/** Does this reply mean that the server cannot be used now? */
function isRefusedForNow(error: Error): boolean {
  return REPLIES[firstWord(error)] === 'away' || TOO_MANY_CLIENTS.test(error.message) || NOT_HERE.test(error.message);
}

/** @returns undefined if the error is not from Redis */
export function redisFaultOf(error: unknown): RedisFault | undefined {
  if (error instanceof RedisUnavailable || isWithoutReply(error)) return 'away';
  if (!isReply(error)) return undefined;
  if (isRefusedForNow(error)) return 'away';
  if (NOT_USABLE.test(error.message) || REFUSED_CALL.test(error.message)) return 'setup';
  return REPLIES[firstWord(error)] ?? (REFUSED_ROW.test(error.message) ? 'row' : 'unknown');
}

/** Does Redis not answer because it is away, or because it refuses this account? MySQL can answer everything without it. */
export function isWithoutRedis(error: unknown): boolean {
  const fault = redisFaultOf(error);
  return fault === 'away' || fault === 'setup';
}

/** An error that the server has sent. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** One of ioredis, by its name, when the connection was lost too often. */
function isWithoutReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'MaxRetriesPerRequestError';
}

/** The first word of the server's own reply, also if a script has caught or raised it: then Redis prefixes where that was. */
function firstWord({ message }: Error): string {
  return /^(?:ERR )?(?:user_script:\d+: )?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}

/** Is the server a replica? It refuses writes, and its data may be old. */
export function isReplicasReply(error: unknown): boolean {
  return error instanceof Error && REPLICAS_REPLIES.has(firstWord(error));
}

/** Does the server refuse only writes for now? It cannot save to its disk, or has too few replicas. */
export function isWriteRefused(error: unknown): boolean {
  const { cause } = error as Error;
  return error instanceof RedisUnavailable && cause instanceof Error && REFUSED_WRITES.has(firstWord(cause));
}

/** Are keys of the call moving to another node of a cluster? Fewer keys at once, or the same keys later, will be answered. */
export function isSlotMoving(error: unknown): boolean {
  return error instanceof RedisUnavailable && (/\bTRYAGAIN\b/.test(error.message) || NOT_HERE.test(error.message));
}

/**
 * Awaits the reply to a command.
 * @param pending what ioredis has returned: it rejects with an error that the server has sent, or because there is no reply
 * @throws RedisUnavailable when there is none, or it means that; other replies as they are
 */
export async function reply<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (isReply(error) && !isRefusedForNow(error)) throw error;
    const what = refusalOf(error as Error)?.what ?? 'is not available';
    throw new RedisUnavailable(`Redis ${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** Why a Redis that answers cannot work now, as a phrase that follows "Redis", and what to do about it. */
interface Refusal {
  readonly what: string;
  readonly remedy: string;
}

const REFUSALS: readonly (readonly [reply: RegExp, refusal: Refusal])[] = [
  [/\bOOM\b/, { what: 'is out of memory', remedy: 'Raise its maxmemory, or free some of it.' }],
  [/\bMISCONF\b/, { what: 'cannot save to disk and refuses writes', remedy: 'Check its disk and its log.' }],
  [
    /\bNOREPLICAS\b/,
    { what: 'has too few replicas to take writes', remedy: 'Start them, or lower its min-replicas-to-write.' },
  ],
  [/\bLOADING\b/, { what: 'is still loading its data', remedy: 'Try again when it has.' }],
  [
    /\bBUSY\b/,
    { what: 'is busy with a script that does not end', remedy: 'End it with SCRIPT KILL or FUNCTION KILL.' },
  ],
  [/\bCLUSTERDOWN\b/, { what: 'is an incomplete cluster', remedy: 'Start the nodes that are down.' }],
];

/** Judged by the error's text, which contains the reply even if a script passes it on. undefined: Redis has not refused. */
export function refusalOf({ message }: Pick<Error, 'message'>): Refusal | undefined {
  return REFUSALS.find(([reply]) => reply.test(message))?.[1];
}

import { UserError } from '../contracts/user-error.ts';

/** Redis cannot be asked now: it is away, loading, full, failing over, or did not answer in time. */
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
  UNBLOCKED: 'away', // the master became a replica while a command waited
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

const REPLICAS_REPLIES = new Set(['READONLY', 'MASTERDOWN']);

const REFUSED_WRITES = new Set(['MISCONF', 'NOREPLICAS']);

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

/** Of the server's own reply, also where a script has caught or raised it: Redis then says first where that was. */
function firstWord({ message }: Error): string {
  return /^(?:ERR )?(?:user_script:\d+: )?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}

/** The server is a replica: writes are refused there, and what it holds may be old. Its master is elsewhere. */
export function isReplicasReply(error: unknown): boolean {
  return error instanceof Error && REPLICAS_REPLIES.has(firstWord(error));
}

/** The server refuses writes for now, and perhaps can be read: it cannot save to its disk, or has too few replicas. */
export function isWriteRefused(error: unknown): boolean {
  const { cause } = error as Error;
  return error instanceof RedisUnavailable && cause instanceof Error && REFUSED_WRITES.has(firstWord(cause));
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
    const what = refusalOf(error as Error)?.what ?? 'is not available';
    throw new RedisUnavailable(`Redis ${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** What a Redis that answers, and yet cannot work now, says of itself; and what to do. After "Redis". */
export interface Refusal {
  readonly what: string;
  readonly remedy: string;
}

const REFUSALS: readonly (readonly [reply: RegExp, refusal: Refusal])[] = [
  [/\bOOM\b/, { what: 'is out of memory', remedy: 'Raise its maxmemory, or free some of it.' }],
  [/\bMISCONF\b/, { what: 'cannot save to disk, and takes no writes', remedy: 'Look at its disk and its log.' }],
  [
    /\bNOREPLICAS\b/,
    { what: 'has too few replicas to take writes', remedy: 'Start them, or lower its min-replicas-to-write.' },
  ],
  [/\bLOADING\b/, { what: 'is still loading its data', remedy: 'Try again when it has.' }],
  [
    /\bBUSY\b/,
    { what: 'is busy with a script that does not end', remedy: 'Look which: SCRIPT KILL or FUNCTION KILL ends it.' },
  ],
  [/\bCLUSTERDOWN\b/, { what: 'is a cluster that is not whole', remedy: 'Start the nodes that are away.' }],
];

/** By the error's text, which holds the reply also where a script passes it on. undefined: Redis has not refused anything. */
export function refusalOf({ message }: Pick<Error, 'message'>): Refusal | undefined {
  return REFUSALS.find(([reply]) => reply.test(message))?.[1];
}

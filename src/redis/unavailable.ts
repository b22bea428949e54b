/** Redis cannot be asked now: it is away, loading, full, failing over, or did not answer in time. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

// By the first word of a server's reply.
const AWAY_REPLY = /^(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|OOM|BUSY|MISCONF|NOREPLICAS|UNKILLABLE)\b/;

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
    AWAY_REPLY.test(error.message) ||
    NO_REPLY.test(error.message) ||
    NOT_HERE.test(error.message)
  );
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

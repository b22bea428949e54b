import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../../contracts/user-error.ts';

/** Something did not happen in time. */
export class TookTooLong extends UserError {
  override readonly name = 'TookTooLong';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy(): string {
    return 'Is the machine busy with something else? Two idle cores are enough: run this again when it has them.';
  }
}

export interface PollOptions {
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Looks again and again, until it has seen what it waits for or the time is up. @returns what it saw last */
export async function poll<T>(
  look: () => Promise<T>,
  isAwaited: (seen: T) => boolean,
  { everyMs, timeoutMs, signal }: PollOptions,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (isAwaited(seen) || performance.now() > deadline) return seen;
    await pause(everyMs, undefined, { signal });
  }
}

/**
 * The same, where nothing can go on without it.
 * @param what did not happen, as the beginning of a sentence, when the time is up
 * @throws TookTooLong
 */
export async function until<T>(
  what: string | ((seen: T) => string),
  look: () => Promise<T>,
  isAwaited: (seen: T) => boolean,
  options: PollOptions,
): Promise<T> {
  const seen = await poll(look, isAwaited, options);
  if (isAwaited(seen)) return seen;
  throw new TookTooLong(`${typeof what === 'string' ? what : what(seen)} within ${options.timeoutMs / 1000} s.`);
}

/** What a busy machine does to connections. */
const BUSY = new Set(['ETIMEDOUT', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'PROTOCOL_CONNECTION_LOST']);

/** The error, as one that says what to do if it comes from a server that did not answer. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const { code } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
  if (error.name !== 'TimeoutError' && !BUSY.has(String(code))) return error;
  return new TookTooLong(`A server did not answer (${code ?? error.message}).`, { cause: error });
}

import { setTimeout as pause } from 'node:timers/promises';

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

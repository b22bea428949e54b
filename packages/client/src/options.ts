import { InvalidArgument } from './errors.ts';
import { shown } from './id.ts';

export interface RecencyClientOptions {
  /** Where the API answers: `http://127.0.0.1:8470`. */
  readonly baseUrl: string;
  /** Needs the scopes of the routes that are called: read, write, admin. */
  readonly token?: string | undefined;
  /** Time for a call, retries included, ms (10,000). */
  readonly deadlineMs?: number;
  /** Attempts in all for what may be repeated (3); 1: no retries. */
  readonly attempts?: number;
  /** How long a user's reads carry a change of theirs, ms (60,000): longer than its task takes to be applied. */
  readonly freshMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export const DEFAULTS = { deadlineMs: 10_000, attempts: 3, freshMs: 60_000 };

/** The longest time that a timer can wait, ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws InvalidArgument */
export function checkAddress(baseUrl: string): void {
  if (URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)) return;
  throw new InvalidArgument('baseUrl', `is ${shown(baseUrl)}: the address of the API is meant, http://127.0.0.1:8470`);
}

/** @throws InvalidArgument */
export function checkTime(name: string, ms: number): number {
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgument(name, `is ${shown(ms)}: a time is in ms, more than 0 and at most ${LONGEST_MS}`);
}

/** @throws InvalidArgument */
export function checkAttempts(attempts: number): number {
  if (Number.isSafeInteger(attempts) && attempts > 0) return attempts;
  throw new InvalidArgument('attempts', `is ${shown(attempts)}: a whole number from 1 is meant`);
}

/**
 * Refuses what would name another path than the one that is meant: the parts `.` and `..` of a URL are resolved before it is sent.
 * @throws InvalidArgument
 */
export function checkPath(parts: Readonly<Record<string, unknown>> = {}): void {
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string' && !/^\.{0,2}$/.test(part)) continue;
    throw new InvalidArgument(name, `is ${shown(part)}: a part of the path is text`);
  }
}

import { RecencyDeadlineExceeded, RecencyProblem, RecencyUnexpectedReply, RecencyUnreachable } from './errors.ts';

export interface RetryOptions {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Time for all attempts and the waits between them, ms. */
  readonly deadlineMs: number;
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Statuses after which the same request may succeed a moment later. */
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);

/** The longest wait before the first retry, ms; it doubles with every further one, to the greatest. */
const FIRST_WAIT_MS = 100;
const GREATEST_WAIT_MS = 2_000;

/**
 * Makes attempts until one succeeds, fails in a way that another attempt would not mend, or the attempts or the time are
 * used up; then rejects with the last failure. A wait is random (so that many clients do not come back together), and never
 * ends before the time that Retry-After gives: where that is later than the deadline, there is no further attempt.
 * @throws RecencyDeadlineExceeded, the last failure, or the signal's reason
 */
export async function retrying<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { attempts, deadlineMs, signal, random }: RetryOptions,
): Promise<T> {
  signal?.throwIfAborted();
  const end = performance.now() + deadlineMs;
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  let failure: unknown;
  const timer = setTimeout(() => controller.abort(new RecencyDeadlineExceeded(deadlineMs, failure)), deadlineMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (let made = 1; ; made += 1) {
      try {
        return await attempt(controller.signal);
      } catch (error) {
        if (controller.signal.aborted) throw controller.signal.reason;
        failure = error;
        const wait = waitAfter(error, made, random);
        if (wait === undefined || made >= attempts || performance.now() + wait >= end) throw error;
        await pause(wait, controller.signal);
      }
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** How long to wait before the next attempt, ms; undefined: another would fail in the same way. */
function waitAfter(error: unknown, made: number, random: () => number): number | undefined {
  const jitter = random() * Math.min(GREATEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (made - 1));
  if (error instanceof RecencyUnreachable) return jitter;
  if (!(error instanceof RecencyProblem || error instanceof RecencyUnexpectedReply)) return undefined;
  return TRANSIENT.has(error.status) ? (error.retryAfterMs ?? 0) + jitter : undefined;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/**
 * The time that a Retry-After header asks for, ms from now: it is in seconds, or a date (RFC 9110, 10.2.3). Undefined: there
 * is none that can be read.
 * @param now ms since 1970 UTC
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN; // Date.parse reads almost anything
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

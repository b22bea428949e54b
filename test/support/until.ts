import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

interface UntilOptions {
  /** Gives up after this long, ms. */
  readonly timeout?: number;
  /** Time between two checks, ms. Left out: little at first, and more the longer it takes. */
  readonly interval?: number;
  /** What it waits for, for the error. */
  readonly what?: string;
}

/**
 * Waits until the condition returns something truthy, and returns that. A condition that throws counts as not yet met.
 * Throws with the last value or error once the timeout has passed (180 s by default, for busy machines).
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 180_000, interval, what = condition.toString() }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const from = performance.now();
  const deadline = from + timeout;
  for (;;) {
    const seen = await look(condition);
    if (seen.met) return seen.value as Exclude<T, false | null | undefined | 0 | ''>;
    if (performance.now() >= deadline) {
      throw new Error(`not within ${timeout} ms: ${what}\nlast seen: ${seen.description}`, { cause: seen.error });
    }
    await sleep(interval ?? pauseAfter(performance.now() - from));
  }
}

/** A check takes the time of the processor from what it waits for: a wait becomes longer by a twentieth, and by 100 ms at most. */
const pauseAfter = (ms: number): number => Math.min(100, Math.max(20, ms / 20));

interface Look<T> {
  readonly met: boolean;
  readonly value?: T;
  readonly error?: unknown;
  readonly description: string;
}

async function look<T>(condition: () => T | Promise<T>): Promise<Look<T>> {
  try {
    const value = await condition();
    return { met: Boolean(value), value, description: inspect(value, { depth: 4 }) };
  } catch (error) {
    return { met: false, error, description: String(error) };
  }
}

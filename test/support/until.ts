import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

interface UntilOptions {
  /** Gives up after this long, ms. */
  readonly timeout?: number;
  /** Time between two checks, ms. */
  readonly interval?: number;
  /** What it waits for, for the error. */
  readonly what?: string;
}

/**
 * Waits until the condition returns something truthy, and returns that. A condition that throws counts as not yet met.
 * Throws with the last value or error once the timeout has passed (60 s by default, for busy machines).
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 60_000, interval = 20, what = condition.toString() }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const seen = await look(condition);
    if (seen.met) return seen.value as Exclude<T, false | null | undefined | 0 | ''>;
    if (performance.now() >= deadline) {
      throw new Error(`not within ${timeout} ms: ${what}\nlast seen: ${seen.description}`, { cause: seen.error });
    }
    await sleep(interval);
  }
}

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

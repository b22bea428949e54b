import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from './probe.ts';

export interface ReadyOptions {
  /** One attempt to reach the server. */
  readonly probe: () => Promise<Probe>;
  /** Whether the answer came from the server that was meant. */
  readonly accept?: (probe: Probe) => boolean;
  /** Throws when the server can never become ready, for example because its process ended. */
  readonly check: () => void | Promise<void>;
  /** Milliseconds until it gives up. */
  readonly timeout: number;
}

/** Probes a server until it answers. Throws when it ended, or with the last reason once the time is up. */
export async function untilReady({ probe, accept = () => true, check, timeout }: ReadyOptions): Promise<Probe> {
  const deadline = performance.now() + timeout;
  for (;;) {
    await check();
    const outcome = await attempt(probe);
    if ('answer' in outcome && accept(outcome.answer)) return outcome.answer;
    if (performance.now() > deadline) throw new Error(`no answer within ${timeout / 1000} s: ${reasonOf(outcome)}`);
    await sleep(50);
  }
}

type Outcome = { readonly answer: Probe } | { readonly error: unknown };

async function attempt(probe: () => Promise<Probe>): Promise<Outcome> {
  try {
    return { answer: await probe() };
  } catch (error) {
    return { error };
  }
}

function reasonOf(outcome: Outcome): string {
  if ('answer' in outcome) return 'another server answers on its port';
  return outcome.error instanceof Error ? outcome.error.message || outcome.error.name : String(outcome.error);
}

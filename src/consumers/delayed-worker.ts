import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DelayedWork } from '../index/deferred-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { isStoreFault } from '../index/store-fault.ts';
import { type DelayedObserver, doDelayed } from './delayed-items.ts';

export interface DelayedWorkerOptions extends DelayedObserver {
  readonly steps: Steps;
  readonly delayed: Pick<DelayedWork, 'take' | 'finish'>;
  readonly logger: Logger;
}

const ITEMS_AT_ONCE = 200;

/** Longer than this many items take. If they do take longer, somebody else does them too, which does no harm. */
const LEASE_MS = 15_000;

const IDLE_MS = 100;
const AWAY_MS = 1_000;

/** Does what was put off: lost races, rebuilds that reads asked for, rows that were not visible yet. */
export class DelayedWorker {
  readonly #options: DelayedWorkerOptions;

  constructor(options: DelayedWorkerOptions) {
    this.#options = options;
  }

  /** Until aborted; the items in work are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait = await this.#round();
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** How many items were due and are done. @throws what the stores throw */
  async runOnce(): Promise<number> {
    const { steps, delayed } = this.#options;
    const held = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    if (held.items.length === 0) return 0;
    await run(doDelayed(held.items, this.#options), steps);
    await delayed.finish(held);
    return held.items.length;
  }

  /** How long to wait before the next one, ms. */
  async #round(): Promise<number> {
    try {
      return (await this.runOnce()) > 0 ? 0 : IDLE_MS;
    } catch (error) {
      const level = isStoreFault(error) ? 'warn' : 'error';
      this.#options.logger[level]({ err: error }, 'delayed work was not done; it comes back');
      return AWAY_MS;
    }
  }
}

import type { Logger } from 'pino';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import type { DelayedWork, Rechecks } from '../../src/index/delayed-work.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { Worker } from './carrier.ts';
import type { Actor, Turns } from './turns.ts';

interface DelayedProcessOptions {
  readonly actor: Actor;
  readonly turns: Turns;
  readonly steps: Steps;
  readonly delayed: DelayedWork;
  readonly rechecks: Rechecks;
  readonly logger: Logger;
}

/** The product's delayed worker, one round at a time. */
export class DelayedProcess implements Worker {
  readonly kind = 'delayed';
  readonly actor: Actor;
  readonly #worker: DelayedWorker;
  readonly #logger: Logger;
  #working: Promise<void> | undefined;

  constructor({ actor, turns, steps, delayed, rechecks, logger }: DelayedProcessOptions) {
    this.actor = actor;
    this.#logger = logger;
    const queue: Pick<DelayedWork, 'take' | 'finish' | 'extend'> = {
      take: (count, leaseMs) => turns.take(actor, 'take', () => delayed.take(count, leaseMs)),
      extend: (items, leaseMs) => delayed.extend(items, leaseMs),
      finish: (items) => turns.take(actor, 'finish', () => delayed.finish(items)),
    };
    const kept: Pick<Rechecks, 'put' | 'take' | 'finish'> = {
      put: (pairs, attempt) => turns.take(actor, 'recheck', () => rechecks.put(pairs, attempt)),
      take: (count, leaseMs) => turns.take(actor, 'take re-checks', () => rechecks.take(count, leaseMs)),
      finish: (rows) => turns.take(actor, 'finish re-checks', () => rechecks.finish(rows)),
    };
    this.#worker = new DelayedWorker({ steps, delayed: queue, rechecks: kept, logger });
  }

  /** The round in progress; undefined: idle. */
  get working(): Promise<void> | undefined {
    return this.#working;
  }

  /** Starts a round, unless one is in progress. */
  begin(): void {
    this.#working ??= this.#round();
  }

  /** Does nothing: what it holds comes back when its lease ends. */
  loseHold(): void {}

  die(): void {}

  async #round(): Promise<void> {
    try {
      await this.#worker.runOnce();
    } catch (error) {
      this.#logger.debug({ err: error }, 'delayed work was not done');
    } finally {
      this.#working = undefined;
    }
  }
}

import type { Logger } from 'pino';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import type { DelayedWork, Rechecks } from '../../src/index/delayed-work.ts';
import { TRUSTED } from '../support/trust.ts';
import type { KindSteps, Worker } from './carrier.ts';
import type { Actor, Turns } from './turns.ts';

/** Where the delayed work of one kind waits. */
export interface DelayedOfKind extends KindSteps {
  readonly delayed: DelayedWork;
  readonly rechecks: Rechecks;
}

interface DelayedProcessOptions {
  readonly actor: Actor;
  readonly turns: Turns;
  readonly kinds: readonly DelayedOfKind[];
  readonly logger: Logger;
}

/** The product's delayed workers, one for each kind, one round at a time. */
export class DelayedProcess implements Worker {
  readonly kind = 'delayed';
  readonly actor: Actor;
  readonly #workers: readonly DelayedWorker[];
  readonly #logger: Logger;
  #working: Promise<void> | undefined;

  constructor(options: DelayedProcessOptions) {
    this.actor = options.actor;
    this.#logger = options.logger;
    this.#workers = options.kinds.map((parts) => workerOf(parts, options));
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
      for (const worker of this.#workers) await worker.runOnce();
    } catch (error) {
      this.#logger.debug({ err: error }, 'delayed work was not done');
    } finally {
      this.#working = undefined;
    }
  }
}

/** Each access to a queue is a turn of the process. */
function workerOf({ kind, steps, delayed, rechecks }: DelayedOfKind, options: DelayedProcessOptions): DelayedWorker {
  const { actor, turns, logger } = options;
  const queue: Pick<DelayedWork, 'take' | 'finish' | 'extend' | 'looks'> = {
    looks: delayed.looks,
    take: (count, leaseMs) => turns.take(actor, 'take', () => delayed.take(count, leaseMs)),
    extend: (items, leaseMs) => delayed.extend(items, leaseMs),
    finish: (items) => turns.take(actor, 'finish', () => delayed.finish(items)),
  };
  const kept: Pick<Rechecks, 'put' | 'take' | 'finish' | 'looks'> = {
    looks: rechecks.looks,
    put: (pairs, attempt) => turns.take(actor, 'recheck', () => rechecks.put(pairs, attempt)),
    take: (count, leaseMs) => turns.take(actor, 'take re-checks', () => rechecks.take(count, leaseMs)),
    finish: (rows) => turns.take(actor, 'finish re-checks', () => rechecks.finish(rows)),
  };
  return new DelayedWorker({ watch: TRUSTED, kind, steps, delayed: queue, rechecks: kept, logger });
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DelayedItem, DelayedWork } from '../index/deferred-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { RECHECKS, type Rechecks } from '../index/rechecks.ts';
import { isStoreFault } from '../index/store-fault.ts';
import type { RecheckRow } from '../mysql/rechecks.ts';
import { type DelayedObserver, doDelayed } from './delayed-items.ts';

export interface DelayedWorkerOptions extends DelayedObserver {
  readonly steps: Steps;
  readonly delayed: Pick<DelayedWork, 'take' | 'finish'>;
  readonly rechecks: Pick<Rechecks, 'put' | 'take' | 'finish'>;
  readonly logger: Logger;
}

const ITEMS_AT_ONCE = 200;

/** Longer than this many items take. If they do take longer, somebody else does them too, which does no harm. */
const LEASE_MS = 15_000;

/** Between two looks that find nothing. Re-checks wait for commits, so that nothing is gained by looking more often. */
const IDLE_MS = { delayed: 100, rechecks: 250 };
const AWAY_MS = 1_000;

/**
 * Does what was put off: lost races and rebuilds that reads asked for, which wait in Redis, and re-checks, which wait in
 * MySQL. Every consumer does, so nothing else has to run for it.
 */
export class DelayedWorker {
  readonly #options: DelayedWorkerOptions;

  constructor(options: DelayedWorkerOptions) {
    this.#options = options;
  }

  /** Until aborted; the items in work are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(signal, IDLE_MS.delayed, () => this.#doDelayed()),
      this.#repeat(signal, IDLE_MS.rechecks, () => this.#doRechecks()),
    ]);
  }

  /** How many items were due and are done. @throws what the stores throw */
  async runOnce(): Promise<number> {
    return (await this.#doDelayed()) + (await this.#doRechecks());
  }

  async #doDelayed(): Promise<number> {
    const { delayed } = this.#options;
    const held = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    if (held.items.length === 0) return 0;
    await this.#do(held.items);
    await delayed.finish(held);
    return held.items.length;
  }

  async #doRechecks(): Promise<number> {
    const { rechecks, logger } = this.#options;
    const rows = await rechecks.take(ITEMS_AT_ONCE, LEASE_MS);
    if (rows.length === 0) return 0;
    try {
      await this.#do(rows.map(itemOf));
    } catch (error) {
      if (isStoreFault(error)) throw error;
      logger.error({ err: error }, 're-checks failed; trying them one by one');
      for (const row of rows) await this.#doAlone(row);
    }
    await rechecks.finish(rows);
    return rows.length;
  }

  /** One that fails for a reason of its own counts as looked at, and is given up after as many looks as any other. */
  async #doAlone(row: RecheckRow): Promise<void> {
    const { rechecks, logger, onGivenUp } = this.#options;
    try {
      await this.#do([itemOf(row)]);
    } catch (error) {
      if (isStoreFault(error)) throw error;
      const { user, contact, version, attempt } = row;
      logger.error({ err: error, user, contact, version, attempt }, 'a re-check failed');
      if (attempt < RECHECKS) await rechecks.put([row], attempt + 1);
      else onGivenUp?.(1);
    }
  }

  async #do(items: readonly DelayedItem[]): Promise<void> {
    await run(doDelayed(items, this.#options), this.#options.steps);
  }

  async #repeat(signal: AbortSignal, idleMs: number, round: () => Promise<number>): Promise<void> {
    while (!signal.aborted) {
      const wait = await this.#waitAfter(round, idleMs);
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** How long to wait before the next round, ms. */
  async #waitAfter(round: () => Promise<number>, idleMs: number): Promise<number> {
    try {
      return (await round()) > 0 ? 0 : idleMs;
    } catch (error) {
      const level = isStoreFault(error) ? 'warn' : 'error';
      this.#options.logger[level]({ err: error }, 'delayed work was not done; it comes back');
      return AWAY_MS;
    }
  }
}

function itemOf({ user, contact, version, attempt }: RecheckRow): DelayedItem {
  return { kind: 'recheck', user, contact, version, attempt };
}

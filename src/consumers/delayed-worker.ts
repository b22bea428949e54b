import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { DelayedItem, DelayedWork } from '../index/deferred-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import { RECHECKS, type Rechecks } from '../index/rechecks.ts';
import { type SetAside, settingAside } from '../index/set-aside.ts';
import { type Answers, isStoreFault } from '../index/store-fault.ts';
import type { RecheckRow } from '../mysql/rechecks.ts';
import type { Held } from '../redis/delay-queue.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type DelayedObserver, doDelayed } from './delayed-items.ts';

export interface DelayedWorkerOptions extends Omit<DelayedObserver, 'onSlow'> {
  readonly steps: Steps;
  /** For rebuilds that take long (`steps`). */
  readonly patient?: Steps;
  readonly delayed: Pick<DelayedWork, 'take' | 'finish' | 'extend'>;
  readonly rechecks: Pick<Rechecks, 'put' | 'take' | 'finish'>;
  readonly logger: Logger;
  /** Do the stores answer? Left out: what takes too long is always taken for the fault of a store. */
  readonly answers?: Answers;
  /** For items that fail by themselves, as tasks that can be replayed; left out: they are only logged. */
  readonly deadLetters?: Pick<DeadLetters, 'put'>;
}

const ITEMS_AT_ONCE = 200;

/** Longer than this many items take. If they do take longer, somebody else does them too, which does no harm. */
const LEASE_MS = 15_000;

/** The same for a rebuild that takes long, and waits for its turn. */
const SLOW_LEASE_MS = 180_000;

/** Between two looks that find nothing. Re-checks wait for commits, so that nothing is gained by looking more often. */
const IDLE_MS = { delayed: 100, rechecks: 250 };
const AWAY_MS = 1_000;

/**
 * Does what was put off: lost races and rebuilds that reads asked for, which wait in Redis, and re-checks, which wait in
 * MySQL. Every consumer does, so nothing else has to run for it. Rebuilds that take long are done beside the rest, one at
 * a time, so that nobody waits for them.
 */
export class DelayedWorker {
  readonly #options: DelayedWorkerOptions;
  readonly #oneSlow = pLimit(1);
  /** Users whose slow rebuilds are under way, or wait for their turn. */
  readonly #slow = new Set<Id>();
  /** Users who cannot be built, for a while: reads ask for them again and again. */
  readonly #told = new LRUCache<Id, true>({ max: 1_000, ttl: 600_000 });
  #ended = false;

  constructor(options: DelayedWorkerOptions) {
    this.#options = options;
  }

  /** Until aborted; the items in work are finished first, but for a slow rebuild, which comes back. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(signal, IDLE_MS.delayed, () => this.#doDelayed()),
      this.#repeat(signal, IDLE_MS.rechecks, () => this.#doRechecks()),
    ]);
    this.#ended = true;
  }

  /** How many items were due and are done, or are being built. @throws what the stores throw */
  async runOnce(): Promise<number> {
    return (await this.#doDelayed()) + (await this.#doRechecks());
  }

  async #doDelayed(): Promise<number> {
    const { delayed } = this.#options;
    const held = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    if (held.items.length === 0) return 0;
    const { aside, slow } = await this.#do(held.items);
    const isSlow = (item: DelayedItem) => item.kind === 'rebuild' && slow.has(item.user);
    const { leaseEnd } = held;
    await this.#putAside(aside);
    await this.#buildSlow({ items: held.items.filter(isSlow), leaseEnd });
    await delayed.finish({ items: held.items.filter((item) => !isSlow(item)), leaseEnd });
    return held.items.length;
  }

  /** One that fails by itself counts as looked at. After as many looks as any other it becomes a dead letter. */
  async #doRechecks(): Promise<number> {
    const { rechecks, onGivenUp, logger } = this.#options;
    const rows = await rechecks.take(ITEMS_AT_ONCE, LEASE_MS);
    if (rows.length === 0) return 0;
    const rowOf = new Map(rows.map((row) => [itemOf(row), row]));
    const { aside } = await this.#do([...rowOf.keys()]);
    const last: SetAside<DelayedItem>[] = [];
    for (const failed of aside) {
      const row = rowOf.get(failed.item);
      if (row === undefined || row.attempt >= RECHECKS) last.push(failed);
      else {
        logger.error({ err: failed.error, ...failed.item }, 'a re-check failed; it is tried again later');
        await rechecks.put([row], row.attempt + 1);
      }
    }
    await this.#putAside(last);
    if (last.length > 0) onGivenUp?.(last.length);
    await rechecks.finish(rows);
    return rows.length;
  }

  /** @returns what failed by itself, and the users whose rebuilds take too long to be done here */
  async #do(items: readonly DelayedItem[]): Promise<{ aside: SetAside<DelayedItem>[]; slow: ReadonlySet<Id> }> {
    const { steps, logger, answers = never } = this.#options;
    const slow = new Set<Id>();
    const onSlow = (users: readonly Id[]) => users.forEach((user) => void slow.add(user));
    const observer = { ...this.#options, onSlow };
    const work = async (some: readonly DelayedItem[]) => await run(doDelayed(some, observer), steps);
    const onFailure = (err: unknown) => logger.error({ err }, 'delayed work failed; trying parts of it');
    return { aside: await settingAside(items, work, { answers, onFailure }), slow };
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

  /** They stay held: what is not finished when this process ends comes back. */
  async #buildSlow(held: Held<DelayedItem>): Promise<void> {
    if (held.items.length === 0) return;
    const { items, leaseEnd } = await this.#options.delayed.extend(held, SLOW_LEASE_MS);
    for (const item of items) {
      if (this.#slow.has(item.user)) continue;
      this.#slow.add(item.user);
      void this.#oneSlow(() => this.#buildAlone({ items: [item], leaseEnd }, item.user)).finally(() =>
        this.#slow.delete(item.user),
      );
    }
  }

  async #buildAlone(held: Held<DelayedItem>, user: Id): Promise<void> {
    const { delayed, logger, steps, patient = steps } = this.#options;
    if (this.#ended) return;
    try {
      const { unsettled, slow } = await run(rebuild([user]), patient);
      if (unsettled.length > 0) await patient.defer({ pairs: [], rebuilds: unsettled });
      if (slow.length > 0) this.#tellOfHopeless(user);
      await delayed.finish(held);
    } catch (error) {
      logger.warn({ err: error, user }, 'a slow rebuild was not done; it comes back');
    }
  }

  #tellOfHopeless(user: Id): void {
    if (this.#told.has(user)) return;
    this.#told.set(user, true);
    this.#options.logger.error(
      { user },
      'an index cannot be built: reading all contacts of the user takes longer than MYSQL_BUILD_TIMEOUT_MS',
    );
  }

  async #putAside(aside: readonly SetAside<DelayedItem>[]): Promise<void> {
    const { deadLetters, logger } = this.#options;
    for (const { item, error } of aside) logger.error({ err: error, item }, 'delayed work cannot be done; set aside');
    const letters = aside.flatMap(letterOf);
    if (letters.length > 0) await deadLetters?.put(letters);
  }
}

function itemOf({ user, contact, version, attempt }: RecheckRow): DelayedItem {
  return { kind: 'recheck', user, contact, version, attempt };
}

/** What refreshes the same pair when it is replayed. Rebuilds have no task: reads ask for them again. */
function letterOf({ item, error, attempts }: SetAside<DelayedItem>) {
  if (item.kind === 'rebuild') return [];
  const { user, contact } = item;
  const task = { type: 'recency.contact.changed', user, contact };
  const delivery = {
    position: `delayed:${user}:${contact}`,
    body: Buffer.from(JSON.stringify(task)),
    headers: {},
    timestamp: Date.now(),
  };
  return [{ delivery, failure: { errorClass: error.name, message: error.message, attempts } }];
}

async function never(): Promise<boolean> {
  return false;
}

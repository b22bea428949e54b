import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { DelayedItem, DelayedWork } from '../index/deferred-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { RECHECKS, type Rechecks } from '../index/rechecks.ts';
import { type SetAside, settingAside } from '../index/set-aside.ts';
import { type Answers, isStoreFault } from '../index/store-fault.ts';
import type { RecheckRow } from '../mysql/rechecks.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import { type DelayedObserver, doDelayed } from './delayed-items.ts';
import { SlowBuilds } from './slow-builds.ts';

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
  readonly #slowBuilds: SlowBuilds;

  constructor(options: DelayedWorkerOptions) {
    const { steps, patient = steps, delayed, logger } = options;
    this.#options = options;
    this.#slowBuilds = new SlowBuilds({ steps: patient, delayed, logger });
  }

  /**
   * Until aborted. The items in work are finished first, but for slow rebuilds and those among which one fails by itself:
   * these come back.
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(signal, IDLE_MS.delayed, () => this.#doDelayed(signal)),
      this.#repeat(signal, IDLE_MS.rechecks, () => this.#doRechecks(signal)),
    ]);
    this.#slowBuilds.end();
  }

  /** How many items were due and are done, or are being built. @throws what the stores throw */
  async runOnce(): Promise<number> {
    return (await this.#doDelayed()) + (await this.#doRechecks());
  }

  async #doDelayed(signal?: AbortSignal): Promise<number> {
    const { delayed } = this.#options;
    const { items, leaseEnd } = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    for (const some of inTurn(items)) {
      const { aside, slow } = await this.#do(some, signal);
      const isSlow = (item: DelayedItem) => item.kind === 'rebuild' && slow.has(item.user);
      await this.#putAside(aside);
      await this.#slowBuilds.add({ items: some.filter(isSlow), leaseEnd });
      await delayed.finish({ items: some.filter((item) => !isSlow(item)), leaseEnd });
    }
    return items.length;
  }

  async #doRechecks(signal?: AbortSignal): Promise<number> {
    const { rechecks } = this.#options;
    const rows = await rechecks.take(ITEMS_AT_ONCE, LEASE_MS);
    // Each attempt by itself: a failure among the others does not have the next look at these put a second time.
    for (const some of Map.groupBy(rows, ({ attempt }) => attempt).values()) {
      await this.#recheck(some, signal);
      await rechecks.finish(some);
    }
    return rows.length;
  }

  /** One that fails by itself counts as looked at. After as many looks as any other it becomes a dead letter. */
  async #recheck(rows: readonly RecheckRow[], signal?: AbortSignal): Promise<void> {
    const { rechecks, onGivenUp, logger } = this.#options;
    const rowOf = new Map(rows.map((row) => [itemOf(row), row]));
    const { aside } = await this.#do([...rowOf.keys()], signal);
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
  }

  /**
   * @param signal once it is aborted nothing that fails is looked into
   * @returns what failed by itself, and the users whose rebuilds take too long to be done here
   */
  async #do(
    items: readonly DelayedItem[],
    signal?: AbortSignal,
  ): Promise<{ aside: SetAside<DelayedItem>[]; slow: ReadonlySet<Id> }> {
    const { steps, logger, answers = never } = this.#options;
    const slow = new Set<Id>();
    const onSlow = (users: readonly Id[]) => users.forEach((user) => void slow.add(user));
    const observer = { ...this.#options, onSlow };
    const work = async (some: readonly DelayedItem[]) => await run(doDelayed(some, observer), steps);
    const onFailure = (err: unknown) => logger.error({ err }, 'delayed work failed; trying parts of it');
    const isEnd = () => signal?.aborted === true;
    return { aside: await settingAside(items, work, { answers, onFailure, isEnd }), slow };
  }

  async #repeat(signal: AbortSignal, idleMs: number, work: () => Promise<number>): Promise<void> {
    const onError = (error: unknown) => {
      const level = isStoreFault(error) ? 'warn' : 'error';
      this.#options.logger[level]({ err: error }, 'delayed work was not done; it comes back');
      return AWAY_MS;
    };
    await loop({ signal, round: async () => ((await work()) > 0 ? 0 : idleMs), onError });
  }

  async #putAside(aside: readonly SetAside<DelayedItem>[]): Promise<void> {
    const { deadLetters, logger } = this.#options;
    for (const { item, error } of aside) logger.error({ err: error, item }, 'delayed work cannot be done; set aside');
    const letters = aside.flatMap(letterOf);
    if (letters.length > 0) await deadLetters?.put(letters);
  }
}

/**
 * What is done and finished together, in this order. Rebuilds come last: at maxmemory the first build of an index is
 * refused, and with it all that is done together with it. Re-checks (which a former version left in the delay queue) are
 * apart by their attempts, as in MySQL.
 */
function inTurn(items: readonly DelayedItem[]): DelayedItem[][] {
  const { rebuild = [], refresh = [], recheck = [] } = Object.groupBy(items, ({ kind }) => kind);
  const attempts = Map.groupBy(recheck, (item) => (item.kind === 'recheck' ? item.attempt : 0)).values();
  return [refresh, ...attempts, rebuild].filter((some) => some.length > 0);
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

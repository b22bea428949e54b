import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { DelayedItem, DelayedWork } from '../index/delayed-work.ts';
import { RECHECKS, type Rechecks } from '../index/delayed-work.ts';
import { type Operation, run, type Steps, step } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import { addHint, type Hint, type RefreshReport, refresh } from '../index/refresh.ts';
import { type SetAside, settingAside } from '../index/set-aside.ts';
import { type Answers, isStoreFault } from '../index/store-fault.ts';
import type { RecheckRow } from '../mysql/rechecks.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import { SlowBuilds } from './slow-builds.ts';

/** Told what was done, for the metrics. */
export interface DelayedObserver {
  readonly onRefresh?: (report: RefreshReport) => void;
  /** Pairs whose rows stayed older than their tasks for too long; the index has what MySQL says. */
  readonly onGivenUp?: (pairs: number) => void;
}

export interface DelayedWorkerOptions extends DelayedObserver {
  /** Of this kind; contacts if left out. */
  readonly kind?: Kind;
  readonly steps: Steps;
  /** For rebuilds that take longer than a statement of `steps` may. Left out: `steps`. */
  readonly patient?: Steps;
  readonly delayed: Pick<DelayedWork, 'take' | 'finish' | 'extend'>;
  readonly rechecks: Pick<Rechecks, 'put' | 'take' | 'finish'>;
  readonly logger: Logger;
  /** Do the stores answer? Left out: what takes too long always counts as a fault of a store. */
  readonly answers?: Answers;
  /** Gets items that fail by themselves, as tasks that can be replayed. Left out: these are only logged. */
  readonly deadLetters?: Pick<DeadLetters, 'put'>;
}

const ITEMS_AT_ONCE = 200;

/** More than this many items need. If they do take longer, another worker does them too, which is harmless. */
const LEASE_MS = 15_000;

/** Wait after finding nothing, ms. Re-checks wait for commits, so polling them more often gains nothing. */
const IDLE_MS = { delayed: 100, rechecks: 250 };
const AFTER_FAILURE_MS = 1_000;

/**
 * Does the work that was put off: lost races and rebuilds that reads asked for, which wait in Redis, and re-checks, which
 * wait in MySQL. It runs in every consumer, so it needs no process of its own. Slow rebuilds run beside the rest, one at a
 * time, so that nothing waits for them.
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
   * Runs until aborted. Items in progress are finished first, except slow rebuilds and batches in which an item has failed
   * by itself: these come back when their lease ends.
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(signal, IDLE_MS.delayed, () => this.#doDelayed(signal)),
      this.#repeat(signal, IDLE_MS.rechecks, () => this.#doRechecks(signal)),
    ]);
    this.#slowBuilds.end();
  }

  /** Returns how many due items it has done, or begun to build. @throws what the stores throw */
  async runOnce(): Promise<number> {
    return (await this.#doDelayed()) + (await this.#doRechecks());
  }

  async #repeat(signal: AbortSignal, idleMs: number, work: () => Promise<number>): Promise<void> {
    const onError = (error: unknown) => {
      const level = isStoreFault(error) ? 'warn' : 'error';
      this.#options.logger[level]({ err: error }, 'delayed work failed; it will be retried');
      return AFTER_FAILURE_MS;
    };
    await loop({ signal, round: async () => ((await work()) > 0 ? 0 : idleMs), onError });
  }

  async #doDelayed(signal?: AbortSignal): Promise<number> {
    const { delayed } = this.#options;
    const { items, leaseEnd } = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    for (const group of inTurn(items)) {
      const { aside, slow } = await this.#do(group, signal);
      const isSlow = (item: DelayedItem) => item.kind === 'rebuild' && slow.has(item.user);
      await this.#putAside(aside);
      await this.#slowBuilds.add({ items: group.filter(isSlow), leaseEnd });
      await delayed.finish({ items: group.filter((item) => !isSlow(item)), leaseEnd });
    }
    return items.length;
  }

  async #doRechecks(signal?: AbortSignal): Promise<number> {
    const { rechecks } = this.#options;
    const rows = await rechecks.take(ITEMS_AT_ONCE, LEASE_MS);
    // By attempt, so that a failure in one group does not put the next attempt of another group a second time.
    for (const group of Map.groupBy(rows, ({ attempt }) => attempt).values()) {
      await this.#recheck(group, signal);
      await rechecks.finish(group);
    }
    return rows.length;
  }

  /** A re-check that fails by itself counts as an attempt. After the last attempt it becomes a dead letter. */
  async #recheck(rows: readonly RecheckRow[], signal?: AbortSignal): Promise<void> {
    const { rechecks, onGivenUp, logger } = this.#options;
    const rowOf = new Map(rows.map((row) => [itemOf(row), row]));
    const { aside } = await this.#do([...rowOf.keys()], signal);
    const last: SetAside<DelayedItem>[] = [];
    for (const failed of aside) {
      const row = rowOf.get(failed.item);
      if (row === undefined || row.attempt >= RECHECKS) last.push(failed);
      else {
        logger.error({ err: failed.error, ...failed.item }, 'a re-check failed; it will be retried later');
        await rechecks.put([row], row.attempt + 1);
      }
    }
    await this.#putAside(last);
    if (last.length > 0) onGivenUp?.(last.length);
  }

  /**
   * @param signal once it is aborted, a failure ends the work: no smaller parts are tried
   * @returns the items that failed by themselves, and the users whose rebuilds take too long to be done here
   */
  async #do(
    items: readonly DelayedItem[],
    signal?: AbortSignal,
  ): Promise<{ aside: SetAside<DelayedItem>[]; slow: ReadonlySet<Id> }> {
    const { steps, logger, answers = async () => false } = this.#options;
    const slow = new Set<Id>();
    const work = async (some: readonly DelayedItem[]) => {
      for (const user of await run(doDelayed(some, this.#options, this.#options.kind), steps)) slow.add(user);
    };
    const aside = await settingAside(items, work, {
      answers,
      onFailure: (err) => logger.error({ err }, 'delayed work failed; trying smaller parts of it'),
      isEnd: () => signal?.aborted === true,
    });
    return { aside, slow };
  }

  async #putAside(aside: readonly SetAside<DelayedItem>[]): Promise<void> {
    const { deadLetters, logger } = this.#options;
    for (const { item, error } of aside) logger.error({ err: error, item }, 'delayed work cannot be done; set aside');
    const { kind = CONTACTS } = this.#options;
    const letters = aside.flatMap((failed) => letterOf(failed, kind));
    if (letters.length > 0) await deadLetters?.put(letters);
  }
}

/**
 * Does items of the delay queue, or re-checks. When it ends they are written, or have been put back, and may be finished.
 * @returns users whose rebuilds take longer than a statement may, and were not done
 */
export function* doDelayed(
  items: readonly DelayedItem[],
  observer: DelayedObserver,
  kind: Kind = CONTACTS,
): Operation<readonly Id[]> {
  const users = items.filter((item) => item.kind === 'rebuild').map((item) => item.user);
  const slow = users.length > 0 ? yield* rebuildAgain(users) : [];
  for (const [attempt, some] of Map.groupBy(items.filter(isRefresh), attemptOf)) {
    yield* refreshAgain(hintsOf(some, kind), attempt, observer);
  }
  return slow;
}

function* rebuildAgain(users: readonly Id[]): Operation<readonly Id[]> {
  const { unsettled, slow } = yield* rebuild(users);
  // The same texts are held now. Put back before they are finished, they wait again.
  if (unsettled.length > 0) yield* step('defer', { pairs: [], rebuilds: unsettled });
  return slow;
}

type RefreshItem = Exclude<DelayedItem, { kind: 'rebuild' }>;

function* refreshAgain(hints: readonly Hint[], attempt: number, observer: DelayedObserver): Operation<void> {
  const report = yield* refresh(hints);
  observer.onRefresh?.(report);
  const { behind } = report;
  if (behind.length === 0) return;
  if (attempt < RECHECKS) yield* step('recheck', behind, attempt + 1);
  else observer.onGivenUp?.(behind.length);
}

/** A re-check of two users may wait for what one grants the other, so the other side is refreshed with it. */
function hintsOf(items: readonly RefreshItem[], { areUsers }: Kind): Hint[] {
  const hints = new Map<string, Hint>();
  for (const item of items) {
    const { user, contact } = item;
    addHint(hints, item.kind === 'recheck' ? { user, contact, version: item.version } : { user, contact });
    if (item.kind === 'recheck' && areUsers) addHint(hints, { user: contact, contact: user });
  }
  return [...hints.values()];
}

function isRefresh(item: DelayedItem): item is RefreshItem {
  return item.kind !== 'rebuild';
}

function attemptOf(item: RefreshItem): number {
  return item.kind === 'recheck' ? item.attempt : 0;
}

/**
 * Groups that are done and finished together, in this order. Rebuilds come last: at maxmemory Redis refuses the first build
 * of an index, which fails everything done together with it. Re-checks (left in the delay queue by a former version) are
 * grouped by attempt, as those in MySQL are.
 */
function inTurn(items: readonly DelayedItem[]): DelayedItem[][] {
  const refreshes: DelayedItem[][] = [...Map.groupBy(items.filter(isRefresh), attemptOf).values()];
  return [...refreshes, items.filter((item) => !isRefresh(item))].filter((group) => group.length > 0);
}

function itemOf({ user, contact, version, attempt }: RecheckRow): DelayedItem {
  return { kind: 'recheck', user, contact, version, attempt };
}

/** A task that refreshes the same pair when it is replayed. Rebuilds have no task: reads ask for them again. */
function letterOf({ item, error, attempts }: SetAside<DelayedItem>, { singular, relationTasks }: Kind) {
  if (item.kind === 'rebuild') return [];
  const { user, contact } = item;
  const task = { type: relationTasks.changed, user, [singular]: contact };
  const delivery = {
    position: `delayed:${user}:${contact}`,
    body: Buffer.from(JSON.stringify(task)),
    headers: {},
    timestamp: Date.now(),
  };
  return [{ delivery, failure: { errorClass: error.name, message: error.message, attempts } }];
}

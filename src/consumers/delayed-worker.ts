import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { DelayedItem, DelayedWork } from '../index/delayed-work.ts';
import { RECHECKS, type Rechecks } from '../index/delayed-work.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { type Operation, run, type Steps, step } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import { addHint, type Hint, type RefreshReport, refresh } from '../index/refresh.ts';
import { isolateFailures, type SetAside } from '../index/set-aside.ts';
import { type Answers, isStoreFault } from '../index/store-fault.ts';
import type { RecheckRow } from '../mysql/rechecks.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import type { IdlePause } from '../timing/idle-pause.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import { SlowBuilds } from './slow-builds.ts';
import { letterOfPair } from './task-consumer.ts';

/** Told what was done, for the metrics. */
export interface DelayedObserver {
  readonly onRefresh?: (report: RefreshReport) => void;
  /** Pairs whose rows stayed older than their tasks for too long; the index has what MySQL says. */
  readonly onGivenUp?: (pairs: number) => void;
}

/** Told of pairs that fail by themselves, and are not looked at again. Their users are cold. */
interface FailureObserver {
  readonly onFailed?: (pairs: readonly SetAside<Pair>[]) => void;
}

interface DelayedWorkerOptions extends DelayedObserver {
  /** Of this kind; contacts if left out. */
  readonly kind?: Kind;
  readonly steps: Steps;
  /** For rebuilds that take longer than a statement of `steps` may. Left out: `steps`. */
  readonly patient?: Steps;
  readonly delayed: Pick<DelayedWork, 'take' | 'finish' | 'extend' | 'looks'>;
  readonly rechecks: Pick<Rechecks, 'put' | 'take' | 'finish' | 'looks'>;
  /** Says whether what was written to Redis counts. */
  readonly watch: Pick<RedisTrust, 'during'>;
  readonly logger: Logger;
  /** Do the stores answer? Left out: what takes too long always counts as a fault of a store. */
  readonly answers?: Answers;
  /** Gets items that fail by themselves, as tasks that can be replayed. Left out: these are only logged. */
  readonly deadLetters?: Pick<DeadLetters, 'put'>;
}

const ITEMS_AT_ONCE = 200;

/** More than this many items need. If they do take longer, another worker does them too, which is harmless. */
const LEASE_MS = 15_000;

const AFTER_FAILURE_MS = 1_000;

/**
 * How often a pair is re-checked that fails by itself: for two seconds. While it waits it counts as a change on its way, and after ten
 * seconds no answer would be exact any more. Then it is a dead letter, which one without a version is at once.
 */
const RECHECKS_OF_FAILING = 3;

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
    const { delayed, rechecks } = this.#options;
    await Promise.all([
      this.#repeat(signal, delayed.looks, () => this.#doDelayed(signal)),
      this.#repeat(signal, rechecks.looks, () => this.#doRechecks(signal)),
    ]);
    this.#slowBuilds.end();
  }

  /** Returns how many due items it has done, or begun to build. @throws what the stores throw */
  async runOnce(): Promise<number> {
    return (await this.#doDelayed()) + (await this.#doRechecks());
  }

  async #repeat(signal: AbortSignal, looks: IdlePause, work: () => Promise<number>): Promise<void> {
    const onError = (error: unknown) => {
      const level = isStoreFault(error) ? 'warn' : 'error';
      this.#options.logger[level]({ err: error }, 'delayed work failed; it will be retried');
      return AFTER_FAILURE_MS;
    };
    const round = async () => looks.after(await work());
    await loop({ signal, round, onError, wake: looks.wake });
  }

  async #doDelayed(signal?: AbortSignal): Promise<number> {
    const { delayed } = this.#options;
    const { items, leaseEnd } = await delayed.take(ITEMS_AT_ONCE, LEASE_MS);
    for (const group of inTurn(items)) {
      const slow = await this.#do(group, signal);
      const isSlow = (item: DelayedItem) => item.kind === 'rebuild' && slow.has(item.user);
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
      await this.#do(group.map(itemOf), signal);
      await rechecks.finish(group);
    }
    return rows.length;
  }

  /**
   * Pairs that fail by themselves become dead letters, and so does what fails as a whole.
   * @param signal once it is aborted, a failure ends the work: no smaller parts are tried
   * @returns the users whose rebuilds take too long to be done here
   */
  #do(items: readonly DelayedItem[], signal?: AbortSignal): Promise<ReadonlySet<Id>> {
    return this.#options.watch.during(() => this.#doNow(items, signal));
  }

  async #doNow(items: readonly DelayedItem[], signal: AbortSignal | undefined): Promise<ReadonlySet<Id>> {
    const { steps, kind, logger, answers = async () => false } = this.#options;
    const slow = new Set<Id>();
    const pairs: SetAside<Pair>[] = [];
    const setting = {
      answers,
      onFailure: (err: unknown) => logger.error({ err }, 'delayed work failed; trying smaller parts of it'),
      isEnd: () => signal?.aborted === true,
    };
    const work = async (some: readonly DelayedItem[]) => {
      const failed: SetAside<Pair>[] = [];
      const observer = { ...this.#options, onFailed: (of: readonly SetAside<Pair>[]) => void failed.push(...of) };
      for (const user of await run(doDelayed(some, observer, kind), steps, undefined, setting)) slow.add(user);
      pairs.push(...failed);
    };
    const aside = await isolateFailures(items, work, setting);
    const users = aside.flatMap(pairOf).map(({ item }) => item.user);
    if (users.length > 0) await steps.drop([...new Set(users)]); // what was not applied must not be certified
    await this.#putAside([...pairs, ...aside.flatMap(pairOf)]);
    for (const { item, error } of aside) {
      if (!isRefresh(item)) logger.error({ err: error, ...item }, 'an index cannot be built; a read asks for it again');
    }
    return slow;
  }

  async #putAside(pairs: readonly SetAside<Pair>[]): Promise<void> {
    const { deadLetters, kind = CONTACTS, logger } = this.#options;
    for (const { item, error } of pairs)
      logger.error({ err: error, ...item }, 'delayed work cannot be done; set aside');
    if (pairs.length > 0) await deadLetters?.put(pairs.map((pair) => letterOfPair(pair, kind, 'delayed')));
  }
}

function pairOf({ item, ...failure }: SetAside<DelayedItem>): SetAside<Pair>[] {
  return isRefresh(item) ? [{ item, ...failure }] : [];
}

/**
 * Does items of the delay queue, or re-checks. When it ends they are written, or have been put back, and may be finished.
 * @returns users whose rebuilds take longer than a statement may, and were not done
 */
export function* doDelayed(
  items: readonly DelayedItem[],
  observer: DelayedObserver & FailureObserver,
  kind: Kind = CONTACTS,
): Operation<readonly Id[]> {
  const users = items.filter((item) => item.kind === 'rebuild').map((item) => item.user);
  const slow = users.length > 0 ? yield* rebuildAgain(users) : [];
  for (const [attempt, some] of Map.groupBy(items.filter(isRefresh), attemptOf)) {
    yield* refreshAgain(hintsOf(some, kind), attempt, observer);
  }
  return slow;
}

/** One by one: those who come here have many contacts, and the longer a statement takes, the more often a change comes in between. */
function* rebuildAgain(users: readonly Id[]): Operation<readonly Id[]> {
  const [unsettled, slow]: [Id[], Id[]] = [[], []];
  for (const user of users) {
    const report = yield* rebuild([user]);
    unsettled.push(...report.unsettled);
    slow.push(...report.slow);
  }
  // The same texts are held now. Put back before they are finished, they wait again.
  if (unsettled.length > 0) yield* step('defer', { pairs: [], rebuilds: unsettled });
  return slow;
}

type RefreshItem = Exclude<DelayedItem, { kind: 'rebuild' }>;

function* refreshAgain(
  hints: readonly Hint[],
  attempt: number,
  observer: DelayedObserver & FailureObserver,
): Operation<void> {
  const report = yield* refresh(hints);
  observer.onRefresh?.(report);
  const { behind, failed } = report;
  const aside = failed.filter(({ item }) => attempt >= RECHECKS_OF_FAILING || item.version === undefined);
  observer.onFailed?.(aside);
  const isAside = new Set(aside.map(({ item }) => item));
  const again = behind.filter((hint) => !isAside.has(hint));
  if (again.length === 0) return;
  if (attempt < RECHECKS) yield* step('recheck', again, attempt + 1);
  else observer.onGivenUp?.(again.length);
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

import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { ChannelName, Watch } from '../contracts/watch.ts';
import { isolateFailures } from '../index/set-aside.ts';
import type { Answers } from '../index/store-fault.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { chunks } from '../timing/batches.ts';
import { loop } from '../timing/loop.ts';
import type { Channel, DeliveryOutcome } from './channel.ts';
import { check, type PendingDelivery, REDELIVER_MS, unwatch } from './check.ts';
import { type CheckSteps, runCheck } from './check-steps.ts';
import { FailureLog } from './failure-log.ts';
import { Looks } from './looks.ts';
import { hasEnded, newDelivery, prolong, settle, type Underway } from './settle.ts';
import { type FoundWatches, pagesOf } from './watch-pages.ts';

export interface NotifierOptions {
  /** Of the users who are to be checked. */
  readonly queue: Pick<DelayQueue, 'take' | 'finish'>;
  /** When the queue is looked at. */
  readonly looks?: Looks;
  readonly steps: Omit<CheckSteps, 'insert'>;
  /** The watches of these users that something may be delivered to. */
  readonly find: (users: readonly Id[], largestPacket: number) => Promise<FoundWatches>;
  /** The largest statement that MySQL takes, bytes. */
  readonly largestPacket: number;
  /** Do the stores answer? Default: they do not, so that a failure that says nothing of its cause concerns all watches. */
  readonly answers?: Answers;
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  /** Entries of a told head that are kept at most. */
  readonly most: number;
  readonly logger: Logger;
  /** Told of each delivery, for the metrics. @param ms from the check */
  readonly onOutcome?: (channel: ChannelName, outcome: DeliveryOutcome['is'], ms: number) => void;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  /** Monotonic, ms. */
  readonly elapsed?: () => number;
  readonly random?: () => number;
}

/** Users checked together. */
const PAGE = 500;

/** More than a page needs. If it does take longer, another notifier checks it too, which is harmless, ms. */
const LEASE_MS = 5_000;

const AFTER_FAILURE_MS = 500;

/** Deliveries that have begun and not ended: beyond it nothing is taken, so that a process holds no more than it can deliver. */
const IN_FLIGHT = 5_000;

/** How often deliveries that take long are looked after, ms: often enough that none is taken for one of a dead process. */
const PROLONG_MS = REDELIVER_MS / 4;

/** Longer than any channel takes: a delivery whose outcome is not known by then has failed, whatever holds it, ms. */
const LONGEST_DELIVERY_MS = 60_000;

/** Checks the users who are due, and delivers what is new to their watches. Any number of notifiers may run. */
export class Notifier {
  readonly #options: NotifierOptions;
  /** All that are not saved. */
  readonly #underway = new Set<Underway>();
  /** Of each that is being sent: resolves once its outcome is known. */
  readonly #sending = new Set<Promise<unknown>>();
  /** Saves run one after the other, because two about one delivery would refuse each other. */
  #saves: Promise<void> = Promise.resolve();
  /** The last of the saves has not begun: it will save whatever has ended by then. */
  #isSaveWaiting = false;
  #isBehind = false;
  readonly #failures: FailureLog;

  constructor(options: NotifierOptions) {
    const { logger, elapsed = monotonic } = options;
    this.#options = options;
    this.#failures = new FailureLog({ logger, now: elapsed });
  }

  /** Do more users wait to be checked than it has taken, as far as it knows? */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Runs until aborted; deliveries that have begun are then finished. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, looks = new Looks() } = this.#options;
    const onError = (err: unknown) => {
      logger.warn({ err }, 'users could not be checked; they will be again');
      return AFTER_FAILURE_MS;
    };
    const drained = new AbortController();
    const prolonging = loop({ signal: drained.signal, round: () => this.prolong().then(() => PROLONG_MS), onError });
    await loop({ signal, round: async () => looks.untilNext(await this.begin()), onError, wake: looks.wake });
    await this.drain();
    drained.abort();
    await prolonging;
  }

  /** The same, and waits until everything is delivered or has failed. */
  async runOnce(): Promise<number> {
    const found = await this.begin();
    await this.drain();
    return found;
  }

  /** Waits for the deliveries that have begun, and until their outcomes are saved. */
  async drain(): Promise<void> {
    while (this.#underway.size > 0) {
      await Promise.all(this.#sending);
      await this.#saves;
    }
  }

  /** Says of deliveries that take long that they are still on their way. @throws what the stores throw */
  async prolong(): Promise<void> {
    const { steps, clock = Date.now, elapsed = monotonic } = this.#options;
    for (const { from, end } of this.#underway) {
      if (elapsed() - from > LONGEST_DELIVERY_MS)
        end({ is: 'failed', why: 'the outcome of the delivery is not known' });
    }
    const isLong = ({ delivery, state }: Underway) =>
      state.is('sending') && (delivery.save.dueAt ?? 0) - clock() < REDELIVER_MS - PROLONG_MS;
    const work = this.#saves.then(async () => {
      await this.#isolating([...this.#underway].filter(isLong), async (some) => {
        const long = new Map(some.map((one) => [one.delivery.save.id, one]));
        const deliveries = some.map(({ delivery }) => delivery);
        for (const delivery of await runCheck(prolong(deliveries, clock()), steps)) {
          (long.get(delivery.save.id) as Underway).delivery = delivery;
        }
      });
    });
    this.#saves = work.catch(() => undefined);
    await work;
  }

  /** Checks those who are due now, and begins the deliveries. @returns how many were due @throws what the stores throw */
  async begin(): Promise<number> {
    if (this.#sending.size >= IN_FLIGHT) {
      this.#isBehind = true;
      return 0;
    }
    const { queue, steps, find, largestPacket } = this.#options;
    const { items, leaseEnd } = await queue.take(PAGE, LEASE_MS);
    this.#isBehind = items.length === PAGE;
    if (items.length === 0) return 0;
    const { read, unread } = await find(items as readonly Id[], largestPacket);
    const users = new Set([...read, ...unread].map(({ user }) => user));
    const unwatched = (items as readonly Id[]).filter((user) => !users.has(user));
    if (unwatched.length > 0) await runCheck(unwatch(unwatched), steps);
    const { readable, unreadable } = this.#understood(read);
    const watches = async (ids: readonly Id[]) => ids.flatMap((id) => readable.get(id) ?? []);
    const left = new Set([
      ...unreadable,
      ...(await this.#pages(readable.size > 0 ? [[...readable.values()]] : [], { ...steps, watches })),
      ...(await this.#pages(pagesOf(unread, largestPacket), steps)),
    ]);
    await queue.finish({ items: items.filter((user) => !left.has(user as Id)), leaseEnd }); // what is to be delivered is in MySQL
    return items.length;
  }

  /** Which of them can be understood, by id; the users of the others. */
  #understood(read: FoundWatches['read']) {
    const readable = new Map<Id, Watch>();
    const unreadable = new Set<Id>();
    for (const { id, user, watch } of read) {
      try {
        readable.set(id, watch());
      } catch (error) {
        this.#failures.failed(id, error);
        unreadable.add(user);
      }
    }
    return { readable, unreadable };
  }

  /** Returns the users who are not done. Their lease ends, and then they are taken again. */
  async #pages(pages: readonly (readonly Named[])[], steps: NotifierOptions['steps']): Promise<ReadonlySet<Id>> {
    const { most, clock = Date.now } = this.#options;
    const left = new Set<Id>();
    for (const page of pages) {
      const failed =
        this.#sending.size >= IN_FLIGHT
          ? page
          : await this.#isolating(page, async (some) => {
              const ids = some.map(({ id }) => id);
              this.#dispatch(await runCheck(check(ids, { now: clock(), most }), steps));
            });
      for (const { user } of failed) left.add(user);
    }
    return left;
  }

  /**
   * Does work on all of them, so that none fails because of another one.
   * @returns those that failed by themselves
   * @throws what the stores throw
   */
  async #isolating<T extends Named | Underway>(
    items: readonly T[],
    work: (some: readonly T[]) => Promise<void>,
  ): Promise<readonly T[]> {
    if (items.length === 0) return [];
    const { answers = async () => false } = this.#options;
    const failed = await isolateFailures(items, work, { answers });
    for (const { item, error } of failed) this.#failures.failed(watchOf(item), error);
    return failed.map(({ item }) => item);
  }

  #dispatch(deliveries: readonly PendingDelivery[]): void {
    const { channels } = this.#options;
    for (const [name, some] of Map.groupBy(deliveries, ({ notification }) => notification.target.channel)) {
      const notifications = some.map(({ notification }) => notification);
      const channel: Channel | undefined = channels[name]; // another version may know more of them
      const outcomes = channel?.deliver(notifications) ?? notifications.map(async () => NO_CHANNEL);
      for (const [i, delivery] of some.entries()) this.#await(name, delivery, outcomes[i] as Promise<DeliveryOutcome>);
    }
  }

  #await(name: ChannelName, delivery: PendingDelivery, outcome: Promise<DeliveryOutcome>): void {
    const { onOutcome, elapsed = monotonic } = this.#options;
    const { promise, resolve: end } = Promise.withResolvers<DeliveryOutcome>();
    const one = newDelivery({ delivery, from: elapsed(), end });
    this.#underway.add(one);
    void outcome.then(end);
    const ended: Promise<void> = promise.then((outcome) => {
      this.#sending.delete(ended);
      onOutcome?.(name, outcome.is, elapsed() - one.from);
      this.#failures.ended(delivery.notification, outcome);
      one.outcome = outcome;
      one.state.enter('unsaved');
      this.#settleSoon();
    });
    this.#sending.add(ended);
  }

  /** Saves outcomes together, as many as there are when the save before has ended. */
  #settleSoon(): void {
    if (this.#isSaveWaiting) return;
    this.#isSaveWaiting = true;
    this.#saves = this.#saves.then(async () => {
      this.#isSaveWaiting = false;
      for (const some of chunks([...this.#underway].filter(hasEnded), PAGE)) await this.#settle(some);
    });
  }

  /** Never rejects. */
  async #settle(some: readonly Required<Underway>[]): Promise<void> {
    const { steps, logger, clock = Date.now, random = Math.random } = this.#options;
    const work = this.#isolating(some, async (part) => {
      const [deliveries, outcomes] = [part.map(({ delivery }) => delivery), part.map(({ outcome }) => outcome)];
      await runCheck(settle(deliveries, outcomes, { now: clock(), random }), steps);
    });
    await work.catch((err) =>
      logger.warn({ err }, 'what was delivered could not be saved; it will be delivered again, under the same ids'),
    );
    for (const one of some) {
      one.state.enter('saved');
      this.#underway.delete(one);
    }
  }
}

/** A watch, as far as it is known before it is checked. */
type Named = Pick<Watch, 'id' | 'user'>;

const NO_CHANNEL: DeliveryOutcome = { is: 'failed', why: 'this version has no such channel' };

const monotonic = () => performance.now();

const watchOf = (item: Named | Underway): Id => ('delivery' in item ? item.delivery.save.id : item.id);

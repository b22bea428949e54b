import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { ChannelName, Watch } from '../contracts/watch.ts';
import { isolateFailures } from '../index/set-aside.ts';
import type { Answers } from '../index/store-fault.ts';
import { chunks } from '../timing/batches.ts';
import type { Channel, DeliveryOutcome } from './channel.ts';
import { type PendingDelivery, REDELIVER_MS } from './check.ts';
import { type CheckSteps, runCheck } from './check-steps.ts';
import { FailureLog } from './failure-log.ts';
import { hasEnded, newDelivery, prolong, settle, type Underway } from './settle.ts';

export interface DeliveriesOptions {
  readonly steps: Omit<CheckSteps, 'insert'>;
  /** Do the stores answer? Default: they do not, so that a failure that says nothing of its cause concerns all watches. */
  readonly answers?: Answers;
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  readonly logger: Logger;
  /** Told of each delivery, for the metrics. @param ms from the check */
  readonly onOutcome?: (channel: ChannelName, outcome: DeliveryOutcome['is'], ms: number) => void;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  /** Monotonic, ms. */
  readonly elapsed?: () => number;
  readonly random?: () => number;
}

/** Deliveries that are saved together. */
const PAGE = 500;

/** How often deliveries that take long are looked after, ms: often enough that none is taken for one of a dead process. */
export const PROLONG_MS = REDELIVER_MS / 4;

/** Longer than any channel takes: a delivery whose outcome is not known by then has failed, whatever holds it, ms. */
const LONGEST_DELIVERY_MS = 60_000;

/** Deliveries that have begun, until their outcomes are saved. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** All that are not saved. */
  readonly #underway = new Set<Underway>();
  /** Of each that is being sent: resolves once its outcome is known. */
  readonly #sending = new Set<Promise<unknown>>();
  /** Saves run one after the other, because two about one delivery would refuse each other. */
  #saves: Promise<void> = Promise.resolve();
  /** The last of the saves has not begun: it will save whatever has ended by then. */
  #isSaveWaiting = false;
  readonly #failures: FailureLog;

  constructor(options: DeliveriesOptions) {
    const { logger, elapsed = monotonic } = options;
    this.#options = options;
    this.#failures = new FailureLog({ logger, now: elapsed });
  }

  /** How many are being sent. */
  get sending(): number {
    return this.#sending.size;
  }

  begin(deliveries: readonly PendingDelivery[]): void {
    const { channels } = this.#options;
    for (const [name, some] of Map.groupBy(deliveries, ({ notification }) => notification.target.channel)) {
      const notifications = some.map(({ notification }) => notification);
      const channel: Channel | undefined = channels[name]; // another version may know more of them
      const outcomes = channel?.deliver(notifications) ?? notifications.map(async () => NO_CHANNEL);
      for (const [i, delivery] of some.entries()) this.#await(name, delivery, outcomes[i] as Promise<DeliveryOutcome>);
    }
  }

  /** Waits for those that have begun, and until their outcomes are saved. Never rejects. */
  async drain(): Promise<void> {
    while (this.#underway.size > 0) {
      await Promise.all(this.#sending);
      await this.#saves;
    }
  }

  /** Waits for no outcome any longer: what is still being sent has failed, and is tried again. */
  giveUp(): void {
    for (const { end } of this.#underway) end({ is: 'failed', why: 'the process that sent it has ended' });
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
      for (const page of chunks([...this.#underway].filter(isLong), PAGE))
        await this.isolate(page, async (some) => {
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

  /**
   * Does work on all of these watches or deliveries, so that none fails because of another one.
   * @returns those that failed by themselves, each of which is logged
   * @throws what the stores throw
   */
  async isolate<T extends Pick<Watch, 'id'> | Underway>(
    items: readonly T[],
    work: (some: readonly T[]) => Promise<void>,
  ): Promise<readonly T[]> {
    if (items.length === 0) return [];
    const { answers = async () => false } = this.#options;
    const failed = await isolateFailures(items, work, { answers });
    for (const { item, error } of failed) this.failed(watchOf(item), error);
    return failed.map(({ item }) => item);
  }

  /** Logs that a watch failed by itself. */
  failed(watch: Id, error: unknown): void {
    this.#failures.failed(watch, error);
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
    const work = this.isolate(some, async (part) => {
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

const NO_CHANNEL: DeliveryOutcome = { is: 'failed', why: 'this version has no such channel' };

const monotonic = () => performance.now();

const watchOf = (item: Pick<Watch, 'id'> | Underway): Id => ('delivery' in item ? item.delivery.save.id : item.id);

import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { ChannelName } from '../contracts/watch.ts';
import { chunks } from '../index/chunks.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { loop } from '../timing/loop.ts';
import type { Channel, DeliveryOutcome } from './channel.ts';
import { check, type PendingDelivery, prolong, REDELIVER_MS, settle } from './check.ts';
import { type CheckSteps, runCheck } from './check-steps.ts';

export interface NotifierOptions {
  /** Of the users who are to be checked. */
  readonly queue: Pick<DelayQueue, 'take' | 'finish'>;
  readonly steps: Omit<CheckSteps, 'insert' | 'watch'>;
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  /** Entries of a told head that are kept at most. */
  readonly most: number;
  readonly logger: Logger;
  /** Told of each delivery, for the metrics. @param ms from the check */
  readonly onOutcome?: (channel: ChannelName, outcome: DeliveryOutcome['is'], ms: number) => void;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  readonly random?: () => number;
}

/** Users checked together. */
const PAGE = 500;

/** More than a page needs. If it does take longer, another notifier checks it too, which is harmless, ms. */
const LEASE_MS = 5_000;

/** Wait after finding nothing, ms. */
const IDLE_MS = 10;

const AFTER_FAILURE_MS = 500;

/** Deliveries that have begun and not ended: beyond it nothing is taken, so that a process holds no more than it can deliver. */
const IN_FLIGHT = 5_000;

/** How often deliveries that take long are looked after, ms: often enough that none is taken for one of a dead process. */
const PROLONG_MS = REDELIVER_MS / 4;

/** A delivery that has begun. */
interface Underway {
  delivery: PendingDelivery;
  /** Once it has ended. */
  outcome?: DeliveryOutcome;
}

/** Checks the users who are due, and delivers what is new to their watches. Any number of notifiers may run. */
export class Notifier {
  readonly #options: NotifierOptions;
  /** Whose outcome is not saved. */
  readonly #underway = new Set<Underway>();
  readonly #running = new Set<Promise<unknown>>();
  /** Saves run one after the other, because two about one delivery would refuse each other. */
  #saves: Promise<void> = Promise.resolve();
  #isSettling = false;
  #inFlight = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Runs until aborted; deliveries that have begun are then finished. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const onError = (err: unknown) => {
      this.#options.logger.warn({ err }, 'users could not be checked; they will be again');
      return AFTER_FAILURE_MS;
    };
    const drained = new AbortController();
    const round = () => this.prolong().then(() => PROLONG_MS);
    const prolonging = loop({ signal: drained.signal, round, onError });
    await loop({ signal, round: async () => ((await this.#round()) > 0 ? 0 : IDLE_MS), onError });
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

  /** Checks those who are due now, and begins the deliveries. @returns how many were due @throws what the stores throw */
  begin(): Promise<number> {
    return this.#round();
  }

  /** Waits for the deliveries that have begun, and until their outcomes are saved. */
  async drain(): Promise<void> {
    while (this.#underway.size > 0) {
      await Promise.all(this.#running);
      await this.#saves;
    }
  }

  /** Says of deliveries that take long that they are still on their way. @throws what the stores throw */
  async prolong(): Promise<void> {
    const { steps, clock = Date.now } = this.#options;
    const isLong = ({ delivery, outcome }: Underway) =>
      outcome === undefined && (delivery.save.dueAt ?? 0) - clock() < REDELIVER_MS - PROLONG_MS;
    const work = this.#saves.then(async () => {
      const long = new Map([...this.#underway].filter(isLong).map((one) => [one.delivery.save.id, one]));
      if (long.size === 0) return;
      const deliveries = [...long.values()].map(({ delivery }) => delivery);
      for (const delivery of await runCheck(prolong(deliveries, clock()), steps)) {
        (long.get(delivery.save.id) as Underway).delivery = delivery;
      }
    });
    this.#saves = work.catch(() => undefined);
    await work;
  }

  /** Returns how many were due. @throws what the stores throw */
  async #round(): Promise<number> {
    if (this.#inFlight >= IN_FLIGHT) return 0;
    const { queue, steps, most, clock = Date.now } = this.#options;
    const { items, leaseEnd } = await queue.take(PAGE, LEASE_MS);
    if (items.length === 0) return 0;
    this.#dispatch(await runCheck(check(items as readonly Id[], { now: clock(), most }), steps));
    await queue.finish({ items, leaseEnd }); // what is to be delivered is in MySQL
    return items.length;
  }

  #dispatch(deliveries: readonly PendingDelivery[]): void {
    const { channels, onOutcome } = this.#options;
    this.#inFlight += deliveries.length;
    for (const [name, some] of Map.groupBy(deliveries, ({ notification }) => notification.target.channel)) {
      const from = performance.now();
      const outcomes = channels[name].deliver(some.map(({ notification }) => notification));
      for (const [i, delivery] of some.entries()) {
        const one: Underway = { delivery };
        this.#underway.add(one);
        const ended: Promise<void> = (outcomes[i] as Promise<DeliveryOutcome>).then((outcome) => {
          this.#running.delete(ended);
          this.#inFlight--;
          onOutcome?.(name, outcome.is, performance.now() - from);
          this.#log(delivery, outcome);
          one.outcome = outcome;
          this.#settleSoon();
        });
        this.#running.add(ended);
      }
    }
  }

  /** Saves outcomes together, as many as there are when the save before has ended. */
  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#saves = this.#saves.then(async () => {
      this.#isSettling = false;
      for (const some of chunks([...this.#underway].filter(hasEnded), PAGE)) await this.#settle(some);
    });
  }

  /** Never rejects. */
  async #settle(some: readonly Required<Underway>[]): Promise<void> {
    const { steps, logger, clock = Date.now, random = Math.random } = this.#options;
    const [deliveries, outcomes] = [some.map(({ delivery }) => delivery), some.map(({ outcome }) => outcome)];
    await runCheck(settle(deliveries, outcomes, { now: clock(), random }), steps).catch((err) =>
      logger.warn({ err }, 'what was delivered could not be saved; it will be delivered again, under the same ids'),
    );
    for (const one of some) this.#underway.delete(one);
  }

  #log({ notification: { id, watch, target } }: PendingDelivery, outcome: DeliveryOutcome): void {
    if (outcome.is === 'delivered') return;
    const { channel } = target;
    this.#options.logger.warn(
      { watch, notification: id, channel, why: outcome.why },
      `a delivery ${WORDS[outcome.is]}`,
    );
  }
}

const hasEnded = (one: Underway): one is Required<Underway> => one.outcome !== undefined;

const WORDS = { failed: 'failed; it will be tried again', gone: 'was refused for good: the watch has ended' } as const;

import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Watch } from '../contracts/watch.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { loop, pause } from '../timing/loop.ts';
import { check, unwatch } from './check.ts';
import { runCheck } from './check-steps.ts';
import { Deliveries, type DeliveriesOptions, PROLONG_MS } from './deliveries.ts';
import { Looks } from './looks.ts';
import { type FoundWatches, pagesOf } from './watch-pages.ts';

export interface NotifierOptions extends DeliveriesOptions {
  /** Nothing is told that was read elsewhere than from the servers on record: on a copy of MySQL, for example. */
  readonly watch: Pick<RedisTrust, 'during'>;
  /** Of the users who are to be checked. */
  readonly queue: Pick<DelayQueue, 'take' | 'finish'>;
  /** When the queue is looked at. */
  readonly looks?: Looks;
  /** The watches of these users that something may be delivered to. */
  readonly find: (users: readonly Id[], largestPacket: number) => Promise<FoundWatches>;
  /** The largest statement that MySQL takes, bytes. */
  readonly largestPacket: number;
  /** Those in use. */
  readonly kinds: ReadonlySet<KindName>;
  /** Entries of a told head that are kept at most. */
  readonly most: number;
  /** How long the end of the process waits for deliveries that have begun, ms. */
  readonly drainMs: number;
}

/** Users checked together. */
const PAGE = 500;

/** More than a page needs. If it does take longer, another notifier checks it too, which is harmless, ms. */
const LEASE_MS = 5_000;

const AFTER_FAILURE_MS = 500;

/** Deliveries that have begun and not ended: beyond it nothing is taken, so that a process holds no more than it can deliver. */
export const IN_FLIGHT = 5_000;

/** Checks the users who are due, and delivers what is new to their watches. Any number of notifiers may run. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #deliveries: Deliveries;
  #isBehind = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#deliveries = new Deliveries(options);
  }

  /** Do more users wait to be checked than it has taken, as far as it knows? */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Runs until aborted; deliveries that have begun are then finished, or have failed if they take too long. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, looks = new Looks(), drainMs } = this.#options;
    const onError = (err: unknown) => {
      logger.warn({ err }, 'users could not be checked; they will be again');
      return AFTER_FAILURE_MS;
    };
    const drained = new AbortController();
    const prolonging = loop({ signal: drained.signal, round: () => this.prolong().then(() => PROLONG_MS), onError });
    await loop({ signal, round: async () => looks.untilNext(await this.begin()), onError, wake: looks.wake });
    void pause(drainMs, drained.signal).then(() => this.#deliveries.giveUp());
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
    await this.#deliveries.drain();
  }

  /** Says of deliveries that take long that they are still on their way. @throws what the stores throw */
  async prolong(): Promise<void> {
    await this.#deliveries.prolong();
  }

  /** Checks those who are due now, and begins the deliveries. @returns how many were due @throws what the stores throw */
  async begin(): Promise<number> {
    if (this.#deliveries.sending >= IN_FLIGHT) {
      this.#isBehind = true;
      return 0;
    }
    const { queue, steps, find, largestPacket } = this.#options;
    const { items, leaseEnd } = await queue.take(PAGE, LEASE_MS);
    this.#isBehind = items.length === PAGE;
    if (items.length === 0) return 0;
    const { read, unread, unreadable } = await find(items as readonly Id[], largestPacket);
    for (const { id, error } of unreadable) this.#deliveries.failed(id, error);
    const users = new Set([...read, ...unread, ...unreadable].map(({ user }) => user));
    const unwatched = (items as readonly Id[]).filter((user) => !users.has(user));
    if (unwatched.length > 0) await runCheck(unwatch(unwatched), steps);
    const byId = new Map(read.map((watch) => [watch.id, watch]));
    const watches = async (ids: readonly Id[]) => ids.flatMap((id) => byId.get(id) ?? []);
    const left = new Set([
      ...unreadable.map(({ user }) => user),
      ...(await this.#pages(read.length > 0 ? [read] : [], { ...steps, watches })),
      ...(await this.#pages(pagesOf(unread, largestPacket), steps)),
    ]);
    await queue.finish({ items: items.filter((user) => !left.has(user as Id)), leaseEnd }); // what is to be delivered is in MySQL
    return items.length;
  }

  /** Returns the users who are not done. Their lease ends, and then they are taken again. */
  async #pages(pages: readonly (readonly Named[])[], steps: NotifierOptions['steps']): Promise<ReadonlySet<Id>> {
    const { most, kinds, watch, clock = Date.now } = this.#options;
    const left = new Set<Id>();
    for (const page of pages) {
      const failed =
        this.#deliveries.sending >= IN_FLIGHT
          ? page
          : await this.#deliveries.isolate(page, async (some) => {
              const ids = some.map(({ id }) => id);
              const checking = () => runCheck(check(ids, { now: clock(), most, kinds }), steps);
              this.#deliveries.begin(await watch.during(checking));
            });
      for (const { user } of failed) left.add(user);
    }
    return left;
  }
}

/** A watch, as far as it is known before it is checked. */
type Named = Pick<Watch, 'id' | 'user'>;

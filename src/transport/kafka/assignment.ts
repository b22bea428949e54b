import type { Logger } from 'pino';
import { type Leads, States } from '../../timing/states.ts';
import { BatchLost, type SourceState } from '../task-source.ts';
import { isFenced, isRebalance } from './errors.ts';

interface MembershipOptions {
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** The brokers give the partitions to others after this long without a heartbeat, ms. */
  readonly sessionTimeoutMs: number;
  /** A batch may go on for this long after a rebalance has begun, ms; the other members wait for it. */
  readonly rebalanceGraceMs: number;
  readonly logger: Logger;
}

/**
 * - `held`: the partitions are ours, and batches begin.
 * - `closing`: the group is rebalancing. No batch begins, and what is in work may go on for the grace period.
 * - `ended`: the group has moved on to another generation.
 */
type MembershipState = 'held' | 'closing' | 'ended';

const LEADS: Leads<MembershipState> = { held: ['closing', 'ended'], closing: ['ended'], ended: [] };

/**
 * This process's membership in one generation of the consumer group, from one rebalance to the next. When a rebalance
 * begins, the partitions are still ours until we join again, so the batch in work may finish within a grace period: a group
 * whose members come and go all the time still gets work done.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #state = new States<MembershipState>('held', LEADS);
  #lastHeartbeat: number;
  /** When the grace period ends, if one has begun. */
  #graceEndsAt = Number.POSITIVE_INFINITY;
  #reason: Error | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#lastHeartbeat = options.now();
  }

  /** Why kafkajs has to join the group again. It is the error that kafkajs threw, which it needs to see again. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** May a new batch begin? */
  get isOpen(): boolean {
    return this.#state.is('held') && !this.isLost;
  }

  /** Do the partitions belong to other members? */
  get isLost(): boolean {
    const { now, sessionTimeoutMs } = this.#options;
    return this.#state.is('ended') || now() >= Math.min(this.#graceEndsAt, this.#lastHeartbeat + sessionTimeoutMs);
  }

  /** Time since the last answered heartbeat, ms. It is long while kafkajs joins the group again, for it then sends none. */
  get silentMs(): number {
    return this.#options.now() - this.#lastHeartbeat;
  }

  /** Records that a heartbeat was answered. */
  renew(): void {
    this.#lastHeartbeat = this.#options.now();
  }

  /** Has kafkajs send a heartbeat, unless it has just sent one. Never throws: an error is noted. */
  async beat(heartbeat: () => Promise<void>): Promise<void> {
    try {
      await heartbeat();
    } catch (error) {
      this.note(error);
    }
  }

  /** Takes an answer of the group's coordinator into account. */
  note(error: unknown): void {
    if (isFenced(error)) {
      this.#reason ??= error;
      this.end();
    } else if (isRebalance(error)) {
      this.#reason ??= error;
      this.close();
    } else this.#options.logger.warn({ err: error }, 'a request to the Kafka group failed; retrying');
  }

  /** The group is rebalancing: no batch begins, and what is in work may go on for the grace period. */
  close(): void {
    if (!this.#state.is('held')) return;
    this.#state.enter('closing');
    const { now, rebalanceGraceMs } = this.#options;
    this.#graceEndsAt = now() + rebalanceGraceMs;
  }

  /** What is left of the grace period, ms. */
  get graceMs(): number {
    return this.#state.is('ended') ? 0 : Math.max(this.#graceEndsAt - this.#options.now(), 0);
  }

  /** The group has moved on to another generation. */
  end(): void {
    if (!this.#state.is('ended')) this.#state.enter('ended');
  }

  /** @throws BatchLost */
  requireHeld(position: string): void {
    if (this.isLost) throw new BatchLost(`the batch at ${position} now belongs to another consumer`);
  }
}

/** One partition of an assignment. */
export interface OwnedPartition {
  readonly partition: number;
  /** The next offset expected; undefined until the partition has been inspected. */
  next: bigint | undefined;
  /** The gaps in what was fetched last, which are reported: a batch that fails is fetched again. */
  gaps: ReadonlySet<string>;
  /** Batches given back in a row. */
  failures: number;
  /** Was its last batch slow? */
  isSlow: boolean;
  /** While it is found out what is missing between `next` and the oldest message. */
  looking: Promise<void> | undefined;
}

/** The partitions that one generation of the group gave to this process. */
export class Assignment {
  readonly membership: Membership;
  readonly partitions: ReadonlyMap<number, OwnedPartition>;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ended = new AbortController();

  constructor(partitions: readonly number[], membership: Membership) {
    this.membership = membership;
    this.partitions = new Map(
      partitions.map((partition) => [
        partition,
        { partition, next: undefined, gaps: new Set(), failures: 0, isSlow: false, looking: undefined },
      ]),
    );
  }

  /** Aborted when the group moves on to another generation, or the source ends. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** @param longestMs how long it may be without a heartbeat */
  state(longestMs: number): SourceState {
    const { partitions, membership } = this;
    if (membership.silentMs > longestMs) {
      const seconds = Math.round(membership.silentMs / 1000);
      const detail = `the group is rebalancing or Kafka is unavailable: no heartbeat for ${seconds} s`;
      return { isReady: false, detail };
    }
    if (partitions.size === 0) return { isReady: true, detail: 'idle: other members have all partitions' };
    const admitted = [...partitions.values()].filter(({ next }) => next !== undefined).length;
    return { isReady: admitted === partitions.size, detail: `${admitted} of ${partitions.size} partitions admitted` };
  }

  /** Calls `act` after this long, unless the assignment ends first. */
  later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  end(): void {
    this.membership.end();
    this.#ended.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

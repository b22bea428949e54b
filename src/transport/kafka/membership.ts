import type { Logger } from 'pino';
import { BatchLost } from '../task-source.ts';
import { isFenced, isRebalance } from './errors.ts';

export interface MembershipOptions {
  /** ms that never go back. */
  readonly now: () => number;
  /** ms without a heartbeat after which the brokers give the partitions to others. */
  readonly sessionTimeoutMs: number;
  /** ms that a batch in work may go on once a rebalance has begun; the others wait for it. */
  readonly rebalanceGraceMs: number;
  readonly logger: Logger;
}

/**
 * This process's part in one generation of the consumer group, from a rebalance to the next. When a rebalance begins,
 * the partitions are still ours until we join again, so the batch in work is let finish for a while: in a group whose
 * members come and go all the time, work gets done all the same.
 */
export class Membership {
  readonly #options: MembershipOptions;
  #lastHeartbeat: number;
  #endsAt = Number.POSITIVE_INFINITY;
  #reason: Error | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#lastHeartbeat = options.now();
  }

  /** Why kafkajs has to join the group again: what it threw, for it wants to see its own errors. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** May a new batch be begun? */
  get isOpen(): boolean {
    return this.#reason === undefined && !this.isLost;
  }

  /** Do the partitions belong to others by now? */
  get isLost(): boolean {
    const { now, sessionTimeoutMs } = this.#options;
    return now() >= Math.min(this.#endsAt, this.#lastHeartbeat + sessionTimeoutMs);
  }

  /** ms since the last heartbeat was answered: many while kafkajs joins the group again, for it sends none meanwhile. */
  get silentMs(): number {
    return this.#options.now() - this.#lastHeartbeat;
  }

  /** A heartbeat was answered. */
  renew(): void {
    this.#lastHeartbeat = this.#options.now();
  }

  /** Has kafkajs send a heartbeat, unless it has sent one just now. What comes back is noted, not thrown. */
  async beat(heartbeat: () => Promise<void>): Promise<void> {
    try {
      await heartbeat();
    } catch (error) {
      this.note(error);
    }
  }

  /** Takes an answer of the group's coordinator into account. */
  note(error: unknown): void {
    const { now, rebalanceGraceMs, logger } = this.#options;
    if (isFenced(error)) {
      this.#reason ??= error;
      this.end();
    } else if (isRebalance(error)) {
      this.#reason ??= error;
      this.#endsAt = Math.min(this.#endsAt, now() + rebalanceGraceMs);
    } else logger.warn({ err: error }, 'a heartbeat to Kafka failed; trying on');
  }

  /** The group has gone on to another generation. */
  end(): void {
    this.#endsAt = Number.NEGATIVE_INFINITY;
  }

  /** @throws BatchLost */
  requireHeld(position: string): void {
    if (this.isLost) throw new BatchLost(`the batch at ${position} belongs to another consumer by now`);
  }
}

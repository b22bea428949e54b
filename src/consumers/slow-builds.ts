import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { DelayedItem, DelayedWork } from '../index/delayed-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import type { Held } from '../redis/delay-queue.ts';

interface SlowBuildsOptions {
  /** With time limits that suffice for the rebuild of a very heavy user. */
  readonly steps: Steps;
  readonly delayed: Pick<DelayedWork, 'finish' | 'extend'>;
  readonly logger: Logger;
}

/** Lease of a rebuild: longer than one of its steps may take (MYSQL_BUILD_TIMEOUT_MS). */
const LEASE_MS = 180_000;

/** Limits how often it is logged that a user's index cannot be built: reads ask for it again and again. */
const REPORTED = { max: 1_000, ttl: 600_000 };

/**
 * Does slow rebuilds, one at a time. Their items stay leased meanwhile, so what is not finished when this process ends comes
 * back. An item may be taken again while its build waits or runs, because its lease ended or it was added anew; the latest
 * lease then counts.
 */
export class SlowBuilds {
  readonly #options: SlowBuildsOptions;
  readonly #oneAtATime = pLimit(1);
  /** The latest lease of each item whose build runs or waits for its turn. */
  readonly #leased = new Map<Id, Held<DelayedItem>>();
  readonly #reported = new LRUCache<Id, true>(REPORTED);
  #ended = false;

  constructor(options: SlowBuildsOptions) {
    this.#options = options;
  }

  /** Starts no further build. One that is running goes on by itself, and finishes its item if it still can. */
  end(): void {
    this.#ended = true;
  }

  /** Queues these rebuilds. @throws RedisUnavailable */
  async add(lease: Held<DelayedItem>): Promise<void> {
    if (lease.items.length === 0) return;
    const { items, leaseEnd } = await this.#options.delayed.extend(lease, LEASE_MS);
    for (const item of items) {
      const isNew = !this.#leased.has(item.user);
      this.#leased.set(item.user, { items: [item], leaseEnd });
      if (isNew) void this.#oneAtATime(() => this.#build(item.user)).finally(() => this.#leased.delete(item.user));
    }
  }

  async #build(user: Id): Promise<void> {
    const { delayed, logger, steps } = this.#options;
    if (this.#ended) return;
    let lease: Held<DelayedItem> | undefined;
    try {
      // The lease as it was before the last step. A rebuild that was asked for before the index was written is done. One
      // asked for afterwards may not be, so its item must come back.
      const renew = async () => {
        lease = await this.#extended(user);
      };
      const { unsettled, slow } = await run(rebuild([user]), steps, { renew });
      if (slow.length > 0) {
        this.#report(
          user,
          'error',
          'reading all contacts of the user takes longer than RECENCY_MYSQL_BUILD_TIMEOUT_MS',
        );
      }
      // Retrying at once would delay the other builds: it comes back when its lease ends.
      if (unsettled.length > 0) this.#report(user, 'warn', 'it changes all the time; it will be retried later');
      else if (lease !== undefined) await delayed.finish(lease);
    } catch (error) {
      logger.warn({ err: error, user }, 'a slow rebuild failed; it will be retried');
    }
  }

  /** The latest lease of the user's item, extended for as long as the next step may take. */
  async #extended(user: Id): Promise<Held<DelayedItem> | undefined> {
    const lease = this.#leased.get(user);
    if (lease === undefined) return undefined;
    const extended = await this.#options.delayed.extend(lease, LEASE_MS);
    // No items: the lease had ended. Another lease: the item was taken again meanwhile.
    if (extended.items.length > 0 && this.#leased.get(user) === lease) this.#leased.set(user, extended);
    return this.#leased.get(user);
  }

  #report(user: Id, level: 'warn' | 'error', why: string): void {
    if (this.#reported.has(user)) return;
    this.#reported.set(user, true);
    this.#options.logger[level]({ user }, `an index cannot be built: ${why}`);
  }
}

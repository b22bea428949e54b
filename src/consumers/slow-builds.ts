import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { DelayedItem, DelayedWork } from '../index/deferred-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import type { Held } from '../redis/delay-queue.ts';

export interface SlowBuildsOptions {
  /** With the time that the rebuild of a very heavy user takes. */
  readonly steps: Steps;
  readonly delayed: Pick<DelayedWork, 'finish' | 'extend'>;
  readonly logger: Logger;
}

/** How long a rebuild is held for at a time: longer than a step of it may take (MYSQL_BUILD_TIMEOUT_MS). */
const LEASE_MS = 180_000;

/** How often it is logged that a user cannot be built: reads ask for them again and again. */
const TOLD = { max: 1_000, ttl: 600_000 };

/**
 * Rebuilds that take long, one at a time, of items that stay held meanwhile: what is not finished when this process ends
 * comes back. An item may be taken again while its build waits or runs, because its lease ended or because it was put
 * anew; the hold that counts is then the latest.
 */
export class SlowBuilds {
  readonly #options: SlowBuildsOptions;
  readonly #oneAtATime = pLimit(1);
  /** The latest hold on each item whose build runs or waits for its turn. */
  readonly #held = new Map<Id, Held<DelayedItem>>();
  readonly #told = new LRUCache<Id, true>(TOLD);
  #ended = false;

  constructor(options: SlowBuildsOptions) {
    this.#options = options;
  }

  /** Begins nothing more. What runs is left to itself, and finishes its item if it still can. */
  end(): void {
    this.#ended = true;
  }

  /** Has these rebuilds done, each when its turn comes. @throws RedisUnavailable */
  async add(held: Held<DelayedItem>): Promise<void> {
    if (held.items.length === 0) return;
    const { items, leaseEnd } = await this.#options.delayed.extend(held, LEASE_MS);
    for (const item of items) {
      const isNew = !this.#held.has(item.user);
      this.#held.set(item.user, { items: [item], leaseEnd });
      if (isNew) void this.#oneAtATime(() => this.#build(item.user)).finally(() => this.#held.delete(item.user));
    }
  }

  async #build(user: Id): Promise<void> {
    const { delayed, logger, steps } = this.#options;
    if (this.#ended) return;
    let held: Held<DelayedItem> | undefined;
    try {
      // The hold as it was before the last step: who asked before the index was written has got what they asked for. Who
      // asks afterwards is perhaps not served by it, and their item comes back.
      const renew = async () => {
        held = await this.#prolonged(user);
      };
      const { unsettled, slow } = await run(rebuild([user]), steps, { renew });
      if (slow.length > 0) {
        this.#tell(user, 'error', 'reading all contacts of the user takes longer than RECENCY_MYSQL_BUILD_TIMEOUT_MS');
      }
      // Trying again at once would keep others from their turn: it comes back when its lease ends.
      if (unsettled.length > 0) this.#tell(user, 'warn', 'it changes all the time; it is tried again later');
      else if (held !== undefined) await delayed.finish(held);
    } catch (error) {
      logger.warn({ err: error, user }, 'a slow rebuild was not done; it comes back');
    }
  }

  /** The latest hold on the user's item, good for as long as the next step may take. */
  async #prolonged(user: Id): Promise<Held<DelayedItem> | undefined> {
    const held = this.#held.get(user);
    if (held === undefined) return undefined;
    const prolonged = await this.#options.delayed.extend(held, LEASE_MS);
    // Nothing: the lease had ended. Another one: the item was taken again meanwhile.
    if (prolonged.items.length > 0 && this.#held.get(user) === held) this.#held.set(user, prolonged);
    return this.#held.get(user);
  }

  #tell(user: Id, level: 'warn' | 'error', why: string): void {
    if (this.#told.has(user)) return;
    this.#told.set(user, true);
    this.#options.logger[level]({ user }, `an index cannot be built: ${why}`);
  }
}

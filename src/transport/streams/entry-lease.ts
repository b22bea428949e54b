import type { Logger } from 'pino';
import type { WatchedCall } from '../../timing/stall-detector.ts';
import { type BatchLease, BatchLost } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';

interface EntryLeaseOptions {
  readonly group: Pick<ConsumerGroup, 'renew'>;
  /** Entries that are not renewed for this long may be claimed by other consumers, ms. */
  readonly idleMs: number;
  readonly logger: Logger;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** Keeps entries from being claimed by other consumers while they are worked on, however long that takes. */
export class EntryLease implements BatchLease {
  readonly #ids: readonly string[];
  readonly #call: WatchedCall;
  readonly #options: EntryLeaseOptions;
  readonly #background: NodeJS.Timeout;
  #renewedAt: number;
  #isLost = false;

  /** @param ids of the entries */
  constructor(ids: readonly string[], call: WatchedCall, options: EntryLeaseOptions) {
    this.#ids = ids;
    this.#call = call;
    this.#options = options;
    this.#renewedAt = options.now();
    this.#background = setInterval(() => {
      this.#claim().catch((error: unknown) =>
        options.logger.warn({ err: error }, 'stream entries could not be renewed; retrying'),
      );
    }, options.idleMs / 3);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Cheap to call often: asks Redis only now and then. @throws BatchLost, RedisUnavailable */
  async renew(): Promise<void> {
    const { now, idleMs } = this.#options;
    this.#call.mark();
    if (this.#isLost || now() - this.#renewedAt >= idleMs / 10) await this.confirm();
  }

  /** Asks Redis whether all entries are still ours. @throws BatchLost, RedisUnavailable */
  async confirm(): Promise<void> {
    if (!this.#isLost) await this.#claim();
    if (this.#isLost) throw new BatchLost(`the batch at ${this.#ids[0]} now belongs to another consumer`);
  }

  end(): void {
    clearInterval(this.#background);
  }

  async #claim(): Promise<void> {
    const { group, now } = this.#options;
    const owned = await group.renew(this.#ids).catch((error: unknown) => {
      if (isGone(error)) return 0;
      throw error;
    });
    this.#renewedAt = now();
    if (owned < this.#ids.length) this.#isLost = true;
  }
}

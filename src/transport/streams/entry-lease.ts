import type { Logger } from 'pino';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { type BatchLease, BatchLost } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';

export interface EntryLeaseOptions {
  readonly group: Pick<ConsumerGroup, 'renew'>;
  /** The ids of the entries. */
  readonly ids: readonly string[];
  /** ms after which entries that are not renewed may be claimed by others. */
  readonly idleMs: number;
  readonly now: () => number;
  readonly progress: StallDetector;
  readonly logger: Logger;
}

/** Keeps entries from being claimed by other consumers while they are worked on, however long that takes. */
export class EntryLease implements BatchLease {
  readonly #options: EntryLeaseOptions;
  readonly #background: NodeJS.Timeout;
  #renewedAt: number;
  #isLost = false;

  constructor(options: EntryLeaseOptions) {
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

  /** Called often, it asks Redis seldom. @throws BatchLost, RedisUnavailable */
  async renew(): Promise<void> {
    const { now, idleMs, progress } = this.#options;
    progress.mark();
    if (this.#isLost || now() - this.#renewedAt >= idleMs / 10) await this.confirm();
  }

  /** Asks Redis whether all entries are still ours. @throws BatchLost, RedisUnavailable */
  async confirm(): Promise<void> {
    if (!this.#isLost) await this.#claim();
    if (this.#isLost) throw new BatchLost(`the batch at ${this.#options.ids[0]} belongs to another consumer by now`);
  }

  end(): void {
    clearInterval(this.#background);
  }

  async #claim(): Promise<void> {
    const { group, ids, now } = this.#options;
    const held = await group.renew(ids).catch((error: unknown) => {
      if (isGone(error)) return 0;
      throw error;
    });
    this.#renewedAt = now();
    if (held < ids.length) this.#isLost = true;
  }
}

import type { Logger } from 'pino';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { BatchLost } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';

export interface HoldOptions {
  readonly group: Pick<ConsumerGroup, 'renew'>;
  /** Of the entries held. */
  readonly ids: readonly string[];
  /** ms after which entries that are not renewed may be claimed by others. */
  readonly idleMs: number;
  readonly now: () => number;
  readonly progress: StallDetector;
  readonly logger: Logger;
}

/** Keeps entries from being claimed by others while they are worked on, however long that takes. */
export class Hold {
  readonly #options: HoldOptions;
  readonly #background: NodeJS.Timeout;
  #renewedAt: number;
  #isLost = false;

  constructor(options: HoldOptions) {
    this.#options = options;
    this.#renewedAt = options.now();
    this.#background = setInterval(() => {
      this.#renew().catch((error: unknown) =>
        options.logger.warn({ err: error }, 'entries could not be renewed; trying on'),
      );
    }, options.idleMs / 3);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Called often, it asks Redis seldom. @throws BatchLost, RedisUnavailable */
  async keepAlive(): Promise<void> {
    const { now, idleMs, progress } = this.#options;
    progress.mark();
    if (this.#isLost || now() - this.#renewedAt >= idleMs / 10) await this.confirm();
  }

  /** Are all of them still ours? @throws BatchLost, RedisUnavailable */
  async confirm(): Promise<void> {
    if (!this.#isLost) await this.#renew();
    if (this.#isLost) throw new BatchLost(`the batch at ${this.#options.ids[0]} belongs to another consumer by now`);
  }

  end(): void {
    clearInterval(this.#background);
  }

  async #renew(): Promise<void> {
    const { group, ids, now } = this.#options;
    const held = await group.renew(ids).catch((error: unknown) => {
      if (isGone(error)) return 0;
      throw error;
    });
    this.#renewedAt = now();
    if (held < ids.length) this.#isLost = true;
  }
}

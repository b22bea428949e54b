import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import { loop, pause } from '../../timing/loop.ts';
import type { ContactIndex } from '../contact-index.ts';

interface IdleReaperOptions {
  readonly index: Pick<ContactIndex, 'dropIdle'>;
  /** The users who have an index, a page at a time, in no order; a user may come several times. */
  readonly indexedUsers: () => AsyncIterable<readonly Id[]>;
  /** An index whose last use is more days ago is dropped; 1 or more. */
  readonly idleDays: number;
  readonly logger: Logger;
  readonly onDropped?: (indexes: number) => void;
}

/** A page is some hundred users. Between two pages other clients' commands get their turn. */
const BETWEEN_PAGES_MS = 20;

const BETWEEN_RUNS_MS = 6 * 3_600_000;

const RETRY_MS = 60_000;

/**
 * Drops the indexes that nobody reads, every six hours. The day of the last use is part of each index: two expiries in Redis
 * would cost 88 bytes a user, and some time at every write. Several reapers at once do no harm; a lease lets one consumer do it.
 */
export class IdleReaper {
  readonly #options: IdleReaperOptions;

  constructor(options: IdleReaperOptions) {
    this.#options = options;
  }

  /** Until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const onError = (error: unknown) => {
      logger.warn({ err: error }, 'idle indexes could not be dropped; retrying in a minute');
      return RETRY_MS;
    };
    await loop({ signal, round: () => this.#round(signal), onError });
  }

  /** Once through all of Redis; how many were dropped. @throws RedisUnavailable */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { index, indexedUsers, idleDays, onDropped } = this.#options;
    let all = 0;
    for await (const users of indexedUsers()) {
      if (signal?.aborted) break;
      const dropped = users.length > 0 ? await index.dropIdle(users, idleDays) : 0;
      all += dropped;
      onDropped?.(dropped);
      await pause(BETWEEN_PAGES_MS, signal);
    }
    return all;
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { idleDays, logger } = this.#options;
    const dropped = await this.runOnce(signal);
    if (dropped > 0) logger.info({ dropped, idleDays }, 'dropped idle indexes');
    return BETWEEN_RUNS_MS;
  }
}

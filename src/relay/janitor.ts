import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import { deletePublished, pullForward, readClock } from '../mysql/outbox.ts';
import { loop } from '../timing/loop.ts';

export interface JanitorOptions {
  readonly database: Database;
  /** Rows published longer ago than this are deleted, ms. */
  readonly keepMs: number;
  readonly logger: Logger;
}

const ROWS_AT_ONCE = 1_000;

/** After a full batch: let the site's own writes go first. */
const BETWEEN_BATCHES_MS = 50;

const IDLE_MS = 60_000;

/** Deletes old rows of the outbox, a bounded batch at a time, and finds rows that a clock set back has put off for too long. Several at once do no harm; a lease lets one relay do it. */
export class OutboxJanitor {
  readonly #options: JanitorOptions;

  constructor(options: JanitorOptions) {
    this.#options = options;
  }

  /** Until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const onError = (error: unknown) => {
      this.#options.logger.warn({ err: error }, 'old rows of the outbox were not deleted; the next round tries again');
      return IDLE_MS;
    };
    await loop({ signal, round: () => this.#round(), onError });
  }

  /** One batch; how many rows were deleted. @throws DatabaseUnavailable */
  async runOnce(): Promise<number> {
    const { database, keepMs } = this.#options;
    await pullForward(database, 'tasks');
    return await deletePublished(database, (await readClock(database)) - keepMs, ROWS_AT_ONCE);
  }

  async #round(): Promise<number> {
    return (await this.runOnce()) === ROWS_AT_ONCE ? BETWEEN_BATCHES_MS : IDLE_MS;
  }
}

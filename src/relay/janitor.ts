import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import { deletePublished, pullForward, readClock } from '../mysql/outbox.ts';
import { loop } from '../timing/loop.ts';

interface JanitorOptions {
  readonly database: Database;
  /** Rows published longer ago than this are deleted, ms. */
  readonly keepMs: number;
  readonly logger: Logger;
}

const ROWS_AT_ONCE = 1_000;

/** Pause after a full batch, ms: lets the site's own writes go first. */
const BETWEEN_BATCHES_MS = 50;

const IDLE_MS = 60_000;

/**
 * Deletes old rows of the outbox in bounded batches, and finds rows that were put off for too long because a clock was set
 * back. Running several at once does no harm; a lease lets one relay do it.
 */
export class OutboxJanitor {
  readonly #options: JanitorOptions;

  constructor(options: JanitorOptions) {
    this.#options = options;
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const onError = (error: unknown) => {
      this.#options.logger.warn({ err: error }, 'old outbox rows were not deleted; retrying in the next round');
      return IDLE_MS;
    };
    await loop({ signal, round: () => this.#round(), onError });
  }

  /** Deletes one batch. Returns the number of rows. @throws DatabaseUnavailable */
  async runOnce(): Promise<number> {
    const { database, keepMs } = this.#options;
    await pullForward(database, 'tasks');
    return await deletePublished(database, (await readClock(database)) - keepMs, ROWS_AT_ONCE);
  }

  async #round(): Promise<number> {
    return (await this.runOnce()) === ROWS_AT_ONCE ? BETWEEN_BATCHES_MS : IDLE_MS;
  }
}

import { type BulkheadPolicy, BulkheadRejectedError, bulkhead } from 'cockatiel';

/** As many plain queries are running and waiting as may; or one waited too long for its turn. */
export class PlainQueryLimitReached extends Error {
  override readonly name = 'PlainQueryLimitReached';
  constructor() {
    super('as many plain queries are running and waiting as may');
  }
}

export interface PlainQueryLimitOptions {
  /** Plain queries at once. */
  readonly concurrency: number;
  /** More of them that may wait for their turn. */
  readonly queue: number;
  /** ms that one waits for its turn at the most. */
  readonly waitMs: number;
}

/**
 * Keeps plain queries, whose time grows with a user's contacts, from taking all of MySQL when many indexes are gone at
 * once: only so many run, so many wait, and the rest is refused at once.
 */
export class PlainQueryLimit {
  readonly #options: PlainQueryLimitOptions;
  readonly #bulkhead: BulkheadPolicy;
  #refused = 0;

  constructor(options: PlainQueryLimitOptions) {
    this.#options = options;
    this.#bulkhead = bulkhead(options.concurrency, options.queue);
  }

  /** How many were refused, in all. */
  get refused(): number {
    return this.#refused;
  }

  get running(): number {
    return this.#options.concurrency - this.#bulkhead.executionSlots;
  }

  get queued(): number {
    return this.#options.queue - this.#bulkhead.queueSlots;
  }

  /** @throws PlainQueryLimitReached, and what the query throws */
  readonly run = async <T>(query: () => Promise<T>): Promise<T> => {
    const turn = AbortSignal.timeout(this.#options.waitMs);
    try {
      return await this.#waitingAtMost(turn, query);
    } catch (error) {
      if (!(error instanceof BulkheadRejectedError) && !(error instanceof PlainQueryLimitReached)) throw error;
      this.#refused += 1;
      throw new PlainQueryLimitReached();
    }
  };

  #waitingAtMost<T>(turn: AbortSignal, query: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new PlainQueryLimitReached());
      turn.addEventListener('abort', giveUp, { once: true });
      const begin = () => {
        turn.removeEventListener('abort', giveUp);
        if (turn.aborted) throw new PlainQueryLimitReached();
        return query();
      };
      this.#bulkhead.execute(begin).then(resolve, reject);
    });
  }
}

import { inSpan } from '../tracing/tracing.ts';

const SPANS = { index: 'recency.index.read', db: 'recency.query' };

/** Adds up the time that one answer spends waiting for Redis (`index`) and MySQL (`db`), ms. */
export class Stopwatch {
  readonly spent = { index: 0, db: 0 };
  readonly #now: () => number;

  /** @param now monotonic clock, ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds time measured elsewhere. */
  add(spent: { readonly index: number; readonly db: number }): void {
    this.spent.index += spent.index;
    this.spent.db += spent.db;
  }

  /** @param span the name of its span */
  async time<T>(part: 'index' | 'db', work: () => Promise<T>, span = SPANS[part]): Promise<T> {
    const from = this.#now();
    try {
      return await inSpan(span, work);
    } finally {
      this.spent[part] += this.#now() - from;
    }
  }
}

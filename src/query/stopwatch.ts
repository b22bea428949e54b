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

  async time<T>(part: 'index' | 'db', work: () => Promise<T>): Promise<T> {
    const from = this.#now();
    try {
      return await work();
    } finally {
      this.spent[part] += this.#now() - from;
    }
  }
}

/** Sums up where the time of one answer went, in ms. */
export class Stopwatch {
  readonly spent = { index: 0, db: 0 };
  readonly #now: () => number;

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Time that was measured elsewhere. */
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

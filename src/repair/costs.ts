/** What a part of a run has cost. Seconds by the clock, pauses for the rate included. */
export type Cost = { readonly rows_read: number; readonly seconds: number };

export interface CostMeters {
  /** Rows read so far. */
  readonly rowsRead: () => number;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** Cuts what a process spends into what was spent on each page; nothing is left out or counted twice. */
export class Costs {
  readonly #meters: CostMeters;
  #rows: number;
  #since: number;

  constructor(meters: CostMeters) {
    this.#meters = meters;
    this.#rows = meters.rowsRead();
    this.#since = meters.now();
  }

  /** Since what was counted last. */
  soFar(): Cost {
    const { rowsRead, now } = this.#meters;
    return { rows_read: rowsRead() - this.#rows, seconds: (now() - this.#since) / 1000 };
  }

  /** This is kept now. */
  count(cost: Cost): void {
    this.#rows += cost.rows_read;
    this.#since += cost.seconds * 1000;
  }
}

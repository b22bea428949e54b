/** An interval, ms on one monotonic clock, both ends included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The intersection of two intervals; undefined if it is empty. */
export function overlap(a: Span, b: Span): Span | undefined {
  const from = Math.max(a.from, b.from);
  const until = Math.min(a.until, b.until);
  return from <= until ? { from, until } : undefined;
}

/**
 * The states of one thing in the database, and when each may have been in force. A transaction commits at some moment
 * between its call and its return, and nobody outside can tell when: so a new state is possible from the call on, and
 * the previous one until the return. Changes of one thing happen one at a time.
 */
export class Timeline<S> {
  readonly #states: { readonly state: S; readonly from: number; until: number }[];

  constructor(state: S) {
    this.#states = [{ state, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }];
  }

  /** The newest state, even while its transaction runs. */
  get latest(): S {
    return (this.#states.at(-1) as { state: S }).state;
  }

  /** Makes this state while `commit` runs. @param now ms, monotonic; the clock of the reads too */
  async change<T>(state: S, now: () => number, commit: () => Promise<T>): Promise<T> {
    this.#states.push({ state, from: now(), until: Number.POSITIVE_INFINITY });
    const result = await commit();
    const before = this.#states.at(-2);
    if (before !== undefined) before.until = now();
    return result;
  }

  /** Each state that may have been in force within the span, with that part of the span. */
  *within(span: Span): Generator<{ state: S; span: Span }> {
    for (const entry of this.#states) {
      const common = overlap(entry, span);
      if (common !== undefined) yield { state: entry.state, span: common };
    }
  }
}

/** A stretch of time, ms on one monotonic clock, both ends included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What both stretches have in common; undefined: nothing. */
export function overlap(a: Span, b: Span): Span | undefined {
  const from = Math.max(a.from, b.from);
  const until = Math.min(a.until, b.until);
  return from <= until ? { from, until } : undefined;
}

/**
 * The states that one thing in the database has been in, and when each may have been in force. A transaction commits at
 * some moment between its call and its return, and nobody outside can tell when: so a new state is possible from the
 * call on, and the one before it until the return. Changes of one thing are made one after the other.
 */
export class Timeline<S> {
  readonly #states: { readonly state: S; readonly from: number; until: number }[];

  constructor(state: S) {
    this.#states = [{ state, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }];
  }

  /** The newest state, also while its transaction is under way. */
  get latest(): S {
    return (this.#states.at(-1) as { state: S }).state;
  }

  /** The transaction that makes this state is called now. */
  begin(state: S, now: number): void {
    this.#states.push({ state, from: now, until: Number.POSITIVE_INFINITY });
  }

  /** It returned now: what was before is over. */
  settle(now: number): void {
    const before = this.#states.at(-2);
    if (before !== undefined) before.until = now;
  }

  /** Each state that may have been in force within the span, with the part of the span. */
  *within(span: Span): Generator<{ state: S; span: Span }> {
    for (const entry of this.#states) {
      const common = overlap(entry, span);
      if (common !== undefined) yield { state: entry.state, span: common };
    }
  }
}

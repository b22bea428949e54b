interface LineLimitOptions {
  /** Least time between two lines about the same, ms. */
  readonly everyMs: number;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

/** What a line adds: how many were left out since the last one about the same, if any were. */
type LeftOut = { readonly leftOut?: number };

/** Subjects that are told apart within that time; all further ones count as one. */
const SUBJECTS = 1_000;

const OTHERS = 'others';

/** Keeps failures that come by the thousand, all alike, from filling the log: one line about each subject at a time. */
export class LineLimit {
  readonly #everyMs: number;
  readonly #now: () => number;
  /** Of each subject, when the last line was written; the longest ago first. */
  readonly #last = new Map<string, { readonly at: number; leftOut: number }>();

  constructor({ everyMs, now = () => performance.now() }: LineLimitOptions) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** @returns what to add to the line; undefined: leave it out */
  next(about: string): LeftOut | undefined {
    const at = this.#now();
    const subject = this.#last.has(about) || this.#hasRoom(at) ? about : OTHERS;
    const last = this.#last.get(subject);
    if (last !== undefined && at - last.at < this.#everyMs) {
      last.leftOut += 1;
      return undefined;
    }
    this.#last.delete(subject);
    this.#last.set(subject, { at, leftOut: 0 });
    return last === undefined || last.leftOut === 0 ? {} : { leftOut: last.leftOut };
  }

  #hasRoom(now: number): boolean {
    const [oldest] = this.#last;
    if (this.#last.size < SUBJECTS || oldest === undefined) return true;
    if (now - oldest[1].at < this.#everyMs) return false;
    this.#last.delete(oldest[0]);
    return true;
  }
}

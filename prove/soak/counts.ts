/** What happened on one transport. */
export class SoakCounts {
  rounds = 0;
  /** Transactions of the site. */
  changes = 0;
  /** Tasks that consumers took and acknowledged; those of a killed consumer's last half second are missing. */
  deliveries = 0;
  /** Segments of large fan-outs that consumers did and acknowledged, under the same restriction. */
  segments = 0;
  /** Answers read over HTTP and compared with what the site had committed. */
  reads = 0;
  /** Reads narrowed by an index. */
  narrowed = 0;
  /** Requests without an answer: the plain-query limit was reached, or the API had just been killed. */
  refused = 0;
  /** Processes killed by SIGKILL. */
  kills = 0;
  /** Processes that exited by themselves and were restarted. */
  gaveUp = 0;
  /** All other disturbances, by name. */
  readonly others = new Map<string, number>();
  /** Indexes compared with plain SQL at rest. */
  indexes = 0;
  /** Answers compared with plain SQL at rest. */
  answers = 0;
  wrong = 0;

  add(disturbance: string): void {
    this.others.set(disturbance, (this.others.get(disturbance) ?? 0) + 1);
  }

  /** For programs. */
  toJSON(): object {
    const { gaveUp, others, ...rest } = this;
    return { ...rest, gave_up: gaveUp, others: Object.fromEntries(others) };
  }
}

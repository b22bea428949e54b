/** What happened on one transport. */
export class SoakCounts {
  rounds = 0;
  /** Transactions of the site. */
  changes = 0;
  /** Tasks that consumers took and acknowledged; of a killed one, those of its last half second are missing. */
  deliveries = 0;
  /** Answers read over HTTP and held against what the site had committed. */
  reads = 0;
  /** Of them, those that an index narrowed. */
  narrowed = 0;
  /** Questions that were not answered: too many plain queries waited, or the API had just been killed. */
  refused = 0;
  /** Processes that got SIGKILL. */
  kills = 0;
  /** Processes that gave up by themselves, and were started again. */
  gaveUp = 0;
  /** Everything else that was done to them, by its name. */
  readonly others = new Map<string, number>();
  /** Indexes held against plain SQL, at rest. */
  indexes = 0;
  /** Answers held against plain SQL, at rest. */
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

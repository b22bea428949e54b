import type { Membership } from './membership.ts';

/** One partition of an assignment. */
export interface OwnedPartition {
  readonly partition: number;
  /** The offset expected next; undefined until the partition was inspected. */
  next: bigint | undefined;
  /** Batches given back in a row. */
  failures: number;
}

/** What one generation of the group gave to this process. */
export class Assignment {
  readonly membership: Membership;
  readonly partitions: ReadonlyMap<number, OwnedPartition>;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ended = new AbortController();

  constructor(partitions: readonly number[], membership: Membership) {
    this.membership = membership;
    this.partitions = new Map(
      partitions.map((partition) => [partition, { partition, next: undefined, failures: 0 }] as const),
    );
  }

  /** Aborted when the group has gone on to another generation, or the source ends. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Unless the assignment has ended by then. */
  later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  end(): void {
    this.membership.end();
    this.#ended.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

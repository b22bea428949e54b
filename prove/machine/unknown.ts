/**
 * A question that the product's code has not answered yet. Its answers are asynchronous (it expects real stores), and the search
 * never waits: code that needs an unknown answer throws this, and is called again once the answer is found.
 */
export class Unknown {
  /** Finds the answer and caches it. */
  readonly find: () => Promise<void>;

  constructor(find: () => Promise<void>) {
    this.find = find;
  }
}

/** Runs `work` again until it needs no unknown answer. It must have no effect before that. */
export async function whenKnown<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (missing) {
      if (!(missing instanceof Unknown)) throw missing;
      await missing.find();
    }
  }
}

/**
 * Something that the product's code has not been asked yet. Its answers come later (it speaks to real stores), the search
 * never waits: code that needs an unknown answer throws this, and is called again once the answer is found.
 */
export class Unknown {
  /** Finds the answer and remembers it. */
  readonly find: () => Promise<void>;

  constructor(find: () => Promise<void>) {
    this.find = find;
  }
}

/** Runs `work` as often as it takes until it needs nothing unknown any more. It must have no effect before that. */
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

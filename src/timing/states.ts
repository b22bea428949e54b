/** Which states each state leads to. */
export type Leads<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Something that is always in exactly one of its named states. A transition that the table does not have is a defect, and throws. */
export class States<S extends string> {
  readonly #leads: Leads<S>;
  #now: S;

  constructor(first: S, leads: Leads<S>) {
    this.#now = first;
    this.#leads = leads;
  }

  get now(): S {
    return this.#now;
  }

  is(...states: readonly S[]): boolean {
    return states.includes(this.#now);
  }

  /** @throws Error when nothing leads there from the present state */
  enter(next: S): void {
    if (!this.#leads[this.#now].includes(next)) throw new Error(`nothing leads from ${this.#now} to ${next}`);
    this.#now = next;
  }
}

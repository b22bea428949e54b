/** A state, as the numbers that the stores give to contents. */
export interface State {
  readonly site: number;
  readonly index: number;
  /** Notes of plans that wait, and the delay queue. */
  readonly side: number;
  /** Re-checks in MySQL. */
  readonly rechecks: number;
  readonly tasks: number;
  /** Actions left. */
  readonly actions: number;
  /** Faults left. */
  readonly faults: number;
  /** The number of each worker's operation, or IDLE. */
  readonly workers: readonly number[];
}

export const IDLE = -1;

/** Workers are interchangeable. */
export function canonical(state: State): State {
  return { ...state, workers: state.workers.toSorted((a, b) => a - b) };
}

const FIXED = 7;

/** All states seen, each as a row of integers, with the state from which it was first reached. */
export class StateTable {
  readonly #width: number;
  #rows: Int32Array;
  #parents: Int32Array;
  #slots: Int32Array;
  #size = 0;

  constructor(workers: number) {
    this.#width = FIXED + workers;
    this.#rows = new Int32Array(1024 * this.#width);
    this.#parents = new Int32Array(1024);
    this.#slots = new Int32Array(2048).fill(-1);
  }

  get size(): number {
    return this.#size;
  }

  /** The number of the state, if it is new. Workers are interchangeable. */
  add(state: State, parent: number): number | undefined {
    if (this.#size === this.#parents.length) this.#grow();
    this.#write(state, this.#size);
    const slot = this.#slotOf(this.#size);
    if (this.#slots[slot] !== -1) return undefined;
    this.#slots[slot] = this.#size;
    this.#parents[this.#size] = parent;
    return this.#size++;
  }

  at(number: number): State {
    const from = number * this.#width;
    const [site = 0, index = 0, side = 0, rechecks = 0, tasks = 0, actions = 0, faults = 0, ...workers] =
      this.#rows.subarray(from, from + this.#width);
    return { site, index, side, rechecks, tasks, actions, faults, workers };
  }

  /** The numbers of the states on the path to this one, from the first. */
  path(number: number): number[] {
    const path: number[] = [];
    for (let at = number; at >= 0; at = this.#parents[at] ?? -1) path.unshift(at);
    return path;
  }

  #write(state: State, number: number): void {
    const { site, index, side, rechecks, tasks, actions, faults, workers } = state;
    this.#rows.set(
      [site, index, side, rechecks, tasks, actions, faults, ...workers.toSorted((a, b) => a - b)],
      number * this.#width,
    );
  }

  /** The slot of this row in the hash table. */
  #slotOf(number: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(number) & mask;
    while (this.#slots[slot] !== -1 && !this.#same(this.#slots[slot] as number, number)) slot = (slot + 1) & mask;
    return slot;
  }

  #hash(number: number): number {
    let hash = 0x811c9dc5;
    for (let i = number * this.#width; i < (number + 1) * this.#width; i++) {
      hash = Math.imul(hash ^ (this.#rows[i] as number), 0x01000193);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  #same(a: number, b: number): boolean {
    for (let i = 0; i < this.#width; i++) {
      if (this.#rows[a * this.#width + i] !== this.#rows[b * this.#width + i]) return false;
    }
    return true;
  }

  #grow(): void {
    const rows = new Int32Array(this.#rows.length * 2);
    rows.set(this.#rows);
    const parents = new Int32Array(this.#parents.length * 2);
    parents.set(this.#parents);
    [this.#rows, this.#parents] = [rows, parents];
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let number = 0; number < this.#size; number++) this.#slots[this.#slotOf(number)] = number;
  }
}

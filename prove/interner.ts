/** Numbers things from 0; things with equal texts get the same number. */
export class Interner<T> {
  readonly #numbers = new Map<string, number>();
  readonly #things: T[] = [];
  readonly #textOf: (thing: T) => string;

  constructor(textOf: (thing: T) => string = (thing) => JSON.stringify(thing)) {
    this.#textOf = textOf;
  }

  get size(): number {
    return this.#things.length;
  }

  number(thing: T): number {
    const text = this.#textOf(thing);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#things.push(thing);
    this.#numbers.set(text, this.#things.length - 1);
    return this.#things.length - 1;
  }

  thing(number: number): T {
    if (number < 0 || number >= this.#things.length) throw new RangeError(`nothing has the number ${number}`);
    return this.#things[number] as T;
  }
}

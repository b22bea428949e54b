/** Gives equal things, by their text, the same small number, counted from 0. */
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

const KEPT = 40;

/** The latest actions, printed with a failure. */
export class Diary {
  readonly #lines: string[] = [];
  readonly #begun = performance.now();

  note(what: string): void {
    const seconds = (performance.now() - this.#begun) / 1000;
    this.#lines.push(`${seconds.toFixed(1).padStart(7)} s  ${what}`);
    if (this.#lines.length > KEPT) this.#lines.shift();
  }

  get last(): readonly string[] {
    return this.#lines;
  }
}

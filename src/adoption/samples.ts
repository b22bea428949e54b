import type { ColumnSample } from '../mysql/inspected-schema.ts';

/** What samples of columns are known. */
export interface Samples {
  /** Undefined: this column has not been sampled. */
  of(table: string, column: string): ColumnSample | undefined;
}

/** The samples that were read, and which ones a proposal asks for beyond them. */
export class SampleRequests implements Samples {
  readonly #known = new Map<string, ColumnSample>();
  #wanted = new Map<string, { readonly table: string; readonly column: string }>();

  of(table: string, column: string): ColumnSample | undefined {
    const key = JSON.stringify([table, column]);
    const sample = this.#known.get(key);
    if (sample === undefined) this.#wanted.set(key, { table, column });
    return sample;
  }

  add(table: string, column: string, sample: ColumnSample): void {
    this.#known.set(JSON.stringify([table, column]), sample);
  }

  /** What was asked for in vain since the last call. */
  takeWanted(): { readonly table: string; readonly column: string }[] {
    const wanted = [...this.#wanted.values()];
    this.#wanted = new Map();
    return wanted;
  }
}

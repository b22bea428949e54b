/** What is known of the rows of a site's tables, and how it is put to people. */
import type { InspectedColumn, InspectedTable } from '../mysql/inspect-schema.ts';
import type { ColumnSample, CountedValue, PairColumns, PairSample } from '../mysql/sample-rows.ts';
import { enumValues, isTime } from './tables.ts';

/** Undefined: that has not been sampled. */
export interface Samples {
  of(table: string, column: string): ColumnSample | undefined;
  pairs(columns: PairColumns): PairSample | undefined;
}

interface WantedSamples {
  readonly columns: readonly { readonly table: string; readonly column: string }[];
  readonly pairs: readonly PairColumns[];
}

/** The samples that were read, and which ones a proposal asks for beyond them. */
export class SampleRequests implements Samples {
  readonly #columns = new Requests<{ readonly table: string; readonly column: string }, ColumnSample>();
  readonly #pairs = new Requests<PairColumns, PairSample>();

  of(table: string, column: string): ColumnSample | undefined {
    return this.#columns.get({ table, column });
  }

  pairs(columns: PairColumns): PairSample | undefined {
    return this.#pairs.get(columns);
  }

  add(table: string, column: string, sample: ColumnSample): void {
    this.#columns.add({ table, column }, sample);
  }

  addPairs(columns: PairColumns, sample: PairSample): void {
    this.#pairs.add(columns, sample);
  }

  /** What was asked for in vain since the last call. */
  takeWanted(): WantedSamples {
    return { columns: this.#columns.takeWanted(), pairs: this.#pairs.takeWanted() };
  }
}

/** By the content of what is asked. */
class Requests<Asked, Answer> {
  readonly #known = new Map<string, Answer>();
  #wanted = new Map<string, Asked>();

  get(asked: Asked): Answer | undefined {
    const key = JSON.stringify(asked);
    const answer = this.#known.get(key);
    if (answer === undefined) this.#wanted.set(key, asked);
    return answer;
  }

  add(asked: Asked, answer: Answer): void {
    this.#known.set(JSON.stringify(asked), answer);
  }

  takeWanted(): Asked[] {
    const wanted = [...this.#wanted.values()];
    this.#wanted = new Map();
    return wanted;
  }
}

/** The different values of a column that are known, without NULL, sorted: those of its ENUM, its default and those in rows. */
export function valuesOf(table: InspectedTable, column: InspectedColumn, samples: Samples): string[] {
  const sampled = samples.of(table.name, column.name)?.counted ?? [];
  const values = [
    ...(enumValues(column) ?? []),
    ...sampled.flatMap(({ value }) => value ?? []),
    ...(column.defaultValue === undefined ? [] : [column.defaultValue]),
  ];
  return [...new Set(values)].sort();
}

/** Values that are shown. */
const SHOWN = 12;

/** `public (900 rows), private (12), NULL (3)`. */
export function foundIn(table: InspectedTable, column: InspectedColumn, samples: Samples): string {
  const sample = samples.of(table.name, column.name);
  if (sample === undefined || sample.counted.length === 0) return 'no rows';
  if (isTime(column)) {
    const isNull = sample.counted.find(({ value }) => value === null)?.rows ?? 0;
    return `NULL (${isNull} rows), the latest ${sample.greatest ?? 'none'}`;
  }
  const text = ({ value, rows }: CountedValue, place: number) =>
    `${value === '' ? "''" : (value ?? 'NULL')} (${rows}${place === 0 ? ' rows' : ''})`;
  const more = sample.counted.length > SHOWN ? ', …' : '';
  const part = sample.isPartial ? ', of the rows that were read' : '';
  return `${sample.counted.slice(0, SHOWN).map(text).join(', ')}${more}${part}`;
}

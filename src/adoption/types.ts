/** Tables with rows of several types: which of them are meant. */
import { type InspectedColumn, type InspectedTable, literal, quoted } from '../mysql/inspect-schema.ts';
import { type Rule, TODO } from './guess.ts';
import { foundIn, type Samples, valuesOf } from './samples.ts';
import { isText, plainName, singularName } from './tables.ts';

/** A column that says what a row is about: `object_model`, `relationship`, `subtype`. */
const TYPE_COLUMN = /(^|_)(type|subtype|kind|model|class|relationship|component)$/;

export function typeColumns({ columns }: InspectedTable): InspectedColumn[] {
  return columns.filter((column) => isText(column) && TYPE_COLUMN.test(plainName(column.name)));
}

/** The rows of a table that are meant, by one of its columns. */
export interface TypeFilter {
  readonly column: string;
  /** Undefined: a person must say which. */
  readonly values: readonly string[] | undefined;
  readonly rule: Rule;
}

interface Meant {
  /** Says that the rows with a value are meant. */
  readonly isMeant: (value: string) => boolean;
  /** Of the column, as in `c.`. */
  readonly prefix: string;
  /** What such rows are: `relationships`. */
  readonly what: string;
  /** A column without two different values, none of which is known, tells nothing apart. */
  readonly isOptional?: boolean;
}

/** Which values of a column are meant. @returns undefined: every row is meant */
export function typeFilter(
  table: InspectedTable,
  column: InspectedColumn,
  samples: Samples,
  { isMeant, prefix, what, isOptional }: Meant,
): TypeFilter | undefined {
  const all = valuesOf(table, column, samples);
  const meant = all.filter(isMeant);
  if (isOptional && meant.length === 0 && all.length < 2) return undefined;
  const name = `${prefix}${quoted(column.name)}`;
  const about = `${table.name}.${column.name}`;
  const found = foundIn(table, column, samples);
  const reads = column.name;
  if (meant.length === 0) {
    const check = `Which values of ${column.name} are ${what}?`;
    const guess = { about, guess: `rows of several types, of which some are ${what}`, why: 'its name', found, check };
    return {
      column: column.name,
      values: undefined,
      rule: { condition: `${name} IN (${TODO})`, reads, guess: { ...guess, is: 'open' } },
    };
  }
  const condition =
    meant.length === 1 ? `${name} = ${literal(meant[0] ?? '')}` : `${name} IN (${meant.map(literal).join(', ')})`;
  const guess = `only rows with ${meant.join(' or ')} are ${what}`;
  const check = `Are rows with another ${column.name} no ${what}?`;
  return {
    ...{ column: column.name, values: meant },
    rule: { condition, reads, guess: { about, guess, why: 'the words of its values', found, check } },
  };
}

/** What a value names, also as a class in a namespace: `app\models\User` → `user`, `friends` → `friend`. */
export function thingOf(value: string): string {
  return singularName(value.split('\\').at(-1) ?? '');
}

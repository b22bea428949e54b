/** Questions about an inspected table. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspected-schema.ts';
import { PEOPLE, plainName, singular, singularName, stemOf, wordsOf } from './names.ts';

const INTEGER = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const TEXT = new Set(['char', 'varchar', 'enum', 'tinytext', 'text', 'mediumtext', 'longtext']);

export const isInteger = ({ type }: InspectedColumn): boolean => INTEGER.has(type);
export const isText = ({ type }: InspectedColumn): boolean => TEXT.has(type);
export const isTime = ({ type }: InspectedColumn): boolean => type === 'datetime' || type === 'timestamp';

/** The values that an ENUM may have; of another type, undefined. */
export function enumValues({ type, fullType }: InspectedColumn): string[] | undefined {
  if (type !== 'enum') return undefined;
  return [...fullType.matchAll(/'((?:[^']|'')*)'/g)].map(([, one = '']) => one.replaceAll("''", "'"));
}

/** The columns whose plain name matches. */
export function columnsLike({ columns }: InspectedTable, pattern: RegExp): InspectedColumn[] {
  return columns.filter(({ name }) => pattern.test(plainName(name)));
}

/** The first column whose plain name is the first of these that exists. */
export function columnNamed(table: InspectedTable, names: readonly string[]): InspectedColumn | undefined {
  const found = names.map((name) => table.columns.find((column) => plainName(column.name) === name));
  return found.find((column) => column !== undefined);
}

/** The primary key, if it is one whole number. */
export function integerKey(table: InspectedTable): InspectedColumn | undefined {
  const primary = table.keys.find(({ name }) => name === 'PRIMARY');
  const [name, ...more] = primary?.columns ?? [];
  const column = table.columns.find((one) => one.name === name);
  return more.length === 0 && column !== undefined && isInteger(column) ? column : undefined;
}

/** Is there an index that begins with these columns, in this order? */
export function hasKeyOn({ keys }: InspectedTable, columns: readonly string[]): boolean {
  return keys.some((key) => columns.every((column, place) => key.columns[place] === column));
}

/** Is at most one row found by these columns? */
export function isUniqueBy({ keys }: InspectedTable, columns: readonly string[]): boolean {
  return keys.some((key) => key.isUnique && key.columns.every((column) => columns.includes(column)));
}

export function tableNamed({ tables }: InspectedSchema, name: string): InspectedTable | undefined {
  return tables.find((table) => table.name === name);
}

/**
 * The table that an id column points into: by its foreign key, otherwise by its name, whose last word may be that of a
 * table (`target_account_id`: `accounts`).
 */
export function tableOfId(schema: InspectedSchema, table: InspectedTable, column: string): InspectedTable | undefined {
  const reference = table.references.find((one) => one.column === column);
  if (reference !== undefined) return tableNamed(schema, reference.table);
  const stem = stemOf(column);
  if (stem === undefined) return undefined;
  const last = singular(stem.split('_').at(-1) ?? '');
  const called = (name: string) => schema.tables.find((one) => singularName(one.name) === name && integerKey(one));
  return called(singular(stem)) ?? called(last);
}

/** A table of people: by its name, with a whole number as its key. */
export function isOfPeople(table: InspectedTable): boolean {
  const words = wordsOf(table.name);
  return words.length === 1 && PEOPLE.includes(singular(words[0] ?? '')) && integerKey(table) !== undefined;
}

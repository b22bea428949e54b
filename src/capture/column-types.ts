/**
 * Which types of columns a mapping may read. A value that cannot be compared is not "different": what is not known to be read
 * exactly is refused by name. A column that is only in `columns` may be of any type, because only its bytes are compared.
 */
import { namedValues, type TableColumn } from './base-tables.ts';
import { LOGGED_TYPES } from './binlog/logged-tables.ts';
import type { CaptureProblem, LogReading } from './capture-checks.ts';
import type { Value } from './change-source.ts';
import { idColumns, idSourceOf, type TableMapping } from './mapping.ts';

const WHOLE = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const TEXTS = new Set(['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext']);
const BYTES = new Set(['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob']);
const NAMED = new Set(['enum', 'set']);

/** Those that are decoded exactly. */
const CHARSETS = new Set(['utf8mb4', 'utf8mb3', 'utf8', 'ascii', 'latin1']);

/** Of plain letters they ignore at most the case (same-value.ts). Others may take i for j, or v for w. */
const COLLATIONS =
  /^(?:(?:utf8mb4|utf8mb3|utf8|ascii|latin1)_(?:nopad_)?(?:bin|general_(?:nopad_)?c[is]|unicode_(?:520_)?(?:nopad_)?ci)|utf8mb4_0900_(?:bin|a[is]_c[is])|latin1_swedish_(?:nopad_)?ci|(?:utf8mb[34]_)?uca1400_(?:nopad_)?a[is]_c[is]|ascii_general_ci|utf8mb[34]_general_ci)$/;

/** @param columns of the entry's table */
export function findTypeProblems(
  entry: TableMapping,
  columns: readonly TableColumn[],
  reading: LogReading,
): CaptureProblem[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const problemsOf = (names: readonly string[], faultOf: (column: TableColumn) => string | undefined) =>
    names.flatMap((name) => {
      const column = byName.get(name);
      const fault = column && faultOf(column);
      return fault === undefined ? [] : [problem(entry, `${name} is ${column?.fullType}, ${fault}`)];
    });
  const asks = typeof idSourceOf(entry.source) === 'object';
  return [
    ...problemsOf(idColumns(entry.source), asks ? keyFault(reading) : idFault),
    ...[...entry.when].flatMap(([name, values]) => problemsOf([name], conditionFault(values, reading))),
    ...(reading === 'binlog' ? problemsOf([...byName.keys()], lengthFault) : []),
  ];
}

function problem({ schema, table, at }: TableMapping, fault: string): CaptureProblem {
  return {
    what: `${at}: of ${schema}.${table}, ${fault}`,
    fix: 'Change the type of the column, or take it out of the mapping (without `when` every row counts).',
  };
}

/** Of a column that holds an id, in this table or in one that is asked. */
export function idFault({ type, fullType }: TableColumn): string | undefined {
  if (WHOLE.has(type) || (type === 'decimal' && /^decimal\(\d+(?:,0)?\)/i.test(fullType))) return undefined;
  return 'which is no whole number: ids are';
}

const UNREAD = 'whose values cannot be read exactly';

function keyFault(reading: LogReading) {
  return (column: TableColumn): string | undefined => {
    const { type, charset, fullType } = column;
    if (/\bCOMPRESSED\b/i.test(fullType)) return UNREAD;
    if (WHOLE.has(type) || NAMED.has(type)) return undefined;
    if (TEXTS.has(type))
      return CHARSETS.has(charset ?? '') ? undefined : `a text in ${charset}, which cannot be read exactly`;
    // Debezium has several forms for them, and a message does not say which.
    if (reading === 'binlog' && (BYTES.has(type) || type === 'decimal' || type === 'year')) return undefined;
    return UNREAD;
  };
}

function conditionFault(values: readonly Value[], reading: LogReading) {
  return (column: TableColumn): string | undefined => {
    const named = values.filter((value) => value !== null);
    if (named.length === 0) return undefined; // NULL is NULL, whatever the type
    const { type, fullType, collation } = column;
    if (type === 'bit') return reading === 'binlog' || /^bit\(1\)/i.test(fullType) ? undefined : UNREAD;
    if (type === 'year') return undefined;
    const fault = keyFault(reading)(column);
    if (fault !== undefined) return fault;
    if (TEXTS.has(type) && !COLLATIONS.test(collation ?? ''))
      return `whose collation ${collation} is not known to compare plainly`;
    if (!NAMED.has(type)) return undefined;
    const known = new Set(namedValues(column).map((name) => name.toLowerCase()));
    const partsOf = (value: Value) => (type === 'set' ? String(value).split(',') : [String(value)]);
    const strange = named.find((value) => !partsOf(value).every((part) => known.has(part.toLowerCase())));
    return strange === undefined ? undefined : `which has no value ${JSON.stringify(String(strange))}`;
  };
}

/** The reader must know where the next column begins, also where nobody reads this one. */
function lengthFault({ type, fullType }: TableColumn): string | undefined {
  if (!LOGGED_TYPES.has(type)) return 'a type that this version of Recency does not know in the log';
  const isOld = /mariadb-5\.3/.test(fullType) && /^\w+\(\d\)/.test(fullType);
  return isOld
    ? "a form of MariaDB 5.3's that the log does not tell from others; ALTER TABLE … FORCE renews it"
    : undefined;
}

/** Letters, digits and signs of ASCII: collations that mappings may use differ in their case only (column-types.ts). */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Whether a row's value may be the one that a condition names. MySQL compares texts by the column's collation, which may
 * ignore case, accents and blanks at the end, and the view's own condition goes by it. So what a collation may take for the
 * same counts as the same: a hint too many is harmless, one too few is not.
 */
export function isSameValue(value: Value, named: Value): boolean {
  if (value === null || named === null) return value === named;
  const [one, other] = [textOf(value), textOf(named)];
  if (!PLAIN.test(one) || !PLAIN.test(other)) return true;
  return one.toLowerCase() === other.toLowerCase() || isSameNumber(one, other);
}

/** Without blanks at the end, which some collations ignore, or the zeros that fill a BINARY. */
function textOf(value: Exclude<Value, null>): string {
  const text = Buffer.isBuffer(value) ? value.toString('utf8').replace(/\0+$/, '') : String(value);
  return text.trimEnd();
}

const NUMERIC = /^\s*[-+]?\.?\d/;

/** MySQL compares a text with a number by the number at its beginning, or else 0. */
function isSameNumber(one: string, other: string): boolean {
  if (!NUMERIC.test(one) && !NUMERIC.test(other)) return false;
  return (Number.parseFloat(one) || 0) === (Number.parseFloat(other) || 0);
}

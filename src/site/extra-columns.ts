/**
 * Columns of a site's views that Recency only passes on (`extra_avatar`): answers have them under `extra`, without the prefix.
 * Their values are told in JSON by their declared type, so that both servers, and every driver, say the same.
 */
import type { Extra, ExtraValue } from '../contracts/kind.ts';
import type { ColumnValue, Places, ResultRow } from './row.ts';

const PREFIX = /^extra_/i;

/** What MySQL calls it and what an answer calls it: letters, digits and underscores, so that no text of a statement needs care. */
const NAME = /^extra_\w+$/i;

/** Of one view. */
export const MOST_EXTRA = 16;

/** The most that a text may hold by its type (TEXT; both servers give it to `LEFT(…, 513)` too): an answer has up to a hundred rows. */
const LONGEST_EXTRA = 65_535;

/** - `number`: as it is - `text`: as text - `date`: a day, or null - `time`: a moment in UTC, or null */
type ExtraForm = 'number' | 'text' | 'date' | 'time';

/** By MySQL's name of the type. Others are refused. */
const FORMS: Readonly<Record<string, ExtraForm>> = {
  ...formOf('number', ['tinyint', 'smallint', 'mediumint', 'int', 'year', 'float', 'double']),
  // A JSON number would lose digits of these.
  ...formOf('text', ['bigint', 'decimal']),
  ...formOf('text', ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum', 'set', 'time', 'uuid']),
  ...formOf('text', ['inet4', 'inet6']),
  ...formOf('date', ['date']),
  ...formOf('time', ['datetime', 'timestamp']),
};

function formOf(form: ExtraForm, types: readonly string[]): Record<string, ExtraForm> {
  return Object.fromEntries(types.map((type) => [type, form]));
}

/** A column of a view, as information_schema describes it. */
export interface DeclaredColumn {
  readonly name: string;
  /** In lower case. */
  readonly type: string;
  /** Of a text, the most characters; null: it is none. */
  readonly length: number | null;
}

/** A column that is passed on. */
interface ExtraColumn {
  /** In the view. */
  readonly column: string;
  /** In answers. */
  readonly name: string;
  readonly form: ExtraForm;
}

/** Those of the two views of a kind. */
export interface ExtraColumns {
  readonly source: readonly ExtraColumn[];
  readonly photo: readonly ExtraColumn[];
}

export const NO_EXTRA: ExtraColumns = { source: [], photo: [] };

export function isExtra(name: string): boolean {
  return PREFIX.test(name);
}

/** Why a column cannot be passed on, as what to do about it; undefined: it can. */
export function extraFix({ name, type, length }: DeclaredColumn): string | undefined {
  if (!NAME.test(name)) return 'In the view, name it extra_ and letters, digits or underscores.';
  if (type === 'json') return `In the view, write \`CAST(… AS CHAR(4096)) AS ${name}\`: its text.`;
  if (type === 'bit') return `In the view, write \`… + 0 AS ${name}\`: a number.`;
  if (FORMS[type] === undefined)
    return `In the view, write \`TO_BASE64(…) AS ${name}\` or \`HEX(…) AS ${name}\`, or leave it out: an answer is JSON, which has no bytes.`;
  if ((length ?? 0) > LONGEST_EXTRA)
    return `In the view, write \`LEFT(…, 4096) AS ${name}\`, or less: an answer passes on what fits in TEXT, and cuts nothing off by itself.`;
  return undefined;
}

/** The columns among these that are passed on, in the order of the view. */
export function extraAmong(columns: readonly DeclaredColumn[]): ExtraColumn[] {
  return columns.flatMap((declared) => {
    const form = FORMS[declared.type];
    if (!isExtra(declared.name) || form === undefined || extraFix(declared) !== undefined) return [];
    return [{ column: declared.name, name: declared.name.replace(PREFIX, ''), form }];
  });
}

/** SQL: the columns of a view as they are, for an outer SELECT; begins with a comma unless there are none. */
export function extraRaw(alias: string, columns: readonly ExtraColumn[]): string {
  return columns.map(({ column }) => `, ${alias}.\`${column}\``).join('');
}

/** SQL: the same, each by its name, in the form that {@link extraIn} reads. As text, whatever the driver would make of the type. */
export function extraValues(alias: string, columns: readonly ExtraColumn[]): Record<string, string> {
  return Object.fromEntries(
    columns.map(({ column }) => [`${alias}.${column}`, `CAST(${alias}.\`${column}\` AS CHAR)`]),
  );
}

/** Reads the values of a row that has {@link extraValues} of this alias; undefined: the view has no such columns. */
export function extraReader(
  alias: string,
  columns: readonly ExtraColumn[],
  places: Places<string>,
): (row: ResultRow) => Extra | undefined {
  if (columns.length === 0) return () => undefined;
  const placed = columns.map(({ column, name, form }) => ({ name, form, place: places[`${alias}.${column}`] ?? -1 }));
  return (row) => Object.fromEntries(placed.map(({ name, form, place }) => [name, valueIn(row[place] ?? null, form)]));
}

/** What MySQL writes as a day or a moment. It also has some that do not exist: 0000-00-00, 2004-02-00. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?)?$/;

function valueIn(value: ColumnValue, form: ExtraForm): ExtraValue {
  if (value === null) return null;
  if (form === 'number') return Number(value);
  if (form === 'text') return String(value);
  const [, day = '', time, fraction = ''] = MOMENT.exec(String(value)) ?? [];
  if (Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return null;
  return form === 'date' ? day : `${day}T${time ?? '00:00:00'}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

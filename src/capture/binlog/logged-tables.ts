/** The tables that the log's row events are about, and the rows in them. */
import type { TableColumn } from '../base-tables.ts';
import { CaptureGap, type Row, type Value } from '../change-source.ts';
import { EventByteReader } from './byte-reader.ts';
import { decoderOf, LOGGED, type LoggedColumn, readLoggedColumn, valueBytes } from './logged-values.ts';

/** A table that is read: which columns, and what information_schema says of all of them, in the table's order. */
export interface WantedTable {
  readonly columns: Iterable<string>;
  readonly known: readonly TableColumn[];
}

interface ReadColumn extends LoggedColumn {
  /** Undefined: nobody reads it. */
  readonly as: { readonly name: string; readonly decode: (bytes: Buffer) => Value } | undefined;
}

export interface LoggedTable {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly ReadColumn[];
  /** Its rows name their columns themselves (binlog_row_metadata = FULL). */
  readonly isSelfDescribing: boolean;
}

interface KnownMap {
  readonly body: Buffer;
  readonly table: LoggedTable | undefined;
}

/** No table has it: the end of a statement whose rows are not here. */
const NO_TABLE = 0xff_ff_ff;

export class LoggedTables {
  readonly #wanted: (schema: string, table: string) => WantedTable | undefined;
  readonly #maps = new Map<number, KnownMap>();
  #arePlacesKnown = true;

  constructor(wanted: (schema: string, table: string) => WantedTable | undefined) {
    this.#wanted = wanted;
  }

  /** Columns may have other places now: only their names tell them apart. */
  forgetPlaces(): void {
    this.#arePlacesKnown = false;
  }

  /** A TABLE_MAP event: from now on its number means this table. @throws CaptureGap */
  map(body: Buffer): LoggedTable | undefined {
    const reader = new EventByteReader(body);
    const id = reader.uint(6);
    const known = this.#maps.get(id);
    if (known?.body.equals(body)) return known.table;
    reader.skip(2);
    const schema = reader.text(reader.uint(1));
    reader.skip(1);
    const table = reader.text(reader.uint(1));
    reader.skip(1);
    const wanted = this.#wanted(schema, table);
    const read = wanted && readTable({ schema, table }, reader, wanted);
    if (read?.isSelfDescribing === false && !this.#arePlacesKnown) {
      throw new CaptureGap('unreadable', `rows of ${schema}.${table} do not name their columns, which were changed`);
    }
    this.#maps.set(id, { body: Buffer.from(body), table: read });
    return read;
  }

  /** The table of a row event; undefined: nobody reads it. @throws CaptureGap: the log has not said which it is */
  get(id: number): LoggedTable | undefined {
    if (id === NO_TABLE) return undefined;
    const known = this.#maps.get(id);
    if (known === undefined)
      throw new CaptureGap('unreadable', 'the binary log has rows of a table that it does not name');
    return known.table;
  }
}

/** What a table's map says beside its columns: their names (binlog_row_metadata = FULL). */
const COLUMN_NAMES = 4;

function readTable(
  { schema, table }: { readonly schema: string; readonly table: string },
  map: EventByteReader,
  { columns, known }: WantedTable,
): LoggedTable {
  const count = map.packedInteger();
  const types = map.bytes(count);
  const metadata = new EventByteReader(map.bytes(map.packedInteger()));
  const logged = [...types].map((type) => readLoggedColumn(type, metadata));
  map.skip((count + 7) >> 3);
  const ownNames = namesIn(map);
  const names = ownNames ?? namesByPlace({ schema, table }, logged, known);
  const wanted = new Set(columns);
  const read = logged.map((column, i): ReadColumn => {
    const name = names[i];
    if (name === undefined || !wanted.has(name)) return { ...column, as: undefined };
    const found = known.find((one) => one.name === name);
    if (found === undefined || !isLoggedAs(found, column)) throw otherShape(`${schema}.${table}`, name);
    return { ...column, as: { name, decode: decoderOf(column, found) } };
  });
  return { schema, table, columns: read, isSelfDescribing: ownNames !== undefined };
}

function namesIn(map: EventByteReader): string[] | undefined {
  while (map.left > 0) {
    const field = map.uint(1);
    const value = new EventByteReader(map.bytes(map.packedInteger()));
    if (field !== COLUMN_NAMES) continue;
    const names: string[] = [];
    while (value.left > 0) names.push(value.text(value.packedInteger()));
    return names;
  }
  return undefined;
}

/**
 * Columns by their place. What changes places is a statement in the log, and a gap; columns that the server hides are behind
 * the others (of a long UNIQUE, of system versioning), and so mislead nobody.
 * @throws CaptureGap: the log has other types than the table
 */
function namesByPlace(
  { schema, table }: { readonly schema: string; readonly table: string },
  logged: readonly LoggedColumn[],
  known: readonly TableColumn[],
): string[] {
  const strange = known.find((column, i) => {
    const found = logged[i];
    return found === undefined || !isLoggedAs(column, found);
  });
  if (strange !== undefined) throw otherShape(`${schema}.${table}`, strange.name);
  return known.map(({ name }) => name);
}

const otherShape = (table: string, column: string): CaptureGap =>
  new CaptureGap(
    'unreadable',
    `the binary log has rows of ${table} whose column ${column} is not as the table has it now`,
  );

const { tiny, short, int24, long, longlong, float, double, newdecimal, bit, year, date, newdate } = LOGGED;
const TEXT = [LOGGED.string, LOGGED.varString];
const BLOB = [LOGGED.blob, LOGGED.blobCompressed, LOGGED.tinyBlob, LOGGED.mediumBlob, LOGGED.longBlob];

/** By information_schema's name of a type, what the log may call it. */
const LOGGED_AS: Readonly<Record<string, readonly number[]>> = {
  tinyint: [tiny],
  smallint: [short],
  mediumint: [int24],
  int: [long],
  bigint: [longlong],
  float: [float],
  double: [double],
  decimal: [newdecimal],
  bit: [bit],
  year: [year],
  date: [date, newdate],
  time: [LOGGED.time, LOGGED.time2],
  datetime: [LOGGED.datetime, LOGGED.datetime2],
  timestamp: [LOGGED.timestamp, LOGGED.timestamp2],
  char: TEXT,
  binary: TEXT,
  varchar: [LOGGED.varchar, LOGGED.varcharCompressed],
  varbinary: [LOGGED.varchar, LOGGED.varcharCompressed],
  enum: [LOGGED.enum],
  set: [LOGGED.set],
  json: [LOGGED.json, LOGGED.blob],
  ...Object.fromEntries(['tinytext', 'text', 'mediumtext', 'longtext'].map((name) => [name, BLOB])),
  ...Object.fromEntries(['tinyblob', 'blob', 'mediumblob', 'longblob'].map((name) => [name, BLOB])),
  ...Object.fromEntries(
    ['geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon'].map((name) => [
      name,
      [LOGGED.geometry],
    ]),
  ),
  geomcollection: [LOGGED.geometry],
  geometrycollection: [LOGGED.geometry],
  vector: [LOGGED.vector, LOGGED.varchar],
  uuid: TEXT,
  inet4: TEXT,
  inet6: TEXT,
};

/** Types whose values have a length that is known, read or not. */
export const LOGGED_TYPES: ReadonlySet<string> = new Set(Object.keys(LOGGED_AS));

function isLoggedAs({ type }: TableColumn, { type: logged }: LoggedColumn): boolean {
  return LOGGED_AS[type]?.includes(logged) ?? false;
}

/** A row, of the columns that are read. @param row at its start; afterwards at its end */
export function readRow({ columns }: LoggedTable, row: EventByteReader): Row {
  const nulls = row.bytes((columns.length + 7) >> 3);
  const values: Record<string, Value> = {};
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as ReadColumn;
    const isNull = (((nulls[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
    if (isNull) {
      if (column.as !== undefined) values[column.as.name] = null;
      continue;
    }
    const bytes = valueBytes(column, row);
    if (column.as !== undefined) values[column.as.name] = column.as.decode(bytes);
  }
  return values;
}

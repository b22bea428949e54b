/** The base tables behind the views: those that they read, also through other views and functions. */
import type { Kind } from '../contracts/kind.ts';
import { compareVersions, mysqlProductOf } from '../contracts/server-versions.ts';
import type { Database } from '../mysql/database.ts';
import { type KeyAction, keyActionOf } from '../mysql/inspect-schema.ts';
import { namesIn, type SourceName } from '../mysql/source-text.ts';
import { readSource } from '../mysql/volatile-views.ts';
import { viewNames } from '../site/kind-view.ts';

export interface FoundTable {
  readonly schema: string;
  readonly table: string;
}

/** What a view's rows follow from besides tables: a view, or a function or procedure (`isRoutine`). */
export interface FoundView extends FoundTable {
  readonly isRoutine?: boolean;
}

export interface BehindViews {
  readonly tables: readonly FoundTable[];
  /** The views themselves, those that they read, and the routines that they call: another text of one is another answer. */
  readonly views: readonly FoundView[];
  /** Views and functions whose text this account may not read. */
  readonly unread: readonly string[];
}

/**
 * A name that is still to be looked up. One without a schema may be of a common table expression. One with a schema is of a table,
 * also where nothing is found: then this account may not see it.
 */
type WaitingName = SourceName & { readonly isQualified?: boolean };

const KIND_OF = 'SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/**
 * Whatever holds rows is one, also what the server gives another name, such as a system-versioned table.
 * @throws DatabaseUnavailable
 */
export async function findBaseTables(database: Database, kinds: readonly Kind[]): Promise<BehindViews> {
  const [[here] = []] = await database.rows('SELECT DATABASE()', []);
  const schema = String(here);
  const waiting: WaitingName[] = viewNames(kinds).map((name) => ({ kind: 'view', schema, name }));
  const seen = new Set<string>();
  const [tables, views]: [FoundTable[], FoundView[]] = [[], []];
  const unread: string[] = [];
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const place = { schema: name.schema ?? schema, table: name.name };
    const key = JSON.stringify([name.kind, place.schema, place.table, name.isQualified === true]);
    if (seen.has(key)) continue;
    seen.add(key);
    const source = await readSource(database, name);
    if (source === 'unreadable') unread.push(`${place.schema}.${place.table}`);
    if (source === undefined && name.kind === 'view') {
      const [[type] = []] = await database.rows(KIND_OF, [place.schema, place.table]);
      if (type !== undefined || name.isQualified) tables.push(place);
    }
    if (source === undefined || source === 'unreadable') continue;
    views.push({ ...place, isRoutine: name.kind === 'function' });
    for (const other of namesIn(source)) {
      const isQualified = other.schema !== undefined && other.isGuess !== true;
      waiting.push({ ...other, schema: other.schema ?? place.schema, isQualified });
    }
  }
  return { tables, views, unread };
}

/** The columns of a table, as information_schema has them. */

export interface TableColumn {
  readonly name: string;
  /** In small letters, without its length: `varchar`, `bigint`. */
  readonly type: string;
  /** `bigint(20) unsigned`, `enum('a','b')`. */
  readonly fullType: string;
  /** Of a text; undefined: it is none. */
  readonly charset: string | undefined;
  readonly collation: string | undefined;
  /** The most bytes of a text or a binary value. */
  readonly bytes: number;
}

const COLUMNS = `
  SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, CHARACTER_OCTET_LENGTH
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

/**
 * Asks in which session it is to be asked: MySQL shows a primary key that it has made itself only where a session wants it.
 * @param rows runs a statement; each row is an array
 * @returns in the table's order; empty: there is no such table, or this account may not see it
 */
export async function readTableColumns(
  rows: (text: string, values: string[]) => Promise<readonly (readonly unknown[])[]>,
  { schema, table }: FoundTable,
): Promise<TableColumn[]> {
  const text = (value: unknown) => (value === null || value === undefined ? undefined : String(value));
  return (await rows(COLUMNS, [schema, table])).map(([name, type, fullType, charset, collation, bytes]) => ({
    name: String(name),
    type: String(type).toLowerCase(),
    fullType: String(fullType),
    charset: text(charset),
    collation: text(collation),
    bytes: Number(bytes ?? 0),
  }));
}

/** Both servers write them so in the text of a type; of any other character the backslash is left out. */
const ESCAPED: Readonly<Record<string, string>> = { "''": "'", '\\0': '\0', '\\n': '\n', '\\r': '\r' };

/** The values of an ENUM or a SET, in their order: they may hold commas, quotes and backslashes. */
export function namedValues({ fullType }: Pick<TableColumn, 'fullType'>): string[] {
  const values = fullType.matchAll(/'((?:[^'\\]|''|\\[\s\S])*)'/g);
  return [...values].map(([, value = '']) =>
    value.replaceAll(/''|\\[\s\S]/g, (found) => ESCAPED[found] ?? found.slice(1)),
  );
}

/** What the server itself changes in a table by a foreign key, when rows of another table change. */

/** A foreign key that changes rows of this table. */
export interface Cascade extends FoundTable, Omit<KeyAction, 'follows'> {
  readonly name: string;
  /** The columns that it changes, or whose rows it deletes: each with that of the parent to which it refers. */
  readonly columns: ReadonlyMap<string, string>;
  /** Whose rows are the cause. */
  readonly parent: FoundTable;
  /** The columns of the parent whose new values it follows; none where it follows deletions only. */
  readonly follows: readonly string[];
  /** The generated columns of the table: they may be computed from those of the key. */
  readonly generated: readonly string[];
}

// Each table of information_schema is compared with constants alone: otherwise MariaDB opens every table of every database.
const CASCADES = `
  SELECT r.CONSTRAINT_NAME, r.UNIQUE_CONSTRAINT_SCHEMA, r.REFERENCED_TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_COLUMN_NAME,
         r.DELETE_RULE, r.UPDATE_RULE
  FROM information_schema.REFERENTIAL_CONSTRAINTS AS r
  JOIN information_schema.KEY_COLUMN_USAGE AS k
    ON k.CONSTRAINT_NAME = r.CONSTRAINT_NAME
  WHERE r.CONSTRAINT_SCHEMA = ? AND r.TABLE_NAME = ? AND k.TABLE_SCHEMA = ? AND k.TABLE_NAME = ?
    AND (r.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT') OR r.UPDATE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT'))
  ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION`;

const GENERATED = `
  SELECT COLUMN_NAME FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COALESCE(GENERATION_EXPRESSION, '') <> ''`;

/** @throws DatabaseUnavailable */
export async function findCascades(database: Database, tables: Iterable<FoundTable>): Promise<Cascade[]> {
  const found: Cascade[] = [];
  for (const { schema, table } of tables) {
    const rows = (await database.rows(CASCADES, [schema, table, schema, table])).map((row) => row.map(String));
    const generated = rows.length === 0 ? [] : await database.rows(GENERATED, [schema, table]);
    const names = generated.map(([name]) => String(name));
    for (const [name = '', columns] of Map.groupBy(rows, ([name]) => name)) {
      found.push({ schema, table, name, ...actionOf(columns), generated: names });
    }
  }
  return found;
}

/** @param columns the rows of one key, of at least one column */
function actionOf(columns: readonly (readonly string[])[]): Omit<Cascade, keyof FoundTable | 'name' | 'generated'> {
  const [[, parentSchema = '', parentTable = '', , , onDelete = '', onUpdate = ''] = []] = columns;
  const pairs = new Map(columns.map(([, , , column = '', referred = '']) => [column, referred]));
  const { follows, ...action } = keyActionOf(onDelete, onUpdate);
  const parent = { schema: parentSchema, table: parentTable };
  return { ...action, columns: pairs, parent, follows: follows ? [...pairs.values()] : [] };
}

/** From this version on, MySQL logs the rows that its foreign keys change, unless InnoDB is told to enforce them itself. */
const LOGS_CASCADES = '9.6';
const NATIVE = "SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'";

/** Whether the binary log has what foreign keys change. No server fires triggers for it. @throws DatabaseUnavailable */
export async function areCascadesLogged(database: Database): Promise<boolean> {
  const [[version = ''] = []] = await database.rows('SELECT VERSION()', []);
  const mayLog = mysqlProductOf(String(version)) === 'MySQL' && compareVersions(String(version), LOGS_CASCADES) >= 0;
  return mayLog && !(await database.rows(NATIVE, [])).some(([, value]) => value === 'ON');
}

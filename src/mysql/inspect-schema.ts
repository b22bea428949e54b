/** Reads a site's schema: tables, columns and keys. What it reads of their rows is in sample-rows.ts. */
import { mysqlProductOf } from '../contracts/server-versions.ts';
import type { ColumnValue, Database } from './database.ts';

/** What is known of a site's tables without reading their rows. */

export interface InspectedColumn {
  readonly name: string;
  /** The bare type, in lower case: `bigint`, `varchar`, `datetime`. */
  readonly type: string;
  /** The whole type: `bigint(20) unsigned`, `enum('public','private')`. */
  readonly fullType: string;
  readonly isNullable: boolean;
  /** Undefined: it has none, or NULL. Without quotes. */
  readonly defaultValue: string | undefined;
  readonly comment: string;
}

/** An index. */
interface InspectedKey {
  readonly name: string;
  /** In order, up to the first that is indexed only in part (a prefix, an expression). */
  readonly columns: readonly string[];
  /** And all of its columns are whole. */
  readonly isUnique: boolean;
}

/** What a foreign key does to the rows that refer to another, when that one is deleted or its key changes. */
export interface KeyAction {
  /** ON DELETE CASCADE. */
  readonly deletes: boolean;
  /** Its columns become NULL. Otherwise they are not NULL in any row that it changes: a key with a NULL refers to nothing. */
  readonly clears: boolean;
  /** Its columns change with those that they refer to. */
  readonly follows: boolean;
}

/** @param rules ON DELETE and ON UPDATE, as information_schema has them */
export function keyActionOf(...rules: readonly [onDelete: string, onUpdate: string]): KeyAction {
  const [onDelete, onUpdate] = rules;
  return {
    deletes: onDelete === 'CASCADE',
    clears: rules.some((rule) => rule.startsWith('SET')),
    follows: /CASCADE|SET/.test(onUpdate),
  };
}

/** A foreign key of one column. */
export interface InspectedReference extends KeyAction {
  readonly column: string;
  readonly table: string;
  readonly target: string;
}

export interface InspectedTable {
  readonly name: string;
  readonly columns: readonly InspectedColumn[];
  readonly keys: readonly InspectedKey[];
  readonly references: readonly InspectedReference[];
  /** As the server estimates. */
  readonly rows: number;
}

export interface InspectedSchema {
  readonly database: string;
  readonly product: 'MariaDB' | 'MySQL';
  /** In the server's own words. */
  readonly version: string;
  /** Base tables, without Recency's own. */
  readonly tables: readonly InspectedTable[];
  /** What all their names begin with: `wp_`; '': nothing. */
  readonly prefix: string;
}

const TABLES = `
  SELECT TABLE_NAME, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'
    AND TABLE_NAME NOT LIKE 'recency\\_%' AND TABLE_NAME NOT LIKE 'knex\\_migrations%'
  ORDER BY TABLE_NAME`;

const COLUMNS = `
  SELECT TABLE_NAME, COLUMN_NAME, LOWER(DATA_TYPE), COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLUMN_COMMENT
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION`;

const KEYS = `
  SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART
  FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`;

// Each table of information_schema is compared with a constant alone: otherwise MariaDB opens every table of every database.
const REFERENCES = `
  SELECT k.TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE
  FROM information_schema.KEY_COLUMN_USAGE AS k
  JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r
    ON r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
  WHERE k.TABLE_SCHEMA = DATABASE() AND r.CONSTRAINT_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_SCHEMA = DATABASE()
  ORDER BY k.TABLE_NAME, k.COLUMN_NAME`;

type Rows = readonly (readonly ColumnValue[])[];

/** Changes nothing, and reads no row of a table. @throws DatabaseUnavailable */
export async function inspectSchema(database: Database): Promise<InspectedSchema> {
  const [[name, version] = []] = await database.rows('SELECT DATABASE(), VERSION()', []);
  const [tables, columns, keys, references] = [
    await database.rows(TABLES, []),
    await database.rows(COLUMNS, []),
    await database.rows(KEYS, []),
    await database.rows(REFERENCES, []),
  ];
  const of = (rows: Rows, table: ColumnValue | undefined) => rows.filter(([owner]) => owner === table);
  return {
    database: String(name),
    product: mysqlProductOf(String(version)),
    version: String(version),
    prefix: commonPrefix(tables.map(([table]) => String(table))),
    tables: tables.map(
      ([table, rows]): InspectedTable => ({
        name: String(table),
        columns: of(columns, table).map(columnOf),
        keys: keysOf(of(keys, table)),
        references: of(references, table).map(referenceOf),
        rows: Number(rows),
      }),
    ),
  };
}

/** Of so few tables a common beginning may be chance. */
const FEW_TABLES = 3;

/** Up to a `_`, so that words stay whole. */
function commonPrefix(names: readonly string[]): string {
  const [prefix = ''] = /^[^_]+_/.exec(names[0] ?? '') ?? [];
  return names.length >= FEW_TABLES && names.every((name) => name.startsWith(prefix)) ? prefix : '';
}

function columnOf([, name, type, fullType, nullable, defaultValue, comment]: readonly ColumnValue[]): InspectedColumn {
  return {
    name: String(name),
    type: String(type),
    fullType: String(fullType),
    isNullable: nullable === 'YES',
    defaultValue: plainDefault(defaultValue ?? null),
    comment: String(comment ?? ''),
  };
}

/** MariaDB keeps a default as the expression that it is written as: quoted, and NULL as a word. */
function plainDefault(value: ColumnValue): string | undefined {
  if (value === null || value === 'NULL') return undefined;
  const text = String(value);
  return text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}

function keysOf(rows: Rows): InspectedKey[] {
  const names = [...new Set(rows.map(([, name]) => name))];
  return names.map((name) => {
    const parts = rows.filter(([, other]) => other === name);
    const partial = parts.findIndex(([, , , column, length]) => column === null || length !== null);
    const whole = partial === -1 ? parts : parts.slice(0, partial);
    return {
      name: String(name),
      columns: whole.map(([, , , column]) => String(column)),
      isUnique: partial === -1 && Number(parts[0]?.[2]) === 0,
    };
  });
}

function referenceOf(row: readonly ColumnValue[]): InspectedReference {
  const [, column = '', table = '', target = '', onDelete = '', onUpdate = ''] = row.map(String);
  return { column, table, target, ...keyActionOf(onDelete, onUpdate) };
}

/** A name of a table or column, quoted. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Text as a literal, for statements that people read and run; what Recency sends has placeholders. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Reads a site's schema: tables, columns, keys, and a bounded sample of a column's values. */
import { mysqlProductOf } from '../contracts/server-versions.ts';
import type { ColumnValue, Database } from './database.ts';
import type {
  ColumnSample,
  InspectedColumn,
  InspectedKey,
  InspectedReference,
  InspectedSchema,
  InspectedTable,
} from './inspected-schema.ts';
import { quoted } from './quoted.ts';

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

const REFERENCES = `
  SELECT k.TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE
  FROM information_schema.KEY_COLUMN_USAGE AS k
  JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r
    ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
  WHERE k.TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_SCHEMA = DATABASE()
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
  const [, column, table, target, onDelete, onUpdate] = row.map(String);
  const changes = (rule: string | undefined) => /CASCADE|SET/.test(rule ?? '');
  return {
    column: String(column),
    table: String(table),
    target: String(target),
    cascades: changes(onDelete) || changes(onUpdate),
  };
}

/** Rows looked at, and values returned, at most. */
const LOOKED_AT = 20_000;
const MOST_VALUES = 40;

/** Some different values of a column, from rows at the beginning of the table and, by its primary key, at the end. */
export async function sampleColumn(database: Database, table: InspectedTable, column: string): Promise<ColumnSample> {
  const name = quoted(column);
  const primary = table.keys.find((key) => key.name === 'PRIMARY')?.columns ?? [];
  const some = (order: string) =>
    `SELECT value FROM (SELECT ${name} AS value FROM ${quoted(table.name)} ${order} LIMIT ${LOOKED_AT}) AS some`;
  const by = (direction: string) => `ORDER BY ${primary.map((part) => `${quoted(part)} ${direction}`).join(', ')}`;
  const parts = primary.length === 0 ? [some('')] : [some(by('ASC')), some(by('DESC'))];
  const rows = await database.rows(
    `SELECT DISTINCT CAST(value AS CHAR) FROM (${parts.join(' UNION ALL ')}) AS sampled
     WHERE value IS NOT NULL LIMIT ${MOST_VALUES + 1}`,
    [],
  );
  const values = rows.map(([value]) => String(value));
  return {
    values: values.slice(0, MOST_VALUES).sort(),
    isPartial: values.length > MOST_VALUES || table.rows > LOOKED_AT * 2,
  };
}

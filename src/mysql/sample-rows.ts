/** Bounded samples of a site's rows: what `recency init` knows of a table beside its names and types. */
import { type ColumnValue, type Database, StatementTooSlow } from './database.ts';
import { type InspectedColumn, type InspectedTable, literal, quoted } from './inspect-schema.ts';

export interface CountedValue {
  /** As text; null: NULL. */
  readonly value: string | null;
  readonly rows: number;
}

/** Some values of a column. */
export interface ColumnSample {
  /** The most frequent values, by the number of rows; all of them unless `isPartial`. */
  readonly counted: readonly CountedValue[];
  /** There may be more: not all rows were read, or there were too many values. */
  readonly isPartial: boolean;
  /** The greatest value, as text; undefined: there is none. */
  readonly greatest: string | undefined;
}

/** Two columns of a table that name two people, in the rows that have one of these values. */
export interface PairColumns {
  readonly table: string;
  readonly user: string;
  readonly contact: string;
  readonly type?: { readonly column: string; readonly values: readonly string[] };
}

/** Some pairs of a table. */
export interface PairSample {
  readonly pairs: number;
  /** Of them, those that several rows have. */
  readonly repeated: number;
  /** Rows whose other direction was looked for, and those where it exists; undefined: that took too long. */
  readonly mirrored: { readonly of: number; readonly found: number } | undefined;
}

/** Rows looked at, values returned and characters of a value, at most. */
const LOOKED_AT = 20_000;
const MOST_VALUES = 40;
const LONGEST = 120;

/** Values of rows at the beginning of the table and, by its primary key, at the end. @throws DatabaseUnavailable */
export async function sampleColumn(
  database: Database,
  table: InspectedTable,
  { name, type }: Pick<InspectedColumn, 'name' | 'type'>,
): Promise<ColumnSample> {
  const isLarge = table.rows > LOOKED_AT * 2;
  const from = sampledRows(table, [name], isLarge);
  const text = `LEFT(CAST(${quoted(name)} AS CHAR), ${LONGEST})`;
  const counted = await database.rows(
    `SELECT ${text}, COUNT(*) FROM ${from} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST_VALUES + 1}`,
    [],
  );
  const hasOrder = /int|date|timestamp/.test(type);
  const [[greatest = null] = []] = hasOrder
    ? await database.rows(`SELECT CAST(MAX(${quoted(name)}) AS CHAR) FROM ${from}`, [])
    : [];
  return {
    counted: counted.slice(0, MOST_VALUES).map(([value, rows]) => ({ value: textOf(value), rows: Number(rows) })),
    isPartial: counted.length > MOST_VALUES || isLarge,
    greatest: textOf(greatest) ?? undefined,
  };
}

function textOf(value: ColumnValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function sampledRows(table: InspectedTable, columns: readonly string[], isLarge: boolean): string {
  const primary = table.keys.find((key) => key.name === 'PRIMARY')?.columns ?? [];
  const some = (order: string, limit: number) =>
    `(SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table.name)} ${order} LIMIT ${limit})`;
  if (!isLarge || primary.length === 0) return `${some('', LOOKED_AT * 2)} AS sampled`;
  const by = (direction: string) => `ORDER BY ${primary.map((part) => `${quoted(part)} ${direction}`).join(', ')}`;
  return `(${some(by('ASC'), LOOKED_AT)} UNION ALL ${some(by('DESC'), LOOKED_AT)}) AS sampled`;
}

/** Rows whose other direction is looked for, and how long that may take, ms: no index may serve it. */
const MIRRORED = 500;
const PATIENCE_MS = 2_000;

/** Are pairs there once, and in both directions? @throws DatabaseUnavailable */
export async function samplePairs(database: Database, of: PairColumns): Promise<PairSample> {
  const { table, user, contact, type } = of;
  const isMeant = (alias: string) =>
    type === undefined ? 'TRUE' : `${alias}.${quoted(type.column)} IN (${type.values.map(literal).join(', ')})`;
  const some = (limit: number) =>
    `(SELECT t.${quoted(user)} AS a, t.${quoted(contact)} AS b FROM ${quoted(table)} AS t WHERE ${isMeant('t')} LIMIT ${limit})`;
  const [[pairs = 0, repeated = 0] = []] = await database.rows(
    `SELECT COUNT(*), COALESCE(SUM(n > 1), 0) FROM (SELECT COUNT(*) AS n FROM ${some(LOOKED_AT)} AS some GROUP BY a, b) AS pairs`,
    [],
  );
  const back = `SELECT 1 FROM ${quoted(table)} AS t WHERE t.${quoted(user)} = b AND t.${quoted(contact)} = a AND ${isMeant('t')}`;
  const mirrored = await database
    .rows(`SELECT COUNT(*), COALESCE(SUM(EXISTS (${back})), 0) FROM ${some(MIRRORED)} AS some WHERE a <> b`, [], {
      withinMs: PATIENCE_MS,
    })
    .catch((error: unknown) => {
      if (error instanceof StatementTooSlow) return undefined;
      throw error;
    });
  const [[rows = 0, found = 0] = []] = mirrored ?? [];
  return {
    ...{ pairs: Number(pairs), repeated: Number(repeated) },
    mirrored: mirrored && { of: Number(rows), found: Number(found) },
  };
}

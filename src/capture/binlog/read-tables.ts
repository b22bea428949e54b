import { idSourceOf, type Mapping, mappedColumns, type TableName, tableKey } from '../mapping.ts';
import type { ReadTables } from './log-reader.ts';

export interface ReadTablesOptions {
  /** The schema of Recency's own tables. */
  readonly own: string;
  /** The row of `recency_capture` that comes back. */
  readonly source: string;
  /** The views that Recency reads, and those behind them: another text changes every row of them. */
  readonly views: readonly TableName[];
}

/** What of the log concerns the mapping. */
export function readTables(mapping: Mapping, { own, source, views }: ReadTablesOptions): ReadTables {
  const columns = mappedColumns(mapping);
  const lookups = mapping.tables.map(({ source: of }) => idSourceOf(of)).filter((id) => typeof id === 'object');
  const watched = [...columns.values(), ...lookups, ...views];
  // Statements may name a table in another case than the log does.
  const names = new Set(watched.map((name) => tableKey(name).toLowerCase()));
  const schemas = new Set(watched.map(({ schema }) => schema.toLowerCase()));
  return {
    own,
    source,
    columnsOf: (schema, table) => columns.get(tableKey({ schema, table }))?.columns,
    isWatched: (schema, table) => names.has(tableKey({ schema, table }).toLowerCase()),
    isWatchedSchema: (schema) => schemas.has(schema.toLowerCase()),
  };
}

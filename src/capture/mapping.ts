/**
 * The mapping: for each base table behind the views, which of its columns hold the ids that a change of a row concerns. It is
 * read from a YAML file (mapping-file.ts) and applied to changes (hints.ts).
 */
import { createHash } from 'node:crypto';
import type { Kind } from '../contracts/kind.ts';
import type { Value } from './change-source.ts';

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** An id that the row itself does not hold: `SELECT column FROM table WHERE key = (the row's value of equals)`. */
export interface Lookup extends TableName {
  readonly key: string;
  /** A column of the row. */
  readonly equals: string;
  readonly column: string;
}

/** Where an id is: in this column of the row, or in another table. */
export type IdSource = string | Lookup;

/** What a change of a row may concern. */
export type HintSource =
  | { readonly of: 'relation'; readonly kind: Kind; readonly user: string; readonly contact: string }
  | { readonly of: 'photos'; readonly kind: Kind; readonly owner: IdSource }
  | { readonly of: 'user'; readonly user: IdSource };

/** One entry of the file. A table may have several. */
export interface TableMapping extends TableName {
  readonly source: HintSource;
  /** By column: the row before or after has one of these values. Empty: every row counts. */
  readonly when: ReadonlyMap<string, readonly Value[]>;
  /** An update that changes none of these, no id and no column of `when` is left out; undefined: every update counts. */
  readonly columns: readonly string[] | undefined;
  /** Where the entry is, for people: `capture.yaml:3:5`. */
  readonly at: string;
}

export interface Mapping {
  readonly tables: readonly TableMapping[];
  /** Base tables behind the views that need no hint, on purpose. */
  readonly ignored: readonly TableName[];
}

/** A text that names the table, for maps. */
export function tableKey({ schema, table }: TableName): string {
  return JSON.stringify([schema, table]);
}

/** Where the id is that this entry's changes concern and that may be in another table. */
export function idSourceOf(source: HintSource): IdSource | undefined {
  if (source.of === 'relation') return undefined;
  return source.of === 'photos' ? source.owner : source.user;
}

/** The columns of the row that hold ids, or what another table is asked with. */
export function idColumns(source: HintSource): readonly string[] {
  if (source.of === 'relation') return [source.user, source.contact];
  const id = idSourceOf(source);
  return id === undefined ? [] : [typeof id === 'string' ? id : id.equals];
}

/** The columns that decide whether an update counts; undefined: each does. */
export function countedColumns({ source, when, columns }: TableMapping): readonly string[] | undefined {
  return columns && [...columns, ...idColumns(source), ...when.keys()];
}

/** The mapped tables by `tableKey`, each with every column that a change of it must have. */
export function mappedColumns(
  mapping: Mapping,
): ReadonlyMap<string, TableName & { readonly columns: ReadonlySet<string> }> {
  const tables = new Map<string, TableName & { columns: Set<string> }>();
  for (const entry of mapping.tables) {
    const { schema, table, source, when, columns = [] } = entry;
    const known = tables.get(tableKey(entry)) ?? { schema, table, columns: new Set<string>() };
    for (const column of [...idColumns(source), ...when.keys(), ...columns]) known.columns.add(column);
    tables.set(tableKey(entry), known);
  }
  return tables;
}

/** The same for mappings that give the same hints, wherever their entries stand: 22 letters. */
export function mappingDigest({ tables }: Mapping): string {
  const entries = tables.map(({ schema, table, source, when, columns }) =>
    JSON.stringify([schema, table, source, [...when], columns], (key, value) =>
      key === 'kind' ? value.singular : value,
    ),
  );
  return createHash('sha256').update(entries.sort().join('\n')).digest('base64url').slice(0, 22);
}

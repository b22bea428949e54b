/** The file of the mapping: YAML → {@link Mapping}, or every mistake in it with its line and column. */
import type { z } from 'zod';
import { nearestName } from '../config/nearest-name.ts';
import { KINDS, type Kind } from '../contracts/kind.ts';
import { UserError } from '../contracts/user-error.ts';
import { type FileProblem, YamlFile } from './file-places.ts';
import {
  type HintSource,
  type IdSource,
  idSourceOf,
  type Lookup,
  type Mapping,
  type TableMapping,
  type TableName,
  tableKey,
} from './mapping.ts';
import { FIELDS, mappingSchema, type WrittenEntry, type WrittenLookup } from './mapping-schema.ts';

/** The file is not a mapping. The message has a line for each mistake: `capture.yaml:3:5: …`. */
export class MappingError extends UserError {
  override readonly name = 'MappingError';

  override get kind() {
    return 'wrong_use' as const;
  }
}

export interface MappingOrigin {
  /** How people call the file. */
  readonly file: string;
  /** Of tables that are named without one. */
  readonly schema: string;
}

/** @throws MappingError */
export function parseMapping(text: string, { file: name, schema }: MappingOrigin): Mapping {
  const file = new YamlFile(text, name);
  refuse(file, file.problems);
  const parsed = mappingSchema.safeParse(file.value);
  if (!parsed.success)
    refuse(
      file,
      parsed.error.issues.flatMap((issue) => problemsOf(issue, file)),
    );
  const { tables: written = [], ignore = [] } = parsed.data ?? {};
  const tables = written.map((entry, i) =>
    entryOf(entry as WrittenEntry, file.at(file.offsetOf(['tables', i])), schema),
  );
  const mapping = { tables, ignored: ignore.map((table) => tableNamed(table, schema)) };
  refuse(file, contradictions(mapping, file));
  return mapping;
}

function refuse(file: YamlFile, problems: readonly FileProblem[]): void {
  if (problems.length === 0) return;
  const inOrder = problems.toSorted((a, b) => a.offset - b.offset);
  throw new MappingError(inOrder.map(({ offset, message }) => `${file.at(offset)}: ${message}`).join('\n'));
}

function problemsOf(issue: z.core.$ZodIssue, file: YamlFile): FileProblem[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ offset: file.offsetOfKey(path, key), message: unknownField(key) }));
  }
  // An id that is a table: what is wrong inside of it. It is the last of the two that an id can be.
  const inside = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (inside?.some((one) => one.path.length > 0 || one.code === 'unrecognized_keys')) {
    return inside.flatMap((one) => problemsOf({ ...one, path: [...path, ...one.path] }, file));
  }
  const field = path.filter((part) => typeof part === 'string').at(-1);
  return [{ offset: file.offsetOf(path), message: field === undefined ? message : `${field} ${said(issue)}` }];
}

function said({ code, input, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && input === undefined ? 'is missing' : message;
}

function unknownField(key: string): string {
  const nearest = nearestName(key, [...FIELDS, 'version', 'tables', 'ignore', 'key', 'equals', 'column']);
  return `${JSON.stringify(key)} is not a field here${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function entryOf(entry: WrittenEntry, at: string, schema: string): TableMapping {
  return {
    ...tableNamed(entry.table, schema),
    source: sourceOf(entry, schema),
    when: new Map(Object.entries(entry.when ?? {})),
    columns: entry.columns,
    at,
  };
}

function sourceOf(entry: WrittenEntry, schema: string): HintSource {
  const idIn = (field: string): IdSource => {
    const written = entry[field] as string | WrittenLookup;
    return typeof written === 'string' ? written : { ...written, ...tableNamed(written.table, schema) };
  };
  for (const kind of KINDS as readonly Kind[]) {
    if (entry.hint === kind.singular) {
      return { of: 'relation', kind, user: String(entry.user), contact: String(entry[kind.singular]) };
    }
    if (entry.hint === kind.photoSingular) return { of: 'photos', kind, owner: idIn(kind.ownerField) };
  }
  return { of: 'user', user: idIn('user') };
}

function tableNamed(written: string, schema: string): TableName {
  const [first = '', second] = written.split('.');
  return second === undefined ? { schema, table: first } : { schema: first, table: second };
}

/** Mistakes that no single field shows. */
function contradictions(mapping: Mapping, file: YamlFile): FileProblem[] {
  const mapped = new Set(mapping.tables.map(tableKey));
  return [
    ...mapping.tables.flatMap((entry, i) => {
      const message = mistakeIn(entry, mapping);
      return message === undefined ? [] : [{ offset: file.offsetOf(['tables', i]), message }];
    }),
    ...mapping.ignored.flatMap((table, i) =>
      mapped.has(tableKey(table))
        ? [{ offset: file.offsetOf(['ignore', i]), message: `${table.table} is ignored, and has an entry in tables` }]
        : [],
    ),
  ];
}

function mistakeIn({ source, table }: TableMapping, mapping: Mapping): string | undefined {
  if (source.of === 'relation') {
    return source.user === source.contact && source.kind.areUsers
      ? `the user and the ${source.kind.singular} of ${table} are the same column`
      : undefined;
  }
  const lookup = idSourceOf(source);
  if (typeof lookup !== 'object' || mapping.tables.some((other) => answersFor(other, lookup, source))) return undefined;
  return (
    `${lookup.table} needs an entry of its own with this hint and its id from the column ${lookup.column}: ` +
    `when a row of it is deleted together with one of ${table}, only its own change names the id`
  );
}

/** Whether the changes of the other table itself have hints for the same id. */
function answersFor(other: TableMapping, lookup: Lookup, source: HintSource): boolean {
  if (tableKey(other) !== tableKey(lookup) || other.source.of !== source.of) return false;
  const isSameKind = other.source.of === 'user' || source.of === 'user' || other.source.kind === source.kind;
  return isSameKind && idSourceOf(other.source) === lookup.column;
}

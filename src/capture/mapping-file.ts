/** The file of the mapping: YAML → {@link Mapping}, or every mistake in it with its line and column. */
import { isMap, isNode, isScalar, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import type { z } from 'zod';
import { KINDS, type Kind } from '../contracts/kind.ts';
import { nearestName, UserError } from '../contracts/user-error.ts';
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

/** Where in the file something is, and what is wrong there. */
interface FileProblem {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
}

/** A YAML file that knows where everything in it stands. */
class YamlFile {
  /** How people call it. */
  readonly name: string;
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(text: string, name: string) {
    this.name = name;
    // Whole numbers as BigInt: an id above 2^53 must not be rounded.
    this.#document = parseDocument(text, { lineCounter: this.#lines, intAsBigInt: true, prettyErrors: false });
  }

  /** What is not YAML; empty: `value` has all of it. */
  get problems(): FileProblem[] {
    return this.#document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
  }

  get value(): unknown {
    return this.#document.toJS();
  }

  /** Where the value at a path stands; of what is missing, where it should be. */
  offsetOf(path: readonly PropertyKey[]): number {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return this.#document.contents?.range?.[0] ?? 0;
  }

  /** Where a key of the map at a path stands. */
  offsetOfKey(path: readonly PropertyKey[], key: string): number {
    const map = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    const pair = isMap<ParsedNode>(map)
      ? map.items.find((one) => isScalar(one.key) && one.key.value === key)
      : undefined;
    return pair?.key.range?.[0] ?? this.offsetOf(path);
  }

  /** As an editor finds it: `capture.yaml:3:5`, both counted from 1. */
  at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.name}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  }
}

/** The file is not a mapping. The message has a line for each mistake: `capture.yaml:3:5: …`. */
export class MappingError extends UserError {
  override readonly name = 'MappingError';

  override get kind() {
    return 'wrong_use' as const;
  }
}

interface MappingOrigin {
  /** How people call the file. */
  readonly file: string;
  /** Of tables that are named without one. */
  readonly schema: string;
  /** As the site has them; left out: as they are declared. */
  readonly kinds?: readonly Kind[] | undefined;
}

/** @throws MappingError */
export function parseMapping(text: string, { file: name, schema, kinds = KINDS }: MappingOrigin): Mapping {
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
    entryOf(entry as WrittenEntry, file.at(file.offsetOf(['tables', i])), { schema, kinds }),
  );
  const mapping = {
    tables: tables.map((entry) => withKeys(entry, tables)),
    ignored: ignore.map((table) => tableNamed(table, schema)),
  };
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

/** What the entries of a mapping leave open. */
type Context = Required<Pick<MappingOrigin, 'schema'>> & { readonly kinds: readonly Kind[] };

function entryOf(entry: WrittenEntry, at: string, context: Context): TableMapping {
  return {
    ...tableNamed(entry.table, context.schema),
    source: sourceOf(entry, context),
    when: new Map(Object.entries(entry.when ?? {})),
    columns: entry.columns,
    at,
  };
}

function sourceOf(entry: WrittenEntry, { schema, kinds }: Context): HintSource {
  const idIn = (field: string): IdSource => {
    const written = entry[field] as string | WrittenLookup;
    return typeof written === 'string' ? written : { ...written, ...tableNamed(written.table, schema) };
  };
  for (const kind of kinds) {
    if (entry.hint === kind.singular) {
      return { of: 'relation', kind, user: String(entry.user), contact: String(entry[kind.singular]) };
    }
    if (entry.hint === kind.photoSingular) return { of: 'photos', kind, owner: idIn(kind.ownerField) };
  }
  return { of: 'user', user: idIn('user') };
}

/** An update of the key by which another entry finds a row counts: whoever was found by it is found no more. */
function withKeys(entry: TableMapping, all: readonly TableMapping[]): TableMapping {
  if (entry.columns === undefined) return entry;
  const lookups = all.map(({ source }) => idSourceOf(source)).filter((id) => typeof id === 'object');
  const keys = lookups.filter((lookup) => tableKey(lookup) === tableKey(entry)).map(({ key }) => key);
  return { ...entry, columns: [...new Set([...entry.columns, ...keys])] };
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

/** What foreign keys change unseen in the tables of a mapping: by capture, or by triggers. */
import type { Database } from '../mysql/database.ts';
import { type Cascade, findCascades } from './base-tables.ts';
import type { CaptureProblem } from './capture-checks.ts';
import {
  countedColumns,
  type HintSource,
  type IdSource,
  type Mapping,
  type TableMapping,
  tableKey,
} from './mapping.ts';

interface UnseenChanges {
  /** Keys whose cause is not seen either: nothing would tell of the change. */
  readonly problems: readonly CaptureProblem[];
  /** Keys whose cause is seen, but not whom it concerns. */
  readonly warnings: readonly CaptureProblem[];
}

/**
 * @param unseen why a change by a foreign key is not seen, for people
 * @throws DatabaseUnavailable
 */
export async function findUnseenChanges(database: Database, mapping: Mapping, unseen: string): Promise<UnseenChanges> {
  const tables = new Map(mapping.tables.map((entry) => [tableKey(entry), entry]));
  const cascades = await findCascades(database, tables.values());
  return {
    problems: cascades.filter((one) => !isSeen(one, mapping)).map((one) => untold(one, unseen)),
    warnings: ghosts(mapping, cascades),
  };
}

/** Whether the parent's entries have a hint, for every change that the key follows, of whatever each entry of the child concerns. */
function isSeen(cascade: Cascade, { tables }: Mapping): boolean {
  const { parent, follows } = cascade;
  const children = tables.filter(
    (entry) =>
      tableKey(entry) === tableKey(cascade) && concerns({ when: entry.when, columns: countedColumns(entry) }, cascade),
  );
  if (tableKey(parent) === tableKey(cascade)) return children.length === 0; // a row names itself, not those that refer to it
  const parents = tables.filter((entry) => tableKey(entry) === tableKey(parent) && countsAll(entry, follows));
  return children.every((child) => parents.some((entry) => isNamedBy(child.source, entry.source, cascade)));
}

/** Which changes of a table's rows count: `when` and the counted columns of its entry (mapping.ts). */
interface Counted extends Pick<TableMapping, 'when'> {
  readonly columns: readonly string[] | undefined;
}

/** Whether what the key does to a row would have a hint if it were seen. */
export function concerns(
  { when, columns: counted }: Counted,
  { columns, deletes, clears, generated }: Pick<Cascade, 'columns' | 'deletes' | 'clears' | 'generated'>,
): boolean {
  const touched = [...columns.keys()];
  const mustBeNull = touched.some((column) => when.get(column)?.every((value) => value === null));
  if (mustBeNull && !clears) return false; // before the change and after it, it is not NULL
  const changed = new Set([...touched, ...generated].map((column) => column.toLowerCase()));
  return deletes || counted === undefined || counted.some((column) => changed.has(column.toLowerCase()));
}

function countsAll(entry: TableMapping, follows: readonly string[]): boolean {
  const counted = countedColumns(entry);
  return entry.when.size === 0 && (counted === undefined || follows.every((column) => counted.includes(column)));
}

/** Does a hint of the parent's row concern everything that a hint of the child's would? The columns of the key carry the ids over. */
function isNamedBy(child: HintSource, parent: HintSource, key: Cascade): boolean {
  const isSame = (of: IdSource, other: IdSource) => idInParent(of, key) === other;
  if (parent.of === 'relation') {
    return child.of === 'relation' && isSame(child.user, parent.user) && isSame(child.contact, parent.contact);
  }
  // A user's hint is of their own index and of those of their followers; an owner's of the latter.
  if (parent.of === 'user')
    return ownersOf(child)
      .concat(usersOf(child))
      .some((id) => isSame(id, parent.user));
  return ownersOf(child).some((id) => isSame(id, parent.owner));
}

/** The column of the parent that holds the same id, by the key or by a look-up that goes its way; undefined: none does. */
function idInParent(id: IdSource, { columns, parent }: Cascade): string | undefined {
  if (typeof id === 'string') return columns.get(id);
  return tableKey(id) === tableKey(parent) && columns.get(id.equals) === id.key ? id.column : undefined;
}

/** Whose index it is. */
function usersOf(source: HintSource): IdSource[] {
  return source.of === 'photos' ? [] : [source.user];
}

/** Who is in the indexes of others. */
function ownersOf(source: HintSource): IdSource[] {
  if (source.of === 'relation') return [source.contact];
  return source.of === 'photos' ? [source.owner] : [];
}

function untold(cascade: Cascade, unseen: string): CaptureProblem {
  const { schema, table, name, parent } = cascade;
  const ways = [...(tableKey(parent) === tableKey(cascade) ? [] : [mapParent(cascade)]), leaveOut(cascade)];
  return {
    what: `the foreign key ${name} changes rows of ${schema}.${table} when one of ${parent.table} changes, ${unseen}`,
    fix: `${ways.join('. Or ')}. Or make the key RESTRICT, and change or delete the rows of ${table} in the application.`,
  };
}

function mapParent({ table, parent, columns, follows }: Cascade): string {
  const counted = follows.length === 0 ? '' : `, with ${follows.join(', ')} in its columns if it has any`;
  const referred = [...columns.values()].join(', ');
  return `Map ${parent.table} as well, without \`when\`${counted}, with a hint whose id is ${referred} and names whom the rows of ${table} concern`;
}

/** Rows that the key changes, in an entry that they do not count for. */
function leaveOut({ table, columns, deletes, clears }: Cascade): string {
  const touched = [...columns.keys()].join(', ');
  if (deletes && !clears)
    return `Where rows of ${table} with a ${touched} count for nothing, write \`when: { ${touched}: null }\``;
  return `Let another column than ${touched} say what counts, and name in \`columns\` those that the views read`;
}

/**
 * Relationships that vanish with the contact. The hint of the contact's row looks for followers by their rows, and there are
 * none any more. (A user whose own relationships vanish is named by the hint.)
 */
function ghosts({ tables }: Mapping, cascades: readonly Cascade[]): CaptureProblem[] {
  const isOfContact = ({ columns, ...child }: Cascade) =>
    tables.some(
      (entry) =>
        tableKey(entry) === tableKey(child) && entry.source.of === 'relation' && columns.has(entry.source.contact),
    );
  const isMapped = new Set(tables.map(tableKey));
  const found = cascades.filter((one) => isMapped.has(tableKey(one.parent)) && isOfContact(one));
  return [...Map.groupBy(found, ({ parent }) => tableKey(parent)).values()].map((some) => {
    const parent = some[0]?.parent.table ?? '';
    const children = some.map(({ table, name }) => `${table} (${name})`).join(', ');
    return {
      what:
        `with a row of ${parent} a foreign key deletes the rows that have it as a contact: ${children}; then nothing says whose ` +
        'indexes hold it, and it stays there as a ghost, which no answer shows, until `recency repair`',
      fix: `Delete those rows first, in statements of their own, or leave a task for each: docs/adopting.md, "Deleted rows".`,
    };
  });
}

/** What foreign keys change unseen in the tables of a mapping: by capture, or by triggers. */
import type { Database } from '../mysql/database.ts';
import { type Cascade, findCascades } from './base-tables.ts';
import type { CaptureProblem } from './capture-checks.ts';
import { countedColumns, type Mapping, tableKey } from './mapping.ts';

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

/** Whether an entry has a hint for every change of the parent that the key follows. */
function isSeen({ parent, follows }: Cascade, { tables }: Mapping): boolean {
  return tables.some((entry) => {
    if (tableKey(entry) !== tableKey(parent) || entry.when.size > 0) return false;
    const counted = countedColumns(entry);
    return counted === undefined || follows.every((column) => counted.includes(column));
  });
}

function untold({ schema, table, name, parent, follows }: Cascade, unseen: string): CaptureProblem {
  const columns = follows.length === 0 ? '' : `, with ${follows.join(', ')} in its columns if it has any`;
  return {
    what: `the foreign key ${name} changes rows of ${schema}.${table} when one of ${parent.table} changes, ${unseen}`,
    fix: `Map ${parent.table} as well, without \`when\`${columns}, with a hint for whatever its rows concern, or make the key RESTRICT and delete the rows in the application.`,
  };
}

/**
 * Relationships that vanish with the contact. The hint of the contact's row looks for followers by their rows, and there are
 * none any more. (A user whose own relationships vanish is named by the hint.)
 */
function ghosts({ tables }: Mapping, cascades: readonly Cascade[]): CaptureProblem[] {
  const isOfContact = ({ columns, ...child }: Cascade) =>
    tables.some(
      (entry) =>
        tableKey(entry) === tableKey(child) && entry.source.of === 'relation' && columns.includes(entry.source.contact),
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

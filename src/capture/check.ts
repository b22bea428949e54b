/** Whether a mapping can be captured from this server, as it is set up now. */
import type { Kind } from '../contracts/kind.ts';
import type { Database } from '../mysql/database.ts';
import { areCascadesLogged, type BehindViews, findBaseTables, readTableColumns } from './base-tables.ts';
import {
  type CaptureProblem,
  findLogProblems,
  findMissingColumns,
  findTableProblems,
  type LogReading,
} from './capture-checks.ts';
import { findUnseenChanges } from './cascades.ts';
import { findTypeProblems, idFault } from './column-types.ts';
import { findUnloggedChanges } from './logged-changes.ts';
import { idSourceOf, type Mapping, mappedColumns, tableKey } from './mapping.ts';

interface CaptureCheck {
  readonly problems: readonly CaptureProblem[];
  /** What does not keep it from starting. */
  readonly warnings: readonly CaptureProblem[];
  readonly behind: BehindViews;
}

/** @throws DatabaseUnavailable */
export async function checkCapture(
  database: Database,
  mapping: Mapping,
  kinds: readonly Kind[],
  reading: LogReading,
): Promise<CaptureCheck> {
  const mapped = mappedColumns(mapping);
  const behind = await findBaseTables(database, kinds);
  const cascades = (await areCascadesLogged(database))
    ? { problems: [], warnings: [] }
    : await findUnseenChanges(database, mapping, 'which the binary log does not show');
  const logged = await findUnloggedChanges(database);
  const problems = [
    ...(await findLogProblems(database, reading)),
    ...logged.problems,
    ...(await findMissingColumns(database, [...mapped.values(), ...lookedUp(mapping)])),
    ...distinct(await findTableProblems(database, mapping.tables)),
    ...(await findUnreadableColumns(database, mapping, reading)),
    ...unmapped(mapping, behind),
    ...cascades.problems,
  ];
  return { problems, warnings: [...logged.warnings, ...cascades.warnings], behind };
}

async function findUnreadableColumns(
  database: Database,
  { tables }: Mapping,
  reading: LogReading,
): Promise<CaptureProblem[]> {
  const problems: CaptureProblem[] = [];
  const ask = (text: string, values: string[]) => database.rows(text, values);
  for (const entry of tables) {
    problems.push(...findTypeProblems(entry, await readTableColumns(ask, entry), reading));
    const lookup = idSourceOf(entry.source);
    if (typeof lookup !== 'object') continue;
    const found = (await readTableColumns(ask, lookup)).find(({ name }) => name === lookup.column);
    const fault = found && idFault(found);
    if (fault === undefined) continue;
    const what = `${entry.at}: ${lookup.column} of ${lookup.schema}.${lookup.table} is ${found?.fullType}, ${fault}`;
    problems.push({ what, fix: 'Name the column that holds the id.' });
  }
  return distinct(problems);
}

/** A table may have several entries. */
function distinct(problems: readonly CaptureProblem[]): CaptureProblem[] {
  return [...new Map(problems.map((one) => [one.what, one])).values()];
}

function lookedUp(mapping: Mapping) {
  return mapping.tables.flatMap(({ source }) => {
    const id = idSourceOf(source);
    if (typeof id !== 'object') return [];
    return [{ schema: id.schema, table: id.table, columns: new Set([id.key, id.column]) }];
  });
}

/** A change of a table that no entry names would reach nobody. */
function unmapped(mapping: Mapping, { tables, unread }: BehindViews): CaptureProblem[] {
  const known = new Set([...mapping.tables, ...mapping.ignored].map(tableKey));
  const missing = tables.filter((table) => !known.has(tableKey(table)));
  return [
    ...missing.map(({ schema, table }) => ({
      what: `the views read ${schema}.${table}, which the mapping does not name`,
      fix: 'Add an entry for it to tables, or to ignore where no change of it can change an answer.',
    })),
    ...unread.map((name) => ({
      what: `the text of ${name} cannot be read, so the tables behind it are not known`,
      fix: `GRANT SHOW VIEW ON ${name} to this account; of a function, GRANT SHOW_ROUTINE ON *.* (MariaDB: SELECT ON mysql.proc).`,
    })),
  ];
}

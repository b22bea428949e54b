/** Whether a mapping can be captured from this server, as it is set up now. */
import type { Kind } from '../contracts/kind.ts';
import { type BehindViews, findBaseTables } from '../mysql/base-tables.ts';
import { type CaptureProblem, findLogProblems, findMissingColumns, type LogReading } from '../mysql/capture-checks.ts';
import { areCascadesLogged } from '../mysql/cascades.ts';
import type { Database } from '../mysql/database.ts';
import { findUnseenChanges } from './cascades.ts';
import { idSourceOf, type Mapping, mappedColumns, tableKey } from './mapping.ts';

export interface CaptureCheck {
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
  const problems = [
    ...(await findLogProblems(database, reading)),
    ...(await findMissingColumns(database, [...mapped.values(), ...lookedUp(mapping)])),
    ...unmapped(mapping, behind),
    ...cascades.problems,
  ];
  return { problems, warnings: cascades.warnings, behind };
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
      fix: `GRANT SHOW VIEW ON ${name} to this account.`,
    })),
  ];
}

/** What the server itself changes in a table by a foreign key, when rows of another table change. */
import { compareVersions, mysqlProductOf } from '../contracts/server-versions.ts';
import type { FoundTable } from './base-tables.ts';
import type { Database } from './database.ts';

/** A foreign key that changes rows of this table. */
export interface Cascade extends FoundTable {
  readonly name: string;
  /** The columns that it changes, or whose rows it deletes. */
  readonly columns: readonly string[];
  /** Whose rows are the cause. */
  readonly parent: FoundTable;
}

const CASCADES = `
  SELECT r.CONSTRAINT_NAME, r.UNIQUE_CONSTRAINT_SCHEMA, r.REFERENCED_TABLE_NAME, k.COLUMN_NAME
  FROM information_schema.REFERENTIAL_CONSTRAINTS AS r
  JOIN information_schema.KEY_COLUMN_USAGE AS k
    ON k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME AND k.TABLE_NAME = r.TABLE_NAME
  WHERE r.CONSTRAINT_SCHEMA = ? AND r.TABLE_NAME = ?
    AND (r.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT') OR r.UPDATE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT'))
  ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION`;

/** @throws DatabaseUnavailable */
export async function findCascades(database: Database, tables: Iterable<FoundTable>): Promise<Cascade[]> {
  const found: Cascade[] = [];
  for (const { schema, table } of tables) {
    const rows = (await database.rows(CASCADES, [schema, table])).map((row) => row.map(String));
    for (const [name = '', columns] of Map.groupBy(rows, ([name]) => name)) {
      const [[, parentSchema = '', parentTable = ''] = []] = columns;
      const parent = { schema: parentSchema, table: parentTable };
      found.push({ schema, table, name, columns: columns.map(([, , , column = '']) => column), parent });
    }
  }
  return found;
}

/** From this version on, MySQL logs the rows that its foreign keys change, unless InnoDB is told to enforce them itself. */
const LOGS_CASCADES = '9.6';
const NATIVE = "SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'";

/** Whether the binary log has what foreign keys change. No server fires triggers for it. @throws DatabaseUnavailable */
export async function areCascadesLogged(database: Database): Promise<boolean> {
  const [[version = ''] = []] = await database.rows('SELECT VERSION()', []);
  const mayLog = mysqlProductOf(String(version)) === 'MySQL' && compareVersions(String(version), LOGS_CASCADES) >= 0;
  return mayLog && !(await database.rows(NATIVE, [])).some(([, value]) => value === 'ON');
}

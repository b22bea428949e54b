import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import { Database, type Parameter } from './database.ts';

// Rows found through an index, in the site's tables and in Recency's own. Scans of temporary tables are not counted.
const COUNTED = new Set([
  'Handler_read_first',
  'Handler_read_key',
  'Handler_read_last',
  'Handler_read_next',
  'Handler_read_prev',
]);

/**
 * A database that counts the rows that its SELECTs read, for the reports of long jobs. Each statement costs two more
 * round trips.
 */
export class MeteredDatabase extends Database {
  #rowsRead = 0;

  /** Rows that `rows` has requested from the storage engine so far. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  protected override async read(connection: PoolConnection, sql: string, parameters: readonly Parameter[]) {
    const before = await rowsReadBy(connection);
    const rows = await super.read(connection, sql, parameters);
    this.#rowsRead += (await rowsReadBy(connection)) - before;
    return rows;
  }
}

async function rowsReadBy(connection: PoolConnection): Promise<number> {
  const [rows] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
  const counted = rows.filter((row) => COUNTED.has(row.Variable_name));
  return counted.reduce((sum, row) => sum + Number(row.Value), 0);
}

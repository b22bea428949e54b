import type { RowDataPacket } from 'mysql2/promise';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { closeAtEnd } from './servers.ts';
import { migratedDatabase } from './stores.ts';

/** The reference tables in a database of their own, for a test file that calls the site's functions. */
export async function freshReferenceSite({ connections }: { readonly connections: number }) {
  const url = await migratedDatabase();
  const pool = openSitePool(url, connections);
  closeAtEnd(() => pool.end());
  return {
    url,
    pool,
    rows: async (statement: string, values: unknown[] = []) =>
      (await pool.query<RowDataPacket[]>(statement, values))[0],
    /** Deletes every row, and the tasks in the outbox. */
    empty: async () => {
      for (const table of ['users', 'contacts', 'photos', 'recency_outbox']) await pool.query(`DELETE FROM ${table}`);
    },
  };
}

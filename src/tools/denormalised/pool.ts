import type { Pool } from 'mysql2/promise';
import { openSitePool } from '../reference-site/transaction.ts';

/**
 * A pool for what writes the denormalised table. Close it with `end()`.
 *
 * READ COMMITTED: no gaps are locked, so that a batch of followers and a new follower do not wait for each other, and what is
 * written may be read from other tables without locking them.
 */
export function openDenormalisedPool(url: string, connections = 6): Pool {
  const pool = openSitePool(url, connections);
  pool.on('connection', (connection) => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  });
  return pool;
}

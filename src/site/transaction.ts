import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';

/** A pool as the site's functions want it: ids as strings, times in UTC. Close it with `end()`. */
export function openSitePool(url: string, connections = 10): Pool {
  return createPool({
    uri: url,
    connectionLimit: connections,
    supportBigNumbers: true,
    bigNumberStrings: true,
    timezone: 'Z',
    charset: 'utf8mb4',
  });
}

export interface RetryOptions {
  /** How often a transaction that lost to others is tried, in all. */
  readonly attempts?: number;
  /** From 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/** ER_LOCK_DEADLOCK and ER_LOCK_WAIT_TIMEOUT: InnoDB chose this transaction to give way; done again it may well pass. */
const LOST_TO_OTHERS = new Set([1213, 1205]);

const LONGEST_WAIT_MS = 500;

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. One that lost to others is
 * tried again after a random wait, so `work` may run several times.
 *
 * READ COMMITTED: a read after a row's lock was had sees what was committed by then, not the snapshot of the first read,
 * and no gaps are locked, so that writers of other owners and pairs need not wait.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: PoolConnection) => Promise<T>,
  { attempts = 20, random = Math.random }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(pool, work);
    } catch (error) {
      const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
      if (!LOST_TO_OTHERS.has(errno) || attempt >= attempts) throw error;
      await sleep(random() * Math.min(LONGEST_WAIT_MS, 2 ** (attempt + 1)));
    }
  }
}

async function once<T>(pool: Pool, work: (connection: PoolConnection) => Promise<T>): Promise<T> {
  const connection = await pool.getConnection();
  try {
    await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await connection.query('START TRANSACTION');
    const result = await work(connection);
    await connection.query('COMMIT');
    connection.release();
    return result;
  } catch (error) {
    await connection.query('ROLLBACK').then(
      () => connection.release(),
      () => connection.destroy(), // which rolls back as well
    );
    throw error;
  }
}

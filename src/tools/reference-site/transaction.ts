import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { meaningOf, type Task } from '../../contracts/task.ts';
import { type LostRaceOptions, retryDeadlocks } from '../../mysql/faults.ts';
import { type MysqlTls, tlsOptions } from '../../mysql/tls.ts';
import { activeParent } from '../../tracing/tracing.ts';

/** A pool as the site's functions want it: ids as strings, times in UTC. Close it with `end()`. */
export function openSitePool(url: string, connections = 10, tls?: MysqlTls): Pool {
  return createPool({
    uri: url,
    ...tlsOptions(tls),
    connectionLimit: connections,
    supportBigNumbers: true,
    bigNumberStrings: true,
    timezone: 'Z',
    charset: 'utf8mb4',
  });
}

/** Pools, and connections of them, whose changes are captured from the binary log. */
const captured = new WeakSet<Pool | PoolConnection>();

/** The same for a site whose changes are captured: its transactions leave no task in the outbox. */
export function openCapturedSitePool(url: string): Pool {
  const pool = openSitePool(url);
  captured.add(pool);
  return pool;
}

/** Whether the site that this connection belongs to writes tasks for its changes. */
export function leavesTasks(connection: PoolConnection): boolean {
  return !captured.has(connection);
}

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. One that lost to others is
 * tried again after a random wait, so `work` may run several times.
 *
 * READ COMMITTED: a read after a row's lock was had sees what was committed by then, not the snapshot of the first read,
 * and no gaps are locked, so that writers of other owners and pairs need not wait.
 */
export function inTransaction<T>(
  pool: Pool,
  work: (connection: PoolConnection) => Promise<T>,
  options: LostRaceOptions = {},
): Promise<T> {
  return retryDeadlocks(() => once(pool, work), options);
}

async function once<T>(pool: Pool, work: (connection: PoolConnection) => Promise<T>): Promise<T> {
  const connection = await pool.getConnection();
  if (captured.has(pool)) captured.add(connection);
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

const INSERT = 'INSERT INTO recency_outbox (type, user_id, other_id, at, version) VALUES (?, ?, ?, ?, ?)';

const INSERT_TRACED =
  'INSERT INTO recency_outbox (type, user_id, other_id, at, version, traceparent) VALUES (?, ?, ?, ?, ?, ?)';

/**
 * Leaves the task in the outbox, in the transaction of the change that it tells of: published if and only if that commits. If
 * the change is traced, the row says by which span it was made.
 */
export async function leaveTask(connection: PoolConnection, task: Task): Promise<void> {
  if (!leavesTasks(connection)) return;
  const trace = activeParent();
  if (trace === undefined) await connection.execute(INSERT, columnsOf(task));
  else await connection.execute(INSERT_TRACED, [...columnsOf(task), trace.traceparent]);
}

function columnsOf(task: Task): (string | number | null)[] {
  const about = meaningOf(task);
  if (about.of === 'relation') return [task.type, about.user, about.contact, null, about.version ?? null];
  if (about.of === 'user') return [task.type, about.user, null, null, null];
  const { photo, at } = task as { readonly photo?: Id; readonly at?: number };
  return [task.type, about.owner, photo ?? null, at ?? null, null];
}

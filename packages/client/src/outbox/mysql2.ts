import type { Connection } from 'mysql2/promise';
import type { Task } from '../api-types.ts';
import { InvalidArgument } from '../errors.ts';
import type { FreshToken } from '../fresh.ts';
import { rowOf, tokenOfTask } from '../task-row.ts';
import { traceColumns, type WriteOptions } from './trace.ts';

export type { Task } from '../api-types.ts';
export type { WriteOptions } from './trace.ts';

/** Rows of one INSERT. */
const AT_ONCE = 500;

const COLUMNS = ['type', 'user_id', 'other_id', 'at', 'version'] as const;

/**
 * Writes the task on the caller's connection, which has begun a transaction, so that it is published if and only if the
 * change that it reports commits. Returns the token by which a read shows the change at once, for `RecencyClient.changed`
 * after the commit.
 * @param connection of `mysql2/promise`, not a pool
 * @throws InvalidArgument; nothing was written then
 */
export async function writeTask(connection: Connection, task: Task, options: WriteOptions = {}): Promise<FreshToken> {
  const [token] = await writeTasks(connection, [task], options);
  return token as FreshToken;
}

/** Writes several and returns the token of each. @throws InvalidArgument; nothing was written then */
export async function writeTasks(
  connection: Connection,
  tasks: readonly Task[],
  options: WriteOptions = {},
): Promise<FreshToken[]> {
  // A pool would take any connection, on which the caller's transaction is not.
  if ('getConnection' in connection)
    throw new InvalidArgument('connection', 'is a pool: the transaction is on a connection');
  const rows = tasks.map((task) => rowOf(task, options));
  const trace = traceColumns(options);
  const columns = [...COLUMNS, ...Object.keys(trace)];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const values = rows
      .slice(from, from + AT_ONCE)
      .map((row) => [...COLUMNS.map((column) => row[column]), ...Object.values(trace)]);
    const places = values.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
    await connection.query(`INSERT INTO recency_outbox (${columns.join(', ')}) VALUES ${places}`, values.flat());
  }
  return tasks.map(tokenOfTask);
}

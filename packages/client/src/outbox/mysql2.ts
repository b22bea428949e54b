import type { Connection } from 'mysql2/promise';
import type { Task } from '../api-types.ts';
import { InvalidArgument } from '../errors.ts';
import type { FreshToken } from '../fresh.ts';
import { rowOf, tokenOfTask } from '../task-row.ts';

export type { Task } from '../api-types.ts';

/** Rows of one INSERT. */
const AT_ONCE = 500;

/**
 * Writes the task on the caller's connection, which has begun a transaction, so that it is published if and only if the
 * change that it reports commits. Returns the token by which a read shows the change at once, for `RecencyClient.changed`
 * after the commit.
 * @param connection of `mysql2/promise`, not a pool
 * @throws InvalidArgument; nothing was written then
 */
export async function writeTask(connection: Connection, task: Task): Promise<FreshToken> {
  const [token] = await writeTasks(connection, [task]);
  return token as FreshToken;
}

/** Writes several and returns the token of each. @throws InvalidArgument; nothing was written then */
export async function writeTasks(connection: Connection, tasks: readonly Task[]): Promise<FreshToken[]> {
  // A pool would take any connection, on which the caller's transaction is not.
  if ('getConnection' in connection)
    throw new InvalidArgument('connection', 'is a pool: the transaction is on a connection');
  const rows = tasks.map(rowOf);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const values = rows
      .slice(from, from + AT_ONCE)
      .map((row) => [row.type, row.user_id, row.other_id, row.at, row.version]);
    const places = values.map(() => '(?, ?, ?, ?, ?)').join(', ');
    await connection.query(
      `INSERT INTO recency_outbox (type, user_id, other_id, at, version) VALUES ${places}`,
      values.flat(),
    );
  }
  return tasks.map(tokenOfTask);
}

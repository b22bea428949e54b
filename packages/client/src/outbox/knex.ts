import type { Knex } from 'knex';
import type { Task } from '../api-types.ts';
import { InvalidArgument } from '../errors.ts';
import type { FreshToken } from '../fresh.ts';
import { rowOf, tokenOfTask } from '../task-row.ts';
import { traceColumns, type WriteOptions } from './trace.ts';

export type { Task } from '../api-types.ts';
export type { WriteOptions } from './trace.ts';

/** Rows of one INSERT. */
const AT_ONCE = 500;

/**
 * Writes the task in the caller's transaction, so that it is published if and only if the change that it reports commits.
 * Returns the token by which a read shows the change at once, for `RecencyClient.changed` after the commit.
 * @throws InvalidArgument; nothing was written then
 */
export async function writeTask(
  transaction: Knex.Transaction,
  task: Task,
  options: WriteOptions = {},
): Promise<FreshToken> {
  const [token] = await writeTasks(transaction, [task], options);
  return token as FreshToken;
}

/** Writes several, all or none, and returns the token of each. @throws InvalidArgument; nothing was written then */
export async function writeTasks(
  transaction: Knex.Transaction,
  tasks: readonly Task[],
  options: WriteOptions = {},
): Promise<FreshToken[]> {
  // Each statement of a plain knex has a connection, and so a transaction, of its own.
  if (!transaction.isTransaction) throw new InvalidArgument('transaction', 'is not a transaction of knex');
  const rows = tasks.map((task) => ({ ...rowOf(task, options), ...traceColumns(options) }));
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await transaction('recency_outbox').insert(rows.slice(from, from + AT_ONCE));
  }
  return tasks.map(tokenOfTask);
}

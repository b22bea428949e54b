import type { PoolConnection } from 'mysql2/promise';
import type { Task } from '../../contracts/task.ts';

const INSERT = 'INSERT INTO recency_outbox (type, user_id, other_id, at, version) VALUES (?, ?, ?, ?, ?)';

/** Leaves the task in the outbox, in the transaction of the change that it tells of: published if and only if that commits. */
export async function leaveTask(connection: PoolConnection, task: Task): Promise<void> {
  await connection.execute(INSERT, columnsOf(task));
}

function columnsOf(task: Task): (string | number | null)[] {
  if ('contact' in task) return [task.type, task.user, task.contact, null, task.version ?? null];
  if ('owner' in task) return [task.type, task.owner, task.photo ?? null, task.at ?? null, null];
  return [task.type, task.user, null, null, null];
}

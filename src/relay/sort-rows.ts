import type { Failure } from '../consumers/dead-letters.ts';
import type { OutgoingTask } from '../consumers/task-publisher.ts';
import type { Delivery } from '../consumers/task-source.ts';
import type { OutboxRow } from '../mysql/outbox.ts';
import { InvalidOutboxRow, idOf, OUTBOX_SOURCE, outgoingTask, timeOf } from './outgoing-task.ts';

/** A row that is no task, and why. */
interface Letter {
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/** Tasks to publish, and rows that can never be. */
export function sortRows(rows: readonly OutboxRow[]): { tasks: OutgoingTask[]; letters: Letter[] } {
  const tasks: OutgoingTask[] = [];
  const letters: Letter[] = [];
  for (const row of rows) {
    try {
      tasks.push(outgoingTask(row));
    } catch (error) {
      if (!(error instanceof InvalidOutboxRow)) throw error;
      letters.push({
        delivery: asDelivery(row),
        failure: { errorClass: error.name, message: error.message, attempts: 1 },
      });
    }
  }
  return { tasks, letters };
}

/** A row that is no task, as a message with the row's own columns. */
function asDelivery(row: OutboxRow): Delivery {
  const { id, type, userId, otherId, at, version, createdAt } = row;
  const columns = { id, type, user_id: userId, other_id: otherId, at, version, created_at: createdAt };
  return {
    position: idOf(row),
    body: Buffer.from(JSON.stringify(columns)),
    headers: { ce_specversion: '1.0', ce_id: idOf(row), ce_source: OUTBOX_SOURCE, ce_type: type },
    timestamp: timeOf(row),
  };
}

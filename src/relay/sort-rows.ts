import type { OutboxRow } from '../mysql/outbox.ts';
import type { Failure } from '../transport/dead-letters.ts';
import type { OutgoingTask } from '../transport/task-publisher.ts';
import type { Delivery } from '../transport/task-source.ts';
import { InvalidOutboxRow, idOf, OUTBOX_SOURCE, outgoingTask, timeOf } from './outgoing-task.ts';

/** A row that no transport takes as a task, and why. */
export interface Letter {
  readonly row: OutboxRow;
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/** Tasks to publish, each with its row, and rows that can never be. */
export function sortRows(rows: readonly OutboxRow[]): { tasks: Map<OutgoingTask, OutboxRow>; letters: Letter[] } {
  const tasks = new Map<OutgoingTask, OutboxRow>();
  const letters: Letter[] = [];
  for (const row of rows) {
    try {
      tasks.set(outgoingTask(row), row);
    } catch (error) {
      if (!(error instanceof InvalidOutboxRow)) throw error;
      letters.push(letterOf(row, error));
    }
  }
  return { tasks, letters };
}

/** The row as a message with its own columns, for the dead letters. */
export function letterOf(row: OutboxRow, error: Error): Letter {
  const { id, type, userId, otherId, at, version, createdAt, attempt } = row;
  const columns = { id, type, user_id: userId, other_id: otherId, at, version, created_at: createdAt };
  return {
    row,
    delivery: {
      position: idOf(row),
      body: Buffer.from(JSON.stringify(columns)),
      headers: { ce_specversion: '1.0', ce_id: idOf(row), ce_source: OUTBOX_SOURCE, ce_type: type },
      timestamp: timeOf(row),
    },
    failure: { errorClass: error.name, message: error.message, attempts: attempt + 1 },
  };
}

import { meaningOfType, TASK_TYPES, type Task, taskSchema } from '../contracts/task.ts';
import type { OutboxRow } from '../mysql/outbox.ts';
import { traceParentOf } from '../tracing/trace-parent.ts';
import type { Failure } from '../transport/dead-letters.ts';
import type { OutgoingTask } from '../transport/task-publisher.ts';
import type { Delivery } from '../transport/task-source.ts';

/** `ce_source` of tasks from the outbox. */
const OUTBOX_SOURCE = '/recency/outbox';

/** `ce_id`: unique within the source, and the same when the row is published again. */
function idOf(row: OutboxRow): string {
  return `outbox:${row.id}`;
}

/** The row is not a task; the message says why. */
class InvalidOutboxRow extends Error {
  override readonly name = 'InvalidOutboxRow';
}

/** The task that a row stands for. @throws InvalidOutboxRow */
export function outgoingTask(row: OutboxRow): OutgoingTask {
  return { task: taskOf(row), id: idOf(row), source: OUTBOX_SOURCE, time: timeOf(row), ...traceOf(row) };
}

/** A malformed context is left out: it must not keep the task from being published. */
function traceOf({ traceparent }: OutboxRow) {
  return traceParentOf({ traceparent });
}

/** The latest time that a JavaScript Date, and so a header, can hold. */
const GREATEST_TIME = 8.64e15;

/** When the row was written, ms since 1970 UTC, clamped to what a header can hold. */
function timeOf({ createdAt }: OutboxRow): number {
  return Math.min(Math.max(0, createdAt), GREATEST_TIME);
}

function taskOf(row: OutboxRow): Task {
  const parsed = taskSchema.safeParse(candidate(row));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = columnOf(row, String(issue?.path[0] ?? 'type'));
  const isKnown = (TASK_TYPES as readonly string[]).includes(row.type);
  // Not the schema's own words: with every known type in them, they would leave no room for why a dead letter was refused.
  const problem = isKnown ? (issue?.message ?? 'wrong') : 'is not a type of task; docs/adopting.md names them';
  throw new InvalidOutboxRow(`row ${row.id} of recency_outbox is not a task: ${field}: ${problem}`);
}

/** The row's values under the names of a task's fields. A null `other_id` is left out, so that the error is "required". */
function candidate({ type, userId, otherId, at, version }: OutboxRow): Record<string, unknown> {
  const about = meaningOfType(type);
  if (about === undefined) return { type, user: userId };
  const { singular, ownerField } = about.kind;
  if (about.of === 'relation') {
    return { type, user: userId, ...given(singular, otherId), ...given('version', version) };
  }
  return { type, [ownerField]: userId, ...given('photo', otherId), ...(isTime(at) ? { at: Number(at) } : {}) };
}

function given(field: string, value: string | null): Record<string, string> {
  return value === null ? {} : { [field]: value };
}

/** The time only informs people, so an invalid one is left out and the task is still published. */
function isTime(at: string | null): boolean {
  return at !== null && Number.isSafeInteger(Number(at)) && Number(at) >= 0;
}

/** The column of the outbox that holds a field of a task. */
function columnNamed(field: string, type: string): string {
  const about = meaningOfType(type);
  if (field === 'photo' || (about?.of === 'relation' && field === about.kind.singular)) return 'other_id';
  return field === 'user' || field === about?.kind.ownerField ? 'user_id' : field;
}

function columnOf(row: OutboxRow, field: string): string {
  const column = columnNamed(field, row.type);
  return column === 'type' ? `type "${row.type}"` : column;
}

/** A row that can never be published, as a dead letter. */
export interface OutboxLetter {
  readonly row: OutboxRow;
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/** Splits rows into tasks to publish, each with its row, and dead letters. */
export function sortRows(rows: readonly OutboxRow[]): { tasks: Map<OutgoingTask, OutboxRow>; letters: OutboxLetter[] } {
  const tasks = new Map<OutgoingTask, OutboxRow>();
  const letters: OutboxLetter[] = [];
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

/** The row as a dead letter, whose body holds the row's columns. */
export function letterOf(row: OutboxRow, error: Error): OutboxLetter {
  const { id, type, userId, otherId, at, version, createdAt, attempt } = row;
  const columns = { id, type, user_id: userId, other_id: otherId, at, version, created_at: createdAt };
  return {
    row,
    delivery: {
      position: idOf(row),
      body: Buffer.from(JSON.stringify(columns)),
      headers: { ce_specversion: '1.0', ce_id: idOf(row), ce_source: OUTBOX_SOURCE, ce_type: type, ...traceOf(row) },
      timestamp: timeOf(row),
    },
    failure: { errorClass: error.name, message: error.message, attempts: attempt + 1 },
  };
}

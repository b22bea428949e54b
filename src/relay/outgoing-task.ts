import { isId } from '../contracts/id.ts';
import { KINDS, type Kind } from '../contracts/kind.ts';
import { meaningOfType, selfNamedIn, selfProblem, type Task, taskSchema } from '../contracts/task.ts';
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

/** The task that a row stands for. @param kinds as the site has them @throws InvalidOutboxRow */
export function outgoingTask(row: OutboxRow, kinds: readonly Kind[] = KINDS): OutgoingTask {
  return { task: taskOf(row, kinds), id: idOf(row), source: OUTBOX_SOURCE, time: timeOf(row), ...traceOf(row) };
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

function taskOf(row: OutboxRow, kinds: readonly Kind[]): Task {
  const parsed = taskSchema.safeParse(candidate(row));
  const self = parsed.success ? selfNamedIn(parsed.data, kinds) : undefined;
  if (self !== undefined) throw invalid(row, columnOf(row, self), selfProblem(self));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = columnOf(row, String(issue?.path[0] ?? 'type'));
  const isNull = field === 'other_id' && row.otherId === null;
  throw invalid(row, field, isNull ? 'is NULL, and a task of this type needs an id' : (issue?.message ?? 'is wrong'));
}

function invalid({ id }: OutboxRow, field: string, problem: string): InvalidOutboxRow {
  return new InvalidOutboxRow(`row ${id} of recency_outbox is not a task: ${field}: ${problem}`);
}

/** The row's values under the names of a task's fields. A null `other_id` is left out. */
function candidate({ type, userId, otherId, at, version }: OutboxRow): Record<string, unknown> {
  const about = meaningOfType(type);
  if (about === undefined) return { type, user: userId };
  const { singular, ownerField } = about.kind;
  if (about.of === 'relation') {
    return { type, user: userId, ...given(singular, otherId), ...given('version', version) };
  }
  return { type, [ownerField]: userId, ...noteOf(otherId, at) };
}

function given(field: string, value: string | null): Record<string, string> {
  return value === null ? {} : { [field]: value };
}

/** Which photo, and when, only informs people: what is invalid of it is left out, and the task is still published. */
function noteOf(photo: string | null, at: string | null) {
  return { ...(isId(photo) ? { photo } : {}), ...(isTime(at) ? { at: Number(at) } : {}) };
}

function isTime(at: string | null): boolean {
  return at !== null && Number.isSafeInteger(Number(at)) && Number(at) >= 0;
}

/** The column of the outbox that holds a field of a task. */
function columnNamed(field: string, type: string): string {
  const about = meaningOfType(type);
  if (about?.of === 'relation' && field === about.kind.singular) return 'other_id';
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

/** Splits rows into tasks to publish, each with its row, and dead letters. @param kinds as the site has them */
export function sortRows(
  rows: readonly OutboxRow[],
  kinds?: readonly Kind[],
): { tasks: Map<OutgoingTask, OutboxRow>; letters: OutboxLetter[] } {
  const tasks = new Map<OutgoingTask, OutboxRow>();
  const letters: OutboxLetter[] = [];
  for (const row of rows) {
    try {
      tasks.set(outgoingTask(row, kinds), row);
    } catch (error) {
      if (!(error instanceof InvalidOutboxRow)) throw error;
      letters.push(letterOf(row, error));
    }
  }
  return { tasks, letters };
}

/** The row as a dead letter, whose body holds the row's columns. */
function letterOf(row: OutboxRow, error: Error): OutboxLetter {
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

import { type Task, taskSchema } from '../contracts/task.ts';
import type { OutboxRow } from '../mysql/outbox.ts';
import type { OutgoingTask } from '../transport/task-publisher.ts';

/** `ce_source` of what comes from the outbox. */
export const OUTBOX_SOURCE = '/recency/outbox';

/** Unique with the source, and the same when the row is published again. */
export function idOf(row: OutboxRow): string {
  return `outbox:${row.id}`;
}

/** The row is no task. The message says why. */
export class InvalidOutboxRow extends Error {
  override readonly name = 'InvalidOutboxRow';
}

/** @throws InvalidOutboxRow */
export function outgoingTask(row: OutboxRow): OutgoingTask {
  return { task: taskOf(row), id: idOf(row), source: OUTBOX_SOURCE, time: timeOf(row) };
}

/** The greatest time that JavaScript, and so a header, can say. */
const GREATEST_TIME = 8.64e15;

/** When the row was written, ms since 1970 UTC, whatever a site has put there. */
export function timeOf({ createdAt }: OutboxRow): number {
  return Math.min(Math.max(0, createdAt), GREATEST_TIME);
}

function taskOf(row: OutboxRow): Task {
  const parsed = taskSchema.safeParse(candidate(row));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = columnOf(row, String(issue?.path[0] ?? 'type'));
  throw new InvalidOutboxRow(`row ${row.id} of recency_outbox is no task: ${field}: ${issue?.message ?? 'wrong'}`);
}

/** What the row says, by the fields of a task. An absent `other_id` is left out, so that its own rule speaks of it. */
function candidate({ type, userId, otherId, at, version }: OutboxRow): Record<string, unknown> {
  if (type.startsWith('recency.contact.')) {
    return { type, user: userId, ...given('contact', otherId), ...given('version', version) };
  }
  if (type.startsWith('recency.photo.')) {
    return { type, owner: userId, ...given('photo', otherId), ...(isTime(at) ? { at: Number(at) } : {}) };
  }
  return { type, user: userId };
}

function given(field: string, value: string | null): Record<string, string> {
  return value === null ? {} : { [field]: value };
}

/** The time is a hint for people: one that cannot be said is left out, and the task does its work all the same. */
function isTime(at: string | null): boolean {
  return at !== null && Number.isSafeInteger(Number(at)) && Number(at) >= 0;
}

const COLUMNS: Readonly<Record<string, string>> = {
  user: 'user_id',
  owner: 'user_id',
  contact: 'other_id',
  photo: 'other_id',
};

function columnOf(row: OutboxRow, field: string): string {
  const column = COLUMNS[field] ?? field;
  return column === 'type' ? `type "${row.type}"` : column;
}

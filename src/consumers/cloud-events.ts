import { isUtf8 } from 'node:buffer';
import { MAX_TASK_BYTES, partitionKey, TASK_TYPES, type Task, taskSchema } from '../contracts/task.ts';
import type { OutgoingTask } from './task-publisher.ts';
import type { Delivery } from './task-source.ts';

/**
 * Tasks as CloudEvents 1.0 in binary mode: the attributes are headers (`ce_…`), the body is the task in JSON.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md
 */

/** What goes onto a transport. */
export interface EncodedTask {
  /** Tasks with one key keep together: see {@link partitionKey}. */
  readonly key: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A message that can never be a task. The text says what is wrong with it, for whoever published it. */
export class InvalidTask extends Error {
  override readonly name = 'InvalidTask';
}

const SPEC_VERSION = '1.0';

export function encodeTask({ task, id, source, time, traceparent }: OutgoingTask): EncodedTask {
  const key = partitionKey(task);
  const headers: Record<string, string> = {
    ce_specversion: SPEC_VERSION,
    ce_id: id,
    ce_type: task.type,
    ce_source: source,
    ce_time: new Date(time).toISOString(),
    ce_subject: key,
    'content-type': 'application/json',
  };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  return { key, body: Buffer.from(JSON.stringify(task)), headers };
}

/**
 * The task that a delivery carries. Its type may stand in the body, in `ce_type` or, saying the same, in both; a
 * message without CloudEvents headers is a task, too.
 * @throws InvalidTask
 */
export function decodeTask({ body, headers }: Pick<Delivery, 'body' | 'headers'>): Task {
  requireBinaryMode(headers);
  const value = parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidTask('the body is not a JSON object');
  }
  return checked({ ...value, type: typeOf(value, headers.ce_type) });
}

function requireBinaryMode(headers: Delivery['headers']): void {
  const version = headers.ce_specversion;
  if (version !== undefined && version !== SPEC_VERSION) {
    throw new InvalidTask(`ce_specversion: ${shown(version)} is not known; send CloudEvents ${SPEC_VERSION}`);
  }
  if (headers['content-type']?.toLowerCase().startsWith('application/cloudevents')) {
    throw new InvalidTask('content-type: a CloudEvent in structured mode; send binary mode, the attributes as headers');
  }
}

function parse(body: Buffer | null): unknown {
  if (body === null) throw new InvalidTask('the body is null (a tombstone)');
  if (body.length === 0) throw new InvalidTask('the body is empty');
  if (body.length > MAX_TASK_BYTES) {
    throw new InvalidTask(`the body has ${body.length} bytes; a task has at most ${MAX_TASK_BYTES}`);
  }
  if (!isUtf8(body)) throw new InvalidTask('the body is not UTF-8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new InvalidTask(`the body is not JSON: ${shortened((error as Error).message)}`);
  }
}

function typeOf(value: object, fromHeader: string | undefined): unknown {
  const inBody = 'type' in value ? value.type : undefined;
  if (inBody !== undefined && fromHeader !== undefined && fromHeader !== inBody) {
    throw new InvalidTask(`ce_type: ${shown(fromHeader)} is not the type in the body, ${shown(inBody)}`);
  }
  return inBody === undefined ? fromHeader : inBody;
}

function checked(value: { type: unknown }): Task {
  const parsed = taskSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (!(TASK_TYPES as readonly unknown[]).includes(value.type)) throw new InvalidTask(typeProblem(value.type));
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new InvalidTask(shortened(problems.join('; ')));
}

function typeProblem(type: unknown): string {
  const problem = type === undefined ? 'there is none' : `${shown(type)} is not known`;
  return `type: ${problem}; the types are ${TASK_TYPES.join(', ')}`;
}

/** Somebody else's value in a message of ours: one line, and not a long one. */
function shown(value: unknown): string {
  return shortened(typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value), 80);
}

function shortened(text: string, most = 500): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

import { isUtf8 } from 'node:buffer';
import { isBulkTask } from '../contracts/bulk-task.ts';
import { KINDS, type Kind } from '../contracts/kind.ts';
import {
  type DeliveredTask,
  deliveredTaskSchema,
  MAX_TASK_BYTES,
  partitionKey,
  selfNamedIn,
  selfProblem,
  TASK_TYPES,
} from '../contracts/task.ts';
import type { OutgoingTask } from './task-publisher.ts';
import type { Delivery } from './task-source.ts';

/**
 * Encodes and decodes tasks as CloudEvents 1.0. Sent in binary mode: attributes in headers (`ce_…`), the body is the task as JSON.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md
 */

/** A task as a transport carries it. */
interface EncodedTask {
  /** Tasks with the same key go to the same partition; null: to any. See {@link partitionKey}. */
  readonly key: string | null;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The message can never be a task. The error text tells its publisher what is wrong. */
export class InvalidTask extends Error {
  override readonly name = 'InvalidTask';
}

const SPEC_VERSION = '1.0';

export function encodeTask({ task, id, source, time, traceparent, tracestate }: OutgoingTask): EncodedTask {
  const key = partitionKey(task);
  const headers: Record<string, string> = {
    ce_specversion: SPEC_VERSION,
    ce_id: id,
    ce_type: task.type,
    ce_source: source,
    ce_time: new Date(time).toISOString(),
    ...(key === undefined ? {} : { ce_subject: key }),
    'content-type': 'application/json',
  };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (traceparent !== undefined && tracestate !== undefined) headers.tracestate = tracestate;
  return { key: key ?? null, body: Buffer.from(JSON.stringify(task)), headers };
}

/** A decoded delivery. */
interface ReadTask {
  readonly task: DeliveredTask;
  /** The publisher's id of the event, if it gave one. */
  readonly id: string | undefined;
  /** Unknown fields of the task. They are ignored, so that producers can add fields. */
  readonly ignored: readonly string[];
}

/**
 * Decodes a delivery: an event in binary mode (attributes in headers) or structured mode (attributes in the body, around the
 * task). The type may be in the task, in the attributes or, if it is the same, in both; a message without CloudEvents
 * attributes may also be a task.
 * @param kinds as the site has them
 * @throws InvalidTask
 */
export function readTask(
  { body, headers, unreadable }: Pick<Delivery, 'body' | 'headers' | 'unreadable'>,
  kinds: readonly Kind[] = KINDS,
): ReadTask {
  if (unreadable !== undefined) throw new InvalidTask(unreadable.reason);
  const { data, type, id } = isStructured(headers) ? structured(body) : binary(body, headers);
  if (!isObject(data)) throw new InvalidTask('the body is not a JSON object');
  const { task, ignored } = checked({ ...data, type: typeOf(data, type) });
  const self = selfNamedIn(task, kinds);
  if (self !== undefined) throw new InvalidTask(`${self}: ${selfProblem(self)}`);
  return { task, id, ignored };
}

/** Only the task of {@link readTask}. @throws InvalidTask */
export function decodeTask(delivery: Pick<Delivery, 'body' | 'headers' | 'unreadable'>): DeliveredTask {
  return readTask(delivery).task;
}

interface CloudEvent {
  readonly data: unknown;
  readonly type: string | undefined;
  readonly id: string | undefined;
}

function binary(body: Buffer | null, headers: Delivery['headers']): CloudEvent {
  const { ce_specversion: version, ce_type: type, ce_id: id } = headers;
  if (version !== undefined) requireVersion('ce_specversion', version);
  return { data: parse(body), type, id };
}

const STRUCTURED = 'application/cloudevents+json';

/** @throws InvalidTask for a format that is not supported */
function isStructured(headers: Delivery['headers']): boolean {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const media = type.trim();
  if (media === STRUCTURED || !media.startsWith('application/cloudevents')) return media === STRUCTURED;
  const problem = media.startsWith('application/cloudevents-batch')
    ? 'a batch of CloudEvents; send one event in each message'
    : `${shown(media)} is not supported; send ${STRUCTURED}, or binary mode with the attributes as headers`;
  throw new InvalidTask(`content-type: ${problem}`);
}

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
function structured(body: Buffer | null): CloudEvent {
  const event = parse(body);
  if (!isObject(event)) throw new InvalidTask('the body is not a JSON object');
  const { specversion, type, id, data, data_base64: encoded } = event;
  requireVersion('specversion', specversion);
  for (const [name, value] of Object.entries({ type, id })) {
    if (typeof value !== 'string' || value === '') throw new InvalidTask(`${name}: must be a non-empty string`);
  }
  if (data !== undefined && encoded !== undefined) throw new InvalidTask('data: the event has data_base64 as well');
  const task = typeof encoded === 'string' ? parse(Buffer.from(encoded, 'base64')) : data;
  if (!isObject(task)) throw new InvalidTask('data: must be a JSON object');
  return { data: task, type: type as string, id: id as string };
}

function requireVersion(name: string, version: unknown): void {
  if (version === SPEC_VERSION) return;
  const problem = version === undefined ? 'there is none' : `${shown(version)} is not known`;
  throw new InvalidTask(`${name}: ${problem}; send CloudEvents ${SPEC_VERSION}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

function checked(value: { type: unknown }): Pick<ReadTask, 'task' | 'ignored'> {
  const parsed = deliveredTaskSchema.safeParse(value);
  if (parsed.success) {
    const task = parsed.data;
    return { task, ignored: Object.keys(value).filter((name) => !Object.hasOwn(task, name)) };
  }
  if (!isKnown(value.type)) throw new InvalidTask(typeProblem(value.type));
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new InvalidTask(shortened(problems.join('; ')));
}

function isKnown(type: unknown): boolean {
  return (TASK_TYPES as readonly unknown[]).includes(type) || (typeof type === 'string' && isBulkTask({ type }));
}

function typeProblem(type: unknown): string {
  const problem = type === undefined ? 'there is none' : `${shown(type)} is not known`;
  return `type: ${problem}; the types are ${TASK_TYPES.join(', ')}`;
}

/** Quotes a publisher's value in an error text: on one line, shortened. */
function shown(value: unknown): string {
  return shortened(typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value), 80);
}

function shortened(text: string, most = 500): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

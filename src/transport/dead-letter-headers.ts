import { createHash } from 'node:crypto';
import { MAX_TASK_BYTES, partitionKey } from '../contracts/task.ts';
import { decodeTask, InvalidTask } from './cloud-events.ts';
import {
  type DeadLetter,
  type Failure,
  type ListedLetter,
  NotReplayable,
  type TransportLetters,
} from './dead-letters.ts';
import type { Delivery } from './task-source.ts';

/**
 * Builds dead letters: the message with its own headers, and `dlq-…` headers that say where it came from and why it failed. A
 * letter is bounded whatever was sent; otherwise no transport would take it, and its partition would be stuck for ever. A
 * body larger than a task may be is truncated, with its length and hash in headers; headers that do not fit are left out.
 */

const PREFIX = 'dlq-';

/** Of a replayed message: the reason why it was a letter. */
const REPLAYED_AFTER = 'dlq-replayed-after';

/** Maximum characters of the error message. */
const LONGEST_MESSAGE = 1_000;

/** Bytes of the body that are kept: a larger one was never a task. */
const MAX_BODY_BYTES = MAX_TASK_BYTES;

/** Bytes of the message's headers that are kept, including names. CloudEvents headers take about 300. */
const MAX_HEADER_BYTES = 16_384;

/** Maximum bytes of a dead letter. */
export const MAX_LETTER_BYTES = MAX_BODY_BYTES + MAX_HEADER_BYTES;

/** Maximum headers kept: a Redis script takes a few thousand arguments, and no task has this many headers. */
const MAX_HEADERS = 1_000;

/** How much of a message is kept, in bytes. */
interface Bounds {
  readonly body: number;
  readonly headers: number;
}

const WHOLE: Bounds = { body: MAX_BODY_BYTES, headers: MAX_HEADER_BYTES };

/** Only room for CloudEvents headers: for a transport that refuses the whole letter. */
export const BARE: Bounds = { body: 0, headers: 1_024 };

type Headers = Readonly<Record<string, string>>;

/** A dead letter as it is put on a transport. */
interface EncodedLetter {
  readonly body: Buffer | null;
  readonly headers: Headers;
}

export function deadLetterOf(delivery: Delivery, failure: Failure, bounds = WHOLE): EncodedLetter {
  const { body } = delivery;
  const isCut = body !== null && body.length > bounds.body;
  const { kept, left } = keptHeaders(delivery.headers, bounds.headers);
  const headers = {
    ...kept,
    ...originHeaders(delivery),
    'dlq-exception-class': failure.errorClass,
    'dlq-exception-message': cut(messageOf(delivery, failure), LONGEST_MESSAGE),
    'dlq-attempts': String(failure.attempts),
    ...(isCut ? cutHeaders(body) : {}),
    ...(left > 0 ? { 'dlq-headers-omitted': String(left) } : {}),
  };
  return { body: isCut ? Buffer.from(body.subarray(0, bounds.body)) : body, headers };
}

function messageOf({ headers }: Delivery, { message }: Failure): string {
  const before = headers[REPLAYED_AFTER];
  return before === undefined ? message : `${message} (replayed after: ${before})`;
}

function originHeaders({ position, timestamp, unreadable }: Delivery): Headers {
  const { topic, partition, offset } = originOf(position);
  return {
    'dlq-original-topic': topic,
    'dlq-original-partition': partition,
    'dlq-original-offset': offset,
    ...(unreadable === undefined
      ? {}
      : { 'dlq-original-last-offset': unreadable.lastOffset, 'dlq-unreadable': 'true' }),
    'dlq-original-timestamp': String(timestamp),
  };
}

function cutHeaders(body: Buffer): Headers {
  return {
    'dlq-body-truncated': 'true',
    'dlq-body-bytes': String(body.length),
    'dlq-body-sha256': createHash('sha256').update(body).digest('hex'),
  };
}

/** The message's headers in order, as far as they fit. Its own `dlq-…` headers are dropped, because we set those. */
function keptHeaders(headers: Headers, bytes: number): { kept: Headers; left: number } {
  const kept: Record<string, string> = {};
  let [room, places, left] = [bytes, MAX_HEADERS, 0];
  for (const [name, value] of Object.entries(headers)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value);
    if (name.startsWith(PREFIX)) continue;
    if (size > room || places === 0) left++;
    else {
      kept[name] = value;
      room -= size;
      places--;
    }
  }
  return { kept, left };
}

/** Never cuts a surrogate pair in half. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

interface LettersToReplay {
  readonly letters: readonly DeadLetter[];
  /** Ids without a letter. */
  readonly missing: readonly string[];
}

/** Looks up the letters with these ids, each once. @throws NotReplayable */
export async function lettersToReplay(
  from: Pick<TransportLetters, 'get'>,
  ids: readonly string[],
): Promise<LettersToReplay> {
  const letters: DeadLetter[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const letter = await from.get(id);
    const problem = letter && whyNotReplayable(letter.headers);
    if (problem !== undefined) throw new NotReplayable(`dead letter ${id} cannot be replayed: ${problem}`);
    if (letter === undefined) missing.push(id);
    else letters.push(letter);
  }
  return { letters, missing };
}

function whyNotReplayable(headers: Headers): string | undefined {
  const { 'dlq-unreadable': isUnreadable, 'dlq-body-truncated': isCut, 'dlq-headers-omitted': omitted } = headers;
  if (headers['dlq-exception-class'] === 'InvalidOutboxRow')
    return (
      `it is a row of the outbox (${headers.ce_id ?? ''}), not a task; the row is still there, until it is as old as ` +
      'RECENCY_OUTBOX_KEEP_HOURS says: correct it, set its published_at to NULL, and discard this letter'
    );
  if (isUnreadable === 'true') return 'it is a batch of messages that could not be read, not a task';
  if (isCut === 'true') return `its body is truncated; ${headers['dlq-body-bytes']} bytes were sent`;
  return omitted === undefined ? undefined : `${omitted} of its headers did not fit and were left out`;
}

/** The letter as lists show it. */
export function listed({ body, ...letter }: DeadLetter): ListedLetter {
  return { ...letter, bytes: body === null ? null : body.length };
}

/** The headers that the message had originally, and why it became a letter: should it become one again, that says both. */
export function replayedHeaders(headers: Headers): Headers {
  const original = Object.entries(headers).filter(([name]) => !name.startsWith(PREFIX));
  return { ...Object.fromEntries(original), [REPLAYED_AFTER]: headers['dlq-exception-message'] ?? '' };
}

/** The partition key of a message that is published again; undefined if it is still not a task. */
export function originalKey(message: Pick<Delivery, 'body' | 'headers'>): string | undefined {
  try {
    return partitionKey(decodeTask(message));
  } catch (error) {
    if (error instanceof InvalidTask) return undefined;
    throw error;
  }
}

/** Parses `kafka:<topic>:<partition>:<offset>`. In any other position the last part is the offset, and the partition is 0. */
function originOf(position: string): { topic: string; partition: string; offset: string } {
  const [, topic = '', partition = '', offset = ''] = /^kafka:(.*):(\d+):(\d+)$/.exec(position) ?? [];
  if (topic !== '') return { topic, partition, offset };
  const end = position.lastIndexOf(':');
  const place = position.slice(0, Math.max(end, 0));
  return { topic: place.replace(/^streams:/, ''), partition: '0', offset: position.slice(end + 1) };
}

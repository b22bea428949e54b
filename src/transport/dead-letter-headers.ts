import { createHash } from 'node:crypto';
import { MAX_TASK_BYTES, partitionKey } from '../contracts/task.ts';
import { decodeTask, InvalidTask } from './cloud-events.ts';
import { type DeadLetter, type DeadLetters, type Failure, type ListedLetter, NotReplayable } from './dead-letters.ts';
import type { Delivery } from './task-source.ts';

/**
 * What a dead letter keeps of a message, and says of it in headers beside the message's own (DESIGN §6). A letter is
 * bounded whatever was sent, or no transport would take it and its partition would wait for ever: of a body that is
 * larger than a task may be the beginning is kept, with its length and its hash; headers that do not fit are left out.
 */

const PREFIX = 'dlq-';

/** Of the error's message, so that a letter stays within what a transport takes. */
const LONGEST_MESSAGE = 1_000;

/** Bytes of a body that are kept: more than this never was a task. */
const MAX_BODY_BYTES = MAX_TASK_BYTES;

/** Bytes of all headers of the message that are kept, names included; those of CloudEvents take some 300. */
const MAX_HEADER_BYTES = 16_384;

/** Bytes that one dead letter takes at the most. */
export const MAX_LETTER_BYTES = MAX_BODY_BYTES + MAX_HEADER_BYTES;

/** Headers that are kept: a script in Redis takes a few thousand texts at once, and no task has so many. */
const MAX_HEADERS = 1_000;

/** Bytes of a message that are kept. */
interface Bounds {
  readonly body: number;
  readonly headers: number;
}

const WHOLE: Bounds = { body: MAX_BODY_BYTES, headers: MAX_HEADER_BYTES };

/** Room for the headers of CloudEvents and nothing else: what is put where a whole letter is refused. */
export const BARE: Bounds = { body: 0, headers: 1_024 };

type Headers = Readonly<Record<string, string>>;

/** What is put among the dead letters for a message. */
export interface Letter {
  readonly body: Buffer | null;
  readonly headers: Headers;
}

export function deadLetterOf(delivery: Delivery, failure: Failure, bounds = WHOLE): Letter {
  const { body } = delivery;
  const isCut = body !== null && body.length > bounds.body;
  const { kept, left } = keptHeaders(delivery.headers, bounds.headers);
  const headers = {
    ...kept,
    ...originHeaders(delivery),
    'dlq-exception-class': failure.errorClass,
    'dlq-exception-message': cut(failure.message, LONGEST_MESSAGE),
    'dlq-attempts': String(failure.attempts),
    ...(isCut ? cutHeaders(body) : {}),
    ...(left > 0 ? { 'dlq-headers-omitted': String(left) } : {}),
  };
  return { body: isCut ? Buffer.from(body.subarray(0, bounds.body)) : body, headers };
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

/** In their order, as far as there is room; a name of ours is not taken from anybody else. */
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

/** Not in the middle of a character of two units. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

export interface LettersToReplay {
  readonly letters: readonly DeadLetter[];
  /** The ids by which there is none. */
  readonly missing: readonly string[];
}

/** The letters by these ids, each once. @throws NotReplayable */
export async function lettersToReplay(
  from: Pick<DeadLetters, 'get'>,
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
  if (isUnreadable === 'true') return 'it is a batch of messages that could not be read, not a task';
  if (isCut === 'true') return `its body is truncated; ${headers['dlq-body-bytes']} bytes were sent`;
  return omitted === undefined ? undefined : `${omitted} of its headers did not fit and were left out`;
}

/** As it stands in a list. */
export function listed({ body, ...letter }: DeadLetter): ListedLetter {
  return { ...letter, bytes: body === null ? null : body.length };
}

/** The headers as they were. */
export function originalHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(PREFIX)));
}

/** The partition key of a message that is to be published again; undefined when it is still no task. */
export function originalKey(message: Pick<Delivery, 'body' | 'headers'>): string | undefined {
  try {
    return partitionKey(decodeTask(message));
  } catch (error) {
    if (error instanceof InvalidTask) return undefined;
    throw error;
  }
}

/** `kafka:<topic>:<partition>:<offset>`; of any other, what comes last is the offset and there are no partitions. */
function originOf(position: string): { topic: string; partition: string; offset: string } {
  const [, topic = '', partition = '', offset = ''] = /^kafka:(.*):(\d+):(\d+)$/.exec(position) ?? [];
  if (topic !== '') return { topic, partition, offset };
  const end = position.lastIndexOf(':');
  const place = position.slice(0, Math.max(end, 0));
  return { topic: place.replace(/^streams:/, ''), partition: '0', offset: position.slice(end + 1) };
}

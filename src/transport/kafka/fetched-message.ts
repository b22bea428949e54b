import type { Batch } from 'kafkajs';
import type { Delivery } from '../task-source.ts';

/** A message as fetch-response.ts decodes it: the fields that kafkajs passes on, and those that we need besides. */
export interface FetchedMessage {
  readonly offset: string;
  /** ms since 1970 UTC. */
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | undefined>>;
  /** Not delivered: kafkajs skips it but counts its offset. */
  isControlRecord: boolean;
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  /** Set on the one message that stands for a batch that could not be read; its value is the batch. */
  readonly unreadable?: UnreadableBatch;
  /** Stands for no message: those up to its offset were removed, or are hidden. */
  readonly isPlaceholder?: true;
}

interface UnreadableBatch {
  /** Human-readable. */
  readonly reason: string;
  /** The first offset of the batch. */
  readonly firstOffset: string;
}

/** Of messages that belong to no producer's transaction. */
export const NO_PRODUCER = { producerId: '-1', inTransaction: false };

export function placeholderAt(offset: bigint): FetchedMessage {
  const nothing = { timestamp: '-1', key: null, value: null, headers: {}, isControlRecord: false };
  return { ...nothing, offset: String(offset), isPlaceholder: true, batchContext: NO_PRODUCER };
}

/** The first offset that a message accounts for; `offset` is the last. */
export function firstOffsetOf({ offset, unreadable }: FetchedMessage): bigint {
  return BigInt(unreadable?.firstOffset ?? offset);
}

/** Adds a message, behind a placeholder if offsets are missing before it. */
export function append(messages: FetchedMessage[], message: FetchedMessage): void {
  const last = messages.at(-1);
  const before = firstOffsetOf(message) - 1n;
  if (last !== undefined && BigInt(last.offset) < before) messages.push(placeholderAt(before));
  messages.push(message);
}

/**
 * Everything that kafkajs has fetched of a partition: also messages before the offset that it asked for, control records and
 * aborted messages.
 */
export function fetchedIn(batch: Batch): readonly FetchedMessage[] {
  return (batch as Batch & { readonly rawMessages: readonly FetchedMessage[] }).rawMessages;
}

/** The messages that kafkajs delivers, with placeholders. */
export function deliveredIn(batch: Batch): readonly FetchedMessage[] {
  return batch.messages as unknown as readonly FetchedMessage[];
}

/** A batch that cannot be read is one delivery, at the first of its offsets. */
export function deliveryOf(message: FetchedMessage, topic: string, partition: number): Delivery {
  const { unreadable } = message;
  return {
    position: `kafka:${topic}:${partition}:${firstOffsetOf(message)}`,
    body: message.value,
    headers: headersOf(message.headers),
    timestamp: Number(message.timestamp),
    ...(unreadable === undefined ? {} : { unreadable: { reason: unreadable.reason, lastOffset: message.offset } }),
  };
}

export function headersOf(headers: FetchedMessage['headers']): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) texts[name] = value.toString();
  }
  return texts;
}

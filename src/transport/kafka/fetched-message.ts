import type { Batch, ConsumerEndBatchProcessEvent } from 'kafkajs';
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
  /** Set where compaction removed the last records of a batch, or all of them. Only its offset, the batch's last, counts. */
  readonly isPlaceholder?: true;
}

interface UnreadableBatch {
  /** Human-readable. */
  readonly reason: string;
  /** The first offset of the batch. */
  readonly firstOffset: string;
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

/**
 * Where a partition goes on after a fetch of which nothing is delivered (control records, aborted messages), which kafkajs
 * reports only with this event. Undefined after any other, and where a gap comes before it, which the next message shows.
 * @param next the offset after the last one accounted for
 */
export function afterHidden(
  { batchSize, firstOffset, lastOffset }: ConsumerEndBatchProcessEvent['payload'],
  next: bigint,
): bigint | undefined {
  // Null, whatever its type says, when the fetch ends before the offset that was asked for: kafkajs then goes on by one.
  const first = firstOffset as string | null;
  const follows = first === null || BigInt(first) <= next;
  return batchSize === 0 && follows ? BigInt(lastOffset) + 1n : undefined;
}

/** A batch that cannot be read is one delivery, at the first of its offsets. */
export function deliveryOf(message: FetchedMessage, topic: string, partition: number): Delivery {
  const { unreadable } = message;
  return {
    position: `kafka:${topic}:${partition}:${unreadable?.firstOffset ?? message.offset}`,
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

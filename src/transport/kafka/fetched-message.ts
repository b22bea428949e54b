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
}

interface UnreadableBatch {
  /** Human-readable. */
  readonly reason: string;
  /** The first offset of the batch. */
  readonly firstOffset: string;
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

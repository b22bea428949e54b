import type { Delivery } from '../task-source.ts';
import type { FetchedMessage } from './record-batches.ts';

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

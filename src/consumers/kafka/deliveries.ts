import type { KafkaMessage } from 'kafkajs';
import type { Delivery } from '../task-source.ts';

export function deliveryOf(message: KafkaMessage, topic: string, partition: number): Delivery {
  return {
    position: `kafka:${topic}:${partition}:${message.offset}`,
    body: message.value,
    headers: headersOf(message.headers ?? {}),
    timestamp: Number(message.timestamp),
  };
}

/** Of a header that comes more than once, the first. */
export function headersOf(headers: NonNullable<KafkaMessage['headers']>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined && first !== null) texts[name] = first.toString();
  }
  return texts;
}

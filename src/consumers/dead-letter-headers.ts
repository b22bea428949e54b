import { partitionKey } from '../contracts/task.ts';
import { decodeTask, InvalidTask } from './cloud-events.ts';
import type { Failure } from './dead-letters.ts';
import type { Delivery } from './task-source.ts';

/** What a dead letter says of itself, in headers beside those of the message (DESIGN §6). */

const PREFIX = 'dlq-';

/** Of the error's message, so that a letter stays within what a transport takes. */
const LONGEST_MESSAGE = 1_000;

type Headers = Readonly<Record<string, string>>;

export function deadLetterHeaders(delivery: Delivery, { errorClass, message, attempts }: Failure): Headers {
  const { topic, partition, offset } = originOf(delivery.position);
  return {
    ...delivery.headers,
    'dlq-original-topic': topic,
    'dlq-original-partition': partition,
    'dlq-original-offset': offset,
    'dlq-original-timestamp': String(delivery.timestamp),
    'dlq-exception-class': errorClass,
    'dlq-exception-message': message.slice(0, LONGEST_MESSAGE),
    'dlq-attempts': String(attempts),
  };
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

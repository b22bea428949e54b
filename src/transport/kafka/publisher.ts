import type { Message, RecordMetadata } from 'kafkajs';
import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { encodeTask } from '../cloud-events.ts';
import { PartlyPublished, type TaskPublisher } from '../task-publisher.ts';
import type { KafkaSettings } from './client.ts';
import { KafkaProducer, PartlySent } from './producer.ts';
import { RecordedProducer } from './recorded-producer.ts';
import { type PartitionOffsets, taskTopic } from './topic-admin.ts';

interface KafkaTaskPublisherOptions {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  /** Number of partitions, if the topic has to be created. */
  readonly partitions?: number;
  /** Deadline of one call of `publish`, ms. */
  readonly deadlineMs: number;
  /** Records the ends of the partitions; without it, a log that loses its end goes unnoticed. */
  readonly ends?: KafkaEnds;
}

/** Puts tasks on a Kafka topic, all tasks of a user or owner on the same partition. */
export class KafkaTaskPublisher implements TaskPublisher {
  readonly #producer: KafkaProducer;
  readonly #tasks: RecordedProducer;

  constructor({ kafka, topic, partitions, deadlineMs, ends }: KafkaTaskPublisherOptions) {
    this.#producer = new KafkaProducer({ kafka, topics: [taskTopic(topic, partitions)], deadlineMs });
    this.#tasks = new RecordedProducer(this.#producer, topic, ends);
  }

  /** The brokers delete by time and size: there is always room. */
  async checkRoom(): Promise<void> {}

  /** @throws PartlyPublished, KafkaPermissionMissing, KafkaUnavailable, DatabaseUnavailable */
  async publish(...[tasks, onTaken]: Parameters<TaskPublisher['publish']>): Promise<void> {
    // With the current time, not the task's: the brokers delete by message time.
    const messages = tasks.map((task) => {
      const { key, body, headers } = encodeTask(task);
      return { key, value: body, headers: { ...headers } };
    });
    try {
      const taken = await this.#tasks.send(messages);
      const place = tasks.length === 1 ? placeOf(taken) : undefined; // of several, a broker names the first in each partition
      if (place !== undefined) onTaken?.([place]);
    } catch (error) {
      if (!(error instanceof PartlySent)) throw error;
      const notTaken = tasks.flatMap((task, i) => {
        const reason = error.notTaken.get(messages[i] as Message);
        return reason === undefined ? [] : [[task, reason] as const];
      });
      throw new PartlyPublished(new Map(notTaken));
    }
  }

  close(): Promise<void> {
    return this.#producer.close();
  }
}

/** The place of the only message sent: `<partition>:<offset>`. Undefined if the broker has not said it. */
export function placeOf([only, ...more]: readonly RecordMetadata[]): string | undefined {
  return only?.baseOffset === undefined || more.length > 0 ? undefined : `${only.partition}:${only.baseOffset}`;
}

/**
 * Is the message at this place still in the log, and not committed by the group? A message that its retention or an operator has
 * removed, or that a group which was moved has passed, does not wait.
 * @param offsets of every partition of the topic
 */
export function isWaitingAt(place: string, offsets: readonly PartitionOffsets[]): boolean {
  const [, partition, digits] = /^(\d{1,9}):(\d{1,19})$/.exec(place) ?? [];
  const found = offsets.find((one) => String(one.partition) === partition);
  if (found === undefined || digits === undefined) return false;
  const offset = BigInt(digits);
  const { low, high, committed = low } = found;
  return low <= offset && offset < high && committed <= offset;
}

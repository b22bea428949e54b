import type { Message } from 'kafkajs';
import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { encodeTask } from '../cloud-events.ts';
import { type OutgoingTask, PartlyPublished, type TaskPublisher } from '../task-publisher.ts';
import type { KafkaSettings } from './client.ts';
import { KafkaProducer, PartlySent } from './producer.ts';
import { RecordedProducer } from './recorded-producer.ts';
import { taskTopic } from './topic-admin.ts';

export interface KafkaTaskPublisherOptions {
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
  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    // With the current time, not the task's: the brokers delete by message time.
    const messages = tasks.map((task) => {
      const { key, body, headers } = encodeTask(task);
      return { key, value: body, headers: { ...headers } };
    });
    try {
      await this.#tasks.send(messages);
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

import type { KafkaMessage } from 'kafkajs';
import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { deadLetterHeaders, originalHeaders, originalKey } from '../dead-letter-headers.ts';
import type { DeadLetter, DeadLetters, Failure } from '../dead-letters.ts';
import type { Delivery } from '../task-source.ts';
import { type KafkaSettings, openKafka } from './client.ts';
import { headersOf } from './deliveries.ts';
import { KafkaProducer } from './producer.ts';
import { RecordedProducer } from './recorded-producer.ts';
import { TopicReader } from './topic-reader.ts';
import { deadLetterTopic, deadLetterTopicConfig, taskTopic } from './topics.ts';

export interface KafkaDeadLettersOptions {
  readonly kafka: KafkaSettings;
  /** Of the tasks; the letters are in `<topic>.dlq`. */
  readonly topic: string;
  /** ms that one call of `put` or `replay` may take. */
  readonly deadlineMs: number;
  /** Where to record how far the partitions of the tasks have reached, for what is replayed. */
  readonly ends?: KafkaEnds;
}

/**
 * Dead letters in a topic of their own. The id of a letter is `<partition>-<offset>`. A topic only grows, so letters
 * stay listed when they were replayed, until the topic's retention removes them.
 */
export class KafkaDeadLetters implements DeadLetters {
  readonly #topic: string;
  readonly #producer: KafkaProducer;
  readonly #tasks: RecordedProducer;
  readonly #reader: TopicReader;

  constructor({ kafka, topic, deadlineMs, ends }: KafkaDeadLettersOptions) {
    this.#topic = topic;
    const topics = [taskTopic(topic), deadLetterTopicConfig(topic)];
    this.#producer = new KafkaProducer({ kafka, topics, deadlineMs });
    this.#tasks = new RecordedProducer(this.#producer, topic, ends);
    this.#reader = new TopicReader(openKafka(kafka), deadLetterTopic(topic));
  }

  /** @throws KafkaUnavailable */
  async put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void> {
    const messages = letters.map(({ delivery, failure }) => ({
      key: null,
      value: delivery.body,
      headers: { ...deadLetterHeaders(delivery, failure) },
    }));
    await this.#producer.send(deadLetterTopic(this.#topic), messages);
  }

  async list({ limit, after }: { limit: number; after?: string }): Promise<DeadLetter[]> {
    const start = after === undefined ? { partition: 0, offset: -1n } : placeOf(after);
    if (start === undefined) throw new RangeError(`not the id of a dead letter: ${after}`);
    const letters: DeadLetter[] = [];
    for (const { partition, low, high } of await this.#offsets()) {
      if (partition < start.partition || letters.length >= limit) continue;
      const next = partition === start.partition && start.offset >= low ? start.offset + 1n : low;
      const messages = await this.#reader.read({ partition, low: next, high }, limit - letters.length);
      letters.push(...messages.map((message) => letterOf(partition, message)));
    }
    return letters;
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const place = placeOf(id);
    const offsets = (await this.#offsets()).find(({ partition }) => partition === place?.partition);
    if (place === undefined || offsets === undefined) return undefined;
    if (place.offset < offsets.low || place.offset >= offsets.high) return undefined;
    const [message] = await this.#reader.read({ ...offsets, low: place.offset }, 1);
    return message?.offset === place.offset.toString() ? letterOf(place.partition, message) : undefined;
  }

  /** @throws KafkaUnavailable, DatabaseUnavailable */
  async replay(ids: readonly string[]): Promise<number> {
    const letters = [];
    for (const id of new Set(ids)) letters.push(await this.get(id));
    const messages = letters
      .filter((letter) => letter !== undefined)
      .map((letter) => {
        const headers = originalHeaders(letter.headers);
        return { key: originalKey({ ...letter, headers }) ?? null, value: letter.body, headers: { ...headers } };
      });
    await this.#tasks.send(messages);
    return messages.length;
  }

  async close(): Promise<void> {
    await Promise.all([this.#producer.close(), this.#reader.close()]);
  }

  async #offsets() {
    await this.#producer.ensureTopics();
    return this.#reader.offsets();
  }
}

function placeOf(id: string): { partition: number; offset: bigint } | undefined {
  const [, partition, offset] = /^(\d{1,9})-(\d{1,19})$/.exec(id) ?? [];
  return partition === undefined || offset === undefined
    ? undefined
    : { partition: Number(partition), offset: BigInt(offset) };
}

function letterOf(partition: number, { offset, value, headers = {}, timestamp }: KafkaMessage): DeadLetter {
  return { id: `${partition}-${offset}`, body: value, headers: headersOf(headers), timestamp: Number(timestamp) };
}

import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { deadLetterOf, lettersToReplay, listed, originalHeaders, originalKey } from '../dead-letter-headers.ts';
import type { DeadLetter, DeadLetters, Failure, ListedLetter } from '../dead-letters.ts';
import type { Delivery } from '../task-source.ts';
import { type KafkaSettings, openKafka } from './client.ts';
import { deliveryOf, headersOf } from './deliveries.ts';
import { KafkaProducer } from './producer.ts';
import type { FetchedMessage } from './record-batches.ts';
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
    const messages = letters.map(({ delivery, failure }) => {
      const { body, headers } = deadLetterOf(delivery, failure);
      return { key: null, value: body, headers: { ...headers } };
    });
    await this.#producer.send(deadLetterTopic(this.#topic), messages);
  }

  async list({ limit, after }: { limit: number; after?: string }): Promise<ListedLetter[]> {
    const start = after === undefined ? { partition: 0, offset: -1n } : placeOf(after);
    if (start === undefined) throw new RangeError(`not the id of a dead letter: ${after}`);
    const letters: ListedLetter[] = [];
    for (const { partition, low, high } of await this.#offsets()) {
      if (partition < start.partition || letters.length >= limit) continue;
      const next = partition === start.partition && start.offset >= low ? start.offset + 1n : low;
      for await (const message of this.#reader.read({ partition, low: next, high }, limit - letters.length)) {
        letters.push(listed(letterOf(partition, message)));
      }
    }
    return letters;
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    const place = placeOf(id);
    const offsets = (await this.#offsets()).find(({ partition }) => partition === place?.partition);
    if (place === undefined || offsets === undefined) return undefined;
    if (place.offset < offsets.low || place.offset >= offsets.high) return undefined;
    for await (const message of this.#reader.read({ ...offsets, low: place.offset }, 1)) {
      return message.offset === place.offset.toString() ? letterOf(place.partition, message) : undefined;
    }
    return undefined;
  }

  /** @throws KafkaUnavailable, DatabaseUnavailable, NotReplayable */
  async replay(ids: readonly string[]): Promise<number> {
    const messages = (await lettersToReplay(this, ids)).map((letter) => {
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

/** What somebody else has put on the topic, and cannot be read, is shown as a letter about itself. */
function letterOf(partition: number, message: FetchedMessage): DeadLetter {
  const { offset, value, headers, timestamp, unreadable } = message;
  const id = `${partition}-${offset}`;
  if (unreadable === undefined) return { id, body: value, headers: headersOf(headers), timestamp: Number(timestamp) };
  const failure = { errorClass: 'InvalidTask', message: unreadable.reason, attempts: 1 };
  return { id, timestamp: 0, ...deadLetterOf(deliveryOf(message, 'dlq', partition), failure) };
}

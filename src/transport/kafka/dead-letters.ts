import type { Message } from 'kafkajs';
import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { BARE, deadLetterOf, lettersToReplay, listed, originalKey, replayedHeaders } from '../dead-letter-headers.ts';
import type { DeadLetter, Failure, ListedLetter, Replayed, TransportLetters } from '../dead-letters.ts';
import { MessageRefused } from '../task-publisher.ts';
import type { Delivery } from '../task-source.ts';
import { createKafka, type KafkaSettings } from './client.ts';
import { permitted } from './errors.ts';
import { deliveryOf, type FetchedMessage, headersOf } from './fetched-message.ts';
import { KafkaProducer, PartlySent } from './producer.ts';
import { RecordedProducer } from './recorded-producer.ts';
import { deadLetterTopic, deadLetterTopicConfig, taskTopic } from './topic-admin.ts';
import { TopicReader } from './topic-reader.ts';

interface KafkaDeadLettersOptions {
  readonly kafka: KafkaSettings;
  /** The topic of the tasks; the letters are in `<topic>.dlq`. */
  readonly topic: string;
  /** Deadline of one call of `put` or `replay`, ms. */
  readonly deadlineMs: number;
  /** Records the ends of the tasks' partitions when letters are replayed. */
  readonly ends?: KafkaEnds;
}

interface PutLetter {
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/**
 * Dead letters in a topic of their own. A letter's id is `<partition>-<offset>`. A topic only grows, so replayed letters stay
 * listed until the topic's retention removes them.
 */
export class KafkaDeadLetters implements TransportLetters {
  readonly #topic: string;
  readonly #producer: KafkaProducer;
  readonly #tasks: RecordedProducer;
  readonly #reader: TopicReader;

  constructor({ kafka, topic, deadlineMs, ends }: KafkaDeadLettersOptions) {
    this.#topic = topic;
    const topics = [taskTopic(topic), deadLetterTopicConfig(topic)];
    this.#producer = new KafkaProducer({ kafka, topics, deadlineMs });
    this.#tasks = new RecordedProducer(this.#producer, topic, ends);
    this.#reader = new TopicReader(createKafka(kafka), deadLetterTopic(topic));
  }

  /**
   * Puts a letter that the topic refuses without its body, but with its `dlq-…` headers: otherwise the whole batch would be
   * delivered again for ever.
   * @throws KafkaUnavailable, KafkaPermissionMissing; MessageRefused if even that is refused
   */
  async put(letters: readonly PutLetter[]): Promise<void> {
    const refused = await this.#send(letters);
    if (refused.size === 0) return;
    const [error] = (await this.#send([...refused.keys()], BARE)).values();
    if (error !== undefined) throw error;
  }

  /** @returns the letters that the topic refuses, each with the reason @throws why the others were not taken */
  async #send(letters: readonly PutLetter[], bounds?: typeof BARE): Promise<Map<PutLetter, MessageRefused>> {
    const refused = new Map<PutLetter, MessageRefused>();
    const messages = letters.map(({ delivery, failure }) => {
      const { body, headers } = deadLetterOf(delivery, failure, bounds);
      return { key: null, value: body, headers: { ...headers } };
    });
    const topic = deadLetterTopic(this.#topic);
    try {
      await permitted(this.#producer.send(topic, messages), 'WRITE', { topic });
    } catch (error) {
      if (!(error instanceof PartlySent)) throw error;
      for (const [i, letter] of letters.entries()) {
        const reason = error.notTaken.get(messages[i] as Message);
        if (reason instanceof MessageRefused) refused.set(letter, reason);
        else if (reason !== undefined) throw reason;
      }
    }
    return refused;
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

  async *all(): AsyncIterable<DeadLetter> {
    for (const offsets of await this.#offsets()) {
      const messages = this.#reader.read(offsets, Number.MAX_SAFE_INTEGER);
      for await (const message of messages) yield letterOf(offsets.partition, message);
    }
  }

  /** @throws PartlySent, KafkaUnavailable, KafkaPermissionMissing, DatabaseUnavailable, NotReplayable */
  async replay(ids: readonly string[]): Promise<Replayed> {
    const { letters, missing } = await lettersToReplay(this, ids);
    const messages = letters.map((letter) => {
      const headers = replayedHeaders(letter.headers);
      return { key: originalKey({ ...letter, headers }) ?? null, value: letter.body, headers: { ...headers } };
    });
    await this.#tasks.send(messages);
    return { replayed: messages.length, missing };
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

/** An unreadable batch that another program put on the topic is shown as a letter about itself. */
function letterOf(partition: number, message: FetchedMessage): DeadLetter {
  const { offset, value, headers, timestamp, unreadable } = message;
  const id = `${partition}-${offset}`;
  if (unreadable === undefined) return { id, body: value, headers: headersOf(headers), timestamp: Number(timestamp) };
  const failure = { errorClass: 'InvalidTask', message: unreadable.reason, attempts: 1 };
  return { id, timestamp: 0, ...deadLetterOf(deliveryOf(message, 'dlq', partition), failure) };
}

import {
  type Admin,
  CompressionTypes,
  type ITopicConfig,
  type Kafka,
  type Message,
  Partitioners,
  type Producer,
  type RecordMetadata,
} from 'kafkajs';
import { settledWithin } from '../settled-within.ts';
import { type KafkaSettings, openKafka, RETRY } from './client.ts';
import { isPassing } from './errors.ts';
import { ensureTopics } from './topics.ts';

/** Kafka did not take the messages. Some may be there all the same. */
export class KafkaUnavailable extends Error {
  override readonly name = 'KafkaUnavailable';
}

export interface KafkaProducerOptions {
  readonly kafka: KafkaSettings;
  /** Created before the first message where it is missing. */
  readonly topics: readonly ITopicConfig[];
  /** ms that a call of `send` may take, connecting included. */
  readonly deadlineMs: number;
}

/** kafkajs copies a partition's messages once for each of them: many at once would cost their square. */
const MESSAGES_A_REQUEST = 500;

/** Below the brokers' `message.max.bytes` (1 MB) even when all are of one partition and nothing can be compressed. */
const BYTES_A_REQUEST = 700_000;

/** Less is not worth it: each partition's messages are compressed by themselves, here, and unpacked by broker and consumer. */
const BYTES_COMPRESSED = 32 * 1024;

/**
 * Puts messages on Kafka; each is taken by all replicas in sync. Not idempotent on purpose: after a failed request
 * kafkajs gives its sequence numbers to the next messages, and a broker that had taken the first ones then drops
 * those as duplicates and says that it has them. A task that comes twice does no harm, one that is lost does.
 */
export class KafkaProducer {
  readonly #options: KafkaProducerOptions;
  readonly #kafka: Kafka;
  #producer: Promise<Producer> | undefined;

  constructor(options: KafkaProducerOptions) {
    this.#options = options;
    this.#kafka = openKafka(options.kafka);
  }

  /**
   * Resolves when all are taken: which offsets were given, by partition. A broker names the first of each request, and a
   * request's messages of one partition are kept or lost together.
   * @throws KafkaUnavailable; what kafkajs throws when trying again is of no use
   */
  async send(topic: string, messages: readonly Message[]): Promise<GivenOffsets> {
    const { deadlineMs, kafka } = this.#options;
    const sent = this.#send(topic, messages);
    if (!(await settledWithin(sent, deadlineMs))) {
      throw new KafkaUnavailable(`Kafka (${kafka.brokers}) did not take the messages within ${deadlineMs} ms`);
    }
    return await sent;
  }

  /** Creates the topics that are missing, when nothing was sent yet. */
  async ensureTopics(): Promise<void> {
    if (this.#producer === undefined) await this.#withAdmin((admin) => ensureTopics(admin, this.#options.topics));
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    if (producer === undefined) return;
    await settledWithin(
      producer.then((connected) => connected.disconnect()),
      this.#options.deadlineMs,
    );
  }

  async #send(topic: string, messages: readonly Message[]): Promise<GivenOffsets> {
    this.#producer ??= this.#connect();
    const producer = this.#producer;
    const given: RecordMetadata[] = [];
    try {
      for (const { messages: some, bytes } of requests(messages)) {
        const compression = bytes < BYTES_COMPRESSED ? CompressionTypes.None : CompressionTypes.GZIP;
        given.push(...(await (await producer).send({ topic, messages: some, acks: -1, compression })));
      }
      return offsetsOf(given);
    } catch (error) {
      // It may hold a connection to a broker that is no more; the next call begins anew.
      if (this.#producer === producer) await this.close();
      if (!isPassing(error)) throw error;
      throw new KafkaUnavailable(`Kafka is not available: ${(error as Error).message}`, { cause: error });
    }
  }

  async #connect(): Promise<Producer> {
    await this.#withAdmin((admin) => ensureTopics(admin, this.#options.topics));
    const producer = this.#kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    await producer.connect();
    return producer;
  }

  async #withAdmin(work: (admin: Admin) => Promise<void>): Promise<void> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

/** By partition. */
export type GivenOffsets = ReadonlyMap<number, { readonly lowest: bigint; readonly highest: bigint }>;

function offsetsOf(given: readonly RecordMetadata[]): GivenOffsets {
  const offsets = new Map<number, { lowest: bigint; highest: bigint }>();
  for (const { partition, baseOffset } of given) {
    if (baseOffset === undefined) continue;
    const offset = BigInt(baseOffset);
    const { lowest = offset, highest = offset } = offsets.get(partition) ?? {};
    offsets.set(partition, { lowest: offset < lowest ? offset : lowest, highest: offset > highest ? offset : highest });
  }
  return offsets;
}

interface Request {
  readonly messages: Message[];
  bytes: number;
}

function* requests(messages: readonly Message[]): Generator<Request> {
  let request: Request = { messages: [], bytes: 0 };
  for (const message of messages) {
    const size = sizeOf(message);
    const { length } = request.messages;
    if (length === MESSAGES_A_REQUEST || (length > 0 && request.bytes + size > BYTES_A_REQUEST)) {
      yield request;
      request = { messages: [], bytes: 0 };
    }
    request.messages.push(message);
    request.bytes += size;
  }
  if (request.messages.length > 0) yield request;
}

function sizeOf({ key, value, headers }: Message): number {
  let size = (key?.length ?? 0) + (value?.length ?? 0);
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}

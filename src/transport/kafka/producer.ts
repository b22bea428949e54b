import {
  type Admin,
  CompressionTypes,
  type ITopicConfig,
  type Kafka,
  type Message,
  type Producer,
  type RecordMetadata,
} from 'kafkajs';
import { UserError } from '../../contracts/user-error.ts';
import { settledWithin } from '../../timing/deadline.ts';
import { ChosenPartitions } from './chosen-partitions.ts';
import { createKafka, type KafkaSettings, RETRY } from './client.ts';
import { isPassing, isRefusal, KafkaUnavailable } from './errors.ts';
import { allowingLeaderless } from './kafkajs-patches.ts';
import { PartitionFaults } from './partition-faults.ts';
import { Sending, type SendRequest } from './sending.ts';
import { ensureTopics } from './topic-admin.ts';

/** Kafka did not take some of the messages, or any; it took the others. */
export class PartlySent extends UserError {
  override readonly name = 'PartlySent';
  /** Each message with its reason: MessageRefused, or KafkaUnavailable because of its partition. */
  readonly notTaken: ReadonlyMap<Message, Error>;
  /** Where the messages went that were taken. */
  readonly taken: readonly RecordMetadata[];

  constructor({ notTaken, taken }: Pick<Sending, 'notTaken' | 'taken'>) {
    const [first] = notTaken.values();
    super(`Kafka did not take ${notTaken.size} of the messages; the first error: ${first?.message}`, {
      cause: first,
    });
    this.notTaken = notTaken;
    this.taken = taken;
  }

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'Run it again: sending a task twice does no harm.';
  }
}

/** A producer and its requests in flight. */
interface Connected {
  readonly producer: Promise<Producer>;
  readonly partitions: ChosenPartitions;
  readonly inFlight: Set<Promise<unknown>>;
  /** Resolves when the producer is disconnected; undefined while it is in use. */
  retired?: Promise<void>;
}

interface KafkaProducerOptions {
  readonly kafka: KafkaSettings;
  /** Created before the first message if they do not exist. */
  readonly topics: readonly ITopicConfig[];
  /** Deadline of a call of `send`, including connecting, ms. */
  readonly deadlineMs: number;
}

/**
 * Shares of the deadline. When a broker hangs there are at most two requests in sequence (one for all partitions, then one per
 * partition) and two look-ups, so the messages of the other brokers' partitions are still sent in time.
 */
const REQUEST_SHARE = 1 / 3;
const LOOK_UP_SHARE = 1 / 8;

/** Smaller requests are not compressed: each partition is compressed separately, and unpacked by the broker and the consumer. */
const BYTES_COMPRESSED = 32 * 1024;

/**
 * Sends messages to Kafka; each is confirmed by all in-sync replicas. Deliberately not idempotent: after a failed request
 * kafkajs reuses its sequence numbers for the next messages, and a broker that had taken the first ones then drops the new ones
 * as duplicates and confirms them. A task that arrives twice does no harm; a lost one does.
 */
export class KafkaProducer {
  readonly #options: KafkaProducerOptions;
  readonly #kafka: Kafka;
  #connected: Connected | undefined;
  readonly #retiring = new Set<Connected>();
  readonly #faults = new Map<string, PartitionFaults>();

  constructor(options: KafkaProducerOptions) {
    this.#options = options;
    this.#kafka = createKafka(options.kafka);
  }

  /**
   * Resolves with where the messages went once all are taken. A partition that takes nothing does not delay the others.
   * @throws PartlySent if it is known of each message whether it was taken, even if there is only one;
   *   KafkaUnavailable if no partition takes messages; what kafkajs throws if retrying is useless
   */
  async send(topic: string, messages: readonly Message[]): Promise<readonly RecordMetadata[]> {
    const { deadlineMs, kafka } = this.#options;
    const sending = new Sending({
      topic,
      faults: this.#faultsOf(topic),
      request: (request) => this.#request(topic, request),
      lookUp: () => this.#lookUp(topic),
    });
    const sent = allowingLeaderless(() => sending.send(messages));
    if (!(await settledWithin(sent, deadlineMs))) {
      throw new KafkaUnavailable(`Kafka (${kafka.brokers}) did not confirm the messages within ${deadlineMs} ms`);
    }
    await sent;
    if (sending.notTaken.size > 0) throw new PartlySent(sending);
    return sending.taken;
  }

  /** Creates missing topics, unless something has been sent already. */
  async ensureTopics(): Promise<void> {
    if (this.#connected !== undefined) return;
    await allowingLeaderless(() => this.#withAdmin((admin) => ensureTopics(admin, this.#options.topics)));
  }

  async close(): Promise<void> {
    if (this.#connected !== undefined) this.#retire(this.#connected);
    await Promise.all([...this.#retiring].map(({ retired }) => retired));
  }

  async #request(topic: string, request: SendRequest): Promise<RecordMetadata[]> {
    this.#connected ??= this.#open();
    const connected = this.#connected;
    const sent = this.#send(connected, topic, request);
    connected.inFlight.add(sent);
    try {
      const ms = Math.round(this.#options.deadlineMs * REQUEST_SHARE);
      if (await settledWithin(sent, ms)) return await sent;
      throw new KafkaUnavailable(`a broker did not confirm the messages within ${ms} ms`);
    } catch (error) {
      // It may hold a connection to a broker that is gone; the next request uses a new producer.
      if (!isRefusal(error)) this.#retire(connected);
      throw error;
    } finally {
      void sent.catch(() => undefined).finally(() => connected.inFlight.delete(sent));
    }
  }

  async #send(connected: Connected, topic: string, request: SendRequest): Promise<RecordMetadata[]> {
    const taken = await this.#trySend(connected, topic, request);
    const partition = connected.partitions.unconfirmed(request.messages, taken);
    if (partition === undefined) return taken;
    throw new KafkaUnavailable(`no broker confirmed the messages of partition ${partition} of ${topic}`);
  }

  async #trySend({ producer }: Connected, topic: string, { messages, bytes }: SendRequest): Promise<RecordMetadata[]> {
    try {
      const compression = bytes < BYTES_COMPRESSED ? CompressionTypes.None : CompressionTypes.GZIP;
      return await (await producer).send({ topic, messages, acks: -1, compression });
    } catch (error) {
      if (isRefusal(error) || !isPassing(error)) throw error;
      throw new KafkaUnavailable(`Kafka is unavailable: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Disconnects the producer once its requests in flight have ended. */
  #retire(connected: Connected): void {
    if (this.#connected === connected) this.#connected = undefined;
    if (connected.retired !== undefined) return;
    const disconnect = async () => {
      await Promise.allSettled(connected.inFlight);
      const { deadlineMs } = this.#options;
      await settledWithin(
        connected.producer.then((producer) => producer.disconnect()),
        deadlineMs,
      );
      this.#retiring.delete(connected);
    };
    connected.retired = disconnect();
    this.#retiring.add(connected);
  }

  async #lookUp(topic: string): Promise<void> {
    const lookedUp = this.#withAdmin(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      this.#faultsOf(topic).learn(topics.flatMap(({ partitions }) => partitions));
    });
    const ms = Math.round(this.#options.deadlineMs * LOOK_UP_SHARE);
    if (await settledWithin(lookedUp, ms)) return await lookedUp;
    throw new KafkaUnavailable(`no broker said within ${ms} ms which partitions ${topic} has`);
  }

  #faultsOf(topic: string): PartitionFaults {
    let faults = this.#faults.get(topic);
    if (faults === undefined) {
      faults = new PartitionFaults();
      this.#faults.set(topic, faults);
    }
    return faults;
  }

  #open(): Connected {
    const partitions = new ChosenPartitions();
    return { producer: this.#connect(partitions), partitions, inFlight: new Set() };
  }

  async #connect({ partitioner }: ChosenPartitions): Promise<Producer> {
    await this.#withAdmin((admin) => ensureTopics(admin, this.#options.topics));
    const producer = this.#kafka.producer({
      createPartitioner: partitioner,
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

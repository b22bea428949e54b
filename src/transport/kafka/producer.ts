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
import { UserError } from '../../contracts/user-error.ts';
import { settledWithin } from '../../timing/deadline.ts';
import { type KafkaSettings, openKafka, RETRY } from './client.ts';
import { isPassing, isRefusal, KafkaUnavailable } from './errors.ts';
import { allowingLeaderless } from './kafkajs-patches.ts';
import { PartitionFaults } from './partition-faults.ts';
import { type Request, Sending } from './sending.ts';
import { ensureTopics } from './topic-admin.ts';

/** Some messages were not taken, or all of them; Kafka took the others. */
export class PartlySent extends UserError {
  override readonly name = 'PartlySent';
  /** Each with its reason: MessageRefused, or KafkaUnavailable because of its partition. */
  readonly notTaken: ReadonlyMap<Message, Error>;
  /** Where those went that were taken. */
  readonly taken: readonly RecordMetadata[];

  constructor({ notTaken, taken }: Pick<Sending, 'notTaken' | 'taken'>) {
    const [first] = notTaken.values();
    super(`Kafka did not take ${notTaken.size} of the messages, the first because: ${first?.message}`, {
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

/** A producer, and what is being sent with it. */
interface Connected {
  readonly producer: Promise<Producer>;
  readonly inFlight: Set<Promise<unknown>>;
  /** Resolves when it is disconnected; undefined: it is in use. */
  retired?: Promise<void>;
}

export interface KafkaProducerOptions {
  readonly kafka: KafkaSettings;
  /** Created before the first message where it is missing. */
  readonly topics: readonly ITopicConfig[];
  /** ms that a call of `send` may take, connecting included. */
  readonly deadlineMs: number;
}

/**
 * Parts of the deadline. Where a broker hangs there are two requests, one for all partitions and then one for each, and two
 * look-ups at the most: the partitions of the other brokers get theirs.
 */
const REQUEST_SHARE = 1 / 3;
const LOOK_UP_SHARE = 1 / 8;

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
  #connected: Connected | undefined;
  readonly #retiring = new Set<Connected>();
  readonly #faults = new Map<string, PartitionFaults>();

  constructor(options: KafkaProducerOptions) {
    this.#options = options;
    this.#kafka = openKafka(options.kafka);
  }

  /**
   * Resolves when all are taken, and says where they went. A partition that takes nothing holds up no other.
   * @throws PartlySent when it is known of each message whether it was taken, also when there is one and it was not;
   *   KafkaUnavailable when there is no partition that takes any; what kafkajs throws when trying again is of no use
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
      throw new KafkaUnavailable(`Kafka (${kafka.brokers}) did not take the messages within ${deadlineMs} ms`);
    }
    await sent;
    if (sending.notTaken.size > 0) throw new PartlySent(sending);
    return sending.taken;
  }

  /** Creates the topics that are missing, when nothing was sent yet. */
  async ensureTopics(): Promise<void> {
    if (this.#connected !== undefined) return;
    await allowingLeaderless(() => this.#withAdmin((admin) => ensureTopics(admin, this.#options.topics)));
  }

  async close(): Promise<void> {
    if (this.#connected !== undefined) this.#retire(this.#connected);
    await Promise.all([...this.#retiring].map(({ retired }) => retired));
  }

  async #request(topic: string, request: Request): Promise<RecordMetadata[]> {
    this.#connected ??= { producer: this.#connect(), inFlight: new Set() };
    const connected = this.#connected;
    const sent = this.#send(connected, topic, request);
    connected.inFlight.add(sent);
    try {
      const ms = Math.round(this.#options.deadlineMs * REQUEST_SHARE);
      if (await settledWithin(sent, ms)) return await sent;
      throw new KafkaUnavailable(`a broker did not take the messages within ${ms} ms`);
    } catch (error) {
      // It may hold a connection to a broker that is no more; the next request begins anew.
      if (!isRefusal(error)) this.#retire(connected);
      throw error;
    } finally {
      void sent.catch(() => undefined).finally(() => connected.inFlight.delete(sent));
    }
  }

  async #send({ producer }: Connected, topic: string, { messages, bytes }: Request): Promise<RecordMetadata[]> {
    try {
      const compression = bytes < BYTES_COMPRESSED ? CompressionTypes.None : CompressionTypes.GZIP;
      return await (await producer).send({ topic, messages, acks: -1, compression });
    } catch (error) {
      if (isRefusal(error) || !isPassing(error)) throw error;
      throw new KafkaUnavailable(`Kafka is not available: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Disconnects it when what others are sending with it has ended. */
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

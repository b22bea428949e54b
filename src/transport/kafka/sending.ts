import type { Message, RecordMetadata } from 'kafkajs';
import { MessageRefused } from '../task-publisher.ts';
import { isRefusal, KafkaUnavailable } from './errors.ts';
import type { PartitionFaults, PartitionMessages } from './partition-faults.ts';

/** kafkajs copies a partition's messages once per message, which takes quadratic time. */
const MESSAGES_A_REQUEST = 500;

/** Below the brokers' `message.max.bytes` (1 MB), even if all messages go to one partition and none can be compressed. */
export const BYTES_A_REQUEST = 700_000;

/** Messages that are sent together. */
export interface SendRequest {
  readonly messages: Message[];
  bytes: number;
}

interface SendingOptions {
  readonly topic: string;
  readonly faults: PartitionFaults;
  /** @throws KafkaUnavailable; what kafkajs throws if retrying is useless */
  readonly request: (request: SendRequest) => Promise<RecordMetadata[]>;
  /** Updates `faults` with the partitions' current leaders. */
  readonly lookUp: () => Promise<void>;
}

/**
 * One call of `send`. Normally the messages of all partitions are sent together. When a request fails, each partition's
 * messages are sent separately, and only those that fail again are not taken. A message that Kafka will never take is found
 * by halving.
 */
export class Sending {
  /** Each message with its reason: MessageRefused, or KafkaUnavailable because of its partition. */
  readonly notTaken = new Map<Message, Error>();
  /** Where the messages went that were taken. */
  readonly taken: RecordMetadata[] = [];
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** @throws KafkaUnavailable if no partition takes messages; what kafkajs throws if retrying is useless */
  async send(messages: readonly Message[]): Promise<void> {
    const { topic, faults } = this.#options;
    const { together, trials, apart } = faults.split(topic, messages);
    for (const [message, error] of apart) this.notTaken.set(message, error);
    await Promise.all([this.#together(together), this.#byPartition(trials)]);
    const [first] = this.notTaken.values();
    if (first === undefined || this.notTaken.size < messages.length || faults.isAnyWell) return;
    if ([...this.notTaken.values()].every((error) => error instanceof KafkaUnavailable)) throw first;
  }

  async #together(messages: readonly Message[]): Promise<void> {
    for (const request of requests(messages)) {
      try {
        this.taken.push(...(await this.#options.request(request)));
      } catch (error) {
        if (!(error instanceof KafkaUnavailable || isRefusal(error))) throw error;
        await this.#byPartition(await this.#partitions(request, error));
      }
    }
  }

  /** @throws the error if no broker names the partitions, or if there is no other partition that might work */
  async #partitions({ messages }: SendRequest, error: unknown): Promise<PartitionMessages[]> {
    const { topic, faults, lookUp } = this.#options;
    try {
      await lookUp();
    } catch {
      throw error;
    }
    const groups = faults.group(topic, messages);
    if (groups.length === 1 && !faults.isAnyWell) throw error;
    return groups;
  }

  /** Sends to partitions concurrently. One that fails is left alone for a while. */
  async #byPartition(groups: readonly PartitionMessages[]): Promise<void> {
    const { faults, lookUp } = this.#options;
    if (groups.some(({ partition }) => !faults.isLed(partition))) await lookUp().catch(() => undefined);
    await Promise.all(groups.map((group) => this.#partition(group)));
  }

  async #partition({ partition, messages }: PartitionMessages): Promise<void> {
    const { topic, faults } = this.#options;
    try {
      if (!faults.isLed(partition)) throw new KafkaUnavailable(`partition ${partition} of ${topic} has no leader`);
      for (const request of requests(messages)) await this.#request(request, partition);
      faults.worked(partition);
    } catch (error) {
      if (!(error instanceof KafkaUnavailable)) throw error;
      faults.failed(partition, error);
      for (const message of messages) this.notTaken.set(message, error);
    }
  }

  /** A broker takes all messages of a request for one partition, or none. */
  async #request(request: SendRequest, partition: number): Promise<void> {
    const marked = request.messages.map((message) => ({ ...message, partition }));
    try {
      this.taken.push(...(await this.#options.request({ ...request, messages: marked })));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#halve(request, error as Error, partition);
    }
  }

  /** Halves a refused request until the faulty message is found, or the requests are small enough. */
  async #halve({ messages }: SendRequest, error: Error, partition: number): Promise<void> {
    const [only] = messages;
    if (only !== undefined && messages.length === 1) {
      this.notTaken.set(only, new MessageRefused(`Kafka refuses the message: ${error.message}`, { cause: error }));
      return;
    }
    const middle = Math.ceil(messages.length / 2);
    for (const half of [messages.slice(0, middle), messages.slice(middle)]) {
      for (const request of requests(half)) await this.#request(request, partition);
    }
  }
}

function* requests(messages: readonly Message[]): Generator<SendRequest> {
  let request: SendRequest = { messages: [], bytes: 0 };
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

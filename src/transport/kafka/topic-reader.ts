import { type Broker, type Cluster, type Consumer, type Kafka, PartitionAssigners } from 'kafkajs';
import { createKafka, type KafkaSettings } from './client.ts';
import { isWithoutCoordinator, KafkaUnavailable, missingPermission } from './errors.ts';
import { brokerFault } from './fetch-response.ts';
import type { FetchedMessage } from './fetched-message.ts';

/** The offsets of one partition that can be read: from `low` up to but not including `high`. */
export interface ReadableOffsets {
  readonly partition: number;
  readonly low: bigint;
  readonly high: bigint;
}

const FETCH_WAIT_MS = 100;
const BYTES_A_FETCH = 1024 * 1024;

/** A broker that throttles a client by its quota answers without messages. So many such answers in a row are an error. */
const EMPTY_FETCHES = 20;

/** Part of kafkajs's broker that its types do not name. */
interface CoordinatorBroker {
  findGroupCoordinator(group: { groupId: string; coordinatorType: 0 }): Promise<unknown>;
}

/**
 * Reads a topic from any offset without a consumer group: joining one takes seconds and would leave a group behind for
 * every look at the dead letters. kafkajs has no call for that. But it passes its cluster, which can fetch, to the
 * partition assigner of a consumer; this consumer never runs.
 */
export class TopicReader {
  readonly #topic: string;
  readonly #consumer: Consumer;
  readonly #cluster: Cluster;
  #connected: Promise<void> | undefined;

  /** @param readUncommitted a partition ends after its last message, even if an open transaction holds it back */
  constructor(kafka: Kafka, topic: string, { readUncommitted = false } = {}) {
    this.#topic = topic;
    let cluster: Cluster | undefined;
    this.#consumer = kafka.consumer({
      groupId: 'recency',
      allowAutoTopicCreation: false,
      readUncommitted,
      partitionAssigners: [
        (config) => {
          cluster = config.cluster;
          return PartitionAssigners.roundRobin(config);
        },
      ],
    });
    if (cluster === undefined) {
      throw new Error('kafkajs passes no cluster to its assigner: it must be the version in the lock file');
    }
    this.#cluster = cluster;
  }

  /** Every partition, ordered by number, including partitions added in the meantime. @param mine only these partitions */
  async offsets(mine?: ReadonlySet<number>): Promise<ReadableOffsets[]> {
    await this.#connect();
    await this.#cluster.refreshMetadata();
    const partitions = this.#cluster
      .findTopicPartitionMetadata(this.#topic)
      .filter(({ partitionId }) => mine?.has(partitionId) ?? true)
      .map(({ partitionId }) => ({ partition: partitionId }));
    const [low, high] = [await this.#ends(partitions, true), await this.#ends(partitions, false)];
    return partitions
      .map(({ partition }) => ({ partition, low: this.#known(partition, low), high: this.#known(partition, high) }))
      .sort((a, b) => a.partition - b.partition);
  }

  /** kafkajs leaves out a partition that the topic has lost meanwhile. @throws KafkaUnavailable */
  #known(partition: number, offsets: ReadonlyMap<number, bigint>): bigint {
    const offset = offsets.get(partition);
    if (offset !== undefined) return offset;
    throw new KafkaUnavailable(`no broker says where partition ${partition} of ${this.#topic} begins and ends`);
  }

  /**
   * Messages from offset `low` on, oldest first, at most `limit`; `low` must be readable.
   * @throws KafkaUnavailable while the broker cannot read the partition, what kafkajs throws
   */
  async *read({ partition, low, high }: ReadableOffsets, limit: number): AsyncGenerator<FetchedMessage> {
    await this.#connect();
    let left = limit;
    for (let from = low, empty = 0; from < high && left > 0; ) {
      const fetched = await this.#fetch(partition, from, limit === 1 ? 1 : BYTES_A_FETCH);
      const last = fetched.at(-1);
      if (last === undefined && ++empty < EMPTY_FETCHES) continue;
      if (last === undefined) {
        throw new KafkaUnavailable(
          `the broker sends nothing of partition ${partition} of ${this.#topic} from ${from} on`,
        );
      }
      empty = 0;
      for (const message of fetched) {
        // A compressed batch arrives whole, including messages before the requested offset.
        if (BigInt(message.offset) < from || message.isControlRecord || message.isPlaceholder) continue;
        yield message;
        if (--left === 0) return;
      }
      from = BigInt(last.offset) + 1n;
    }
  }

  /**
   * Asks a broker for the coordinator of a group, with a single request: kafkajs's own search hides why it found none (for
   * example, because the group may not be described).
   * @throws what the broker answered
   */
  async findCoordinator(groupId: string): Promise<void> {
    await this.#connect();
    const broker = (await this.#cluster.findControllerBroker()) as Broker & CoordinatorBroker;
    await broker.findGroupCoordinator({ groupId, coordinatorType: 0 });
  }

  async close(): Promise<void> {
    this.#connected = undefined;
    await this.#consumer.disconnect();
  }

  #connect(): Promise<void> {
    this.#connected ??= this.#consumer.connect().then(() => this.#cluster.addMultipleTargetTopics([this.#topic]));
    return this.#connected;
  }

  async #ends(partitions: { partition: number }[], fromBeginning: boolean): Promise<Map<number, bigint>> {
    const [found] = await this.#cluster.fetchTopicsOffset([{ topic: this.#topic, partitions, fromBeginning }]);
    return new Map(found?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  }

  /** @param maxBytes does not limit the first batch of messages */
  async #fetch(partition: number, from: bigint, maxBytes: number): Promise<FetchedMessage[]> {
    const [leader] = Object.keys(this.#cluster.findLeaderForPartitions(this.#topic, [partition]));
    const broker = await this.#cluster.findBroker({ nodeId: String(leader) });
    const partitions = [{ partition, fetchOffset: from.toString(), maxBytes }];
    const { responses } = (await broker.fetch({
      maxWaitTime: FETCH_WAIT_MS,
      maxBytes,
      topics: [{ topic: this.#topic, partitions }],
    })) as FetchResponse;
    const errorCode = brokerFault(this.#topic, partition);
    if (errorCode !== undefined) {
      throw new KafkaUnavailable(`the broker cannot read partition ${partition} of ${this.#topic}: error ${errorCode}`);
    }
    return responses[0]?.partitions[0]?.messages ?? [];
  }
}

interface FetchResponse {
  readonly responses: readonly { readonly partitions: readonly { readonly messages: FetchedMessage[] }[] }[];
}

/** Why a question about a group failed. kafkajs looks for the group's coordinator and does not say why it found none. */

/** Whom the question was about. */
interface AskedGroup {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly group: string;
}

/** The permission that is missing, where that is why kafkajs found no coordinator; otherwise the fault itself. */
export async function explainedFault(fault: unknown, { kafka, topic, group }: AskedGroup): Promise<unknown> {
  if (!isWithoutCoordinator(fault)) return fault;
  const reader = new TopicReader(createKafka(kafka), topic);
  const reason = await reader.findCoordinator(group).catch((error: unknown) => error);
  await reader.close().catch(() => undefined); // only the reason counts
  return missingPermission(reason, 'DESCRIBE', { topic, group }) ?? fault;
}

/** Waits for a question about the group. @throws KafkaPermissionMissing if it may not be asked; otherwise its own error */
export async function permittedOnGroup<T>(question: Promise<T>, asked: AskedGroup): Promise<T> {
  try {
    return await question;
  } catch (error) {
    throw missingPermission(error, 'DESCRIBE', asked) ?? (await explainedFault(error, asked));
  }
}

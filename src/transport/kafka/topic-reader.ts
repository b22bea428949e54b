import { type Cluster, type Consumer, type Kafka, PartitionAssigners } from 'kafkajs';
import { KafkaUnavailable } from './errors.ts';
import { brokerFault } from './fetch-response.ts';
import type { FetchedMessage } from './record-batches.ts';

/** The offsets of one partition that can be read: from `low` to before `high`. */
export interface ReadableOffsets {
  readonly partition: number;
  readonly low: bigint;
  readonly high: bigint;
}

const FETCH_WAIT_MS = 100;
const BYTES_A_FETCH = 1024 * 1024;

/**
 * Reads a topic from any offset, without a consumer group: joining one takes seconds, and would leave a group behind
 * for every look at the dead letters. kafkajs has no call for that. But it hands its cluster, which can fetch, to the
 * assigner of a consumer's partitions; this consumer never runs.
 */
export class TopicReader {
  readonly #topic: string;
  readonly #consumer: Consumer;
  readonly #cluster: Cluster;
  #connected: Promise<void> | undefined;

  /** @param readUncommitted then a partition ends where its last message does, even behind a transaction that is open */
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
    if (cluster === undefined)
      throw new Error('kafkajs handed over no cluster: it must be the version in the lock file');
    this.#cluster = cluster;
  }

  /** Every partition, by number, also those that were added meanwhile. @param mine only these */
  async offsets(mine?: ReadonlySet<number>): Promise<ReadableOffsets[]> {
    await this.#connect();
    await this.#cluster.refreshMetadata();
    const partitions = this.#cluster
      .findTopicPartitionMetadata(this.#topic)
      .filter(({ partitionId }) => mine?.has(partitionId) ?? true)
      .map(({ partitionId }) => ({ partition: partitionId }));
    const [low, high] = [await this.#ends(partitions, true), await this.#ends(partitions, false)];
    return partitions
      .map(({ partition }) => ({ partition, low: low.get(partition) ?? 0n, high: high.get(partition) ?? 0n }))
      .sort((a, b) => a.partition - b.partition);
  }

  /**
   * Messages from an offset on, oldest first, at most `limit`; the offset must be a readable one.
   * @throws KafkaUnavailable while the broker cannot read the partition, what kafkajs throws
   */
  async *read({ partition, low, high }: ReadableOffsets, limit: number): AsyncGenerator<FetchedMessage> {
    await this.#connect();
    let left = limit;
    for (let from = low; from < high && left > 0; ) {
      const fetched = await this.#fetch(partition, from, limit === 1 ? 1 : BYTES_A_FETCH);
      const last = fetched.at(-1);
      if (last === undefined) return;
      for (const message of fetched) {
        // A compressed batch comes as a whole, also what is before the offset asked for.
        if (BigInt(message.offset) < from || message.isControlRecord) continue;
        yield message;
        if (--left === 0) return;
      }
      from = BigInt(last.offset) + 1n;
    }
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

  /** @param maxBytes the first batch of messages comes however large it is */
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

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { isElecting } from './errors.ts';
import { allowingLeaderless } from './metadata-response.ts';
import { TopicReader } from './topic-reader.ts';
import { deadLetterTopicConfig, ensureTopics, taskTopic } from './topics.ts';

/** Where a consumer group stands in one partition. */
export interface PartitionOffsets {
  readonly partition: number;
  /** The next offset to consume; undefined: the group has committed none. */
  readonly committed: bigint | undefined;
  /** The oldest offset that is still there. */
  readonly low: bigint;
  /** Up to before this one there are messages to be had; behind it, a transaction that is open holds them back, if any. */
  readonly high: bigint;
}

/** The offset to begin at. Whatever is still there is delivered: a task too many does no harm. */
export function startOf({ committed, low, high }: PartitionOffsets): bigint {
  return committed !== undefined && low <= committed && committed <= high ? committed : low;
}

/** Questions to the brokers about one topic and one group. Connects when first asked, and anew after an error. */
export class TopicAdmin {
  readonly #kafka: Kafka;
  readonly #topic: string;
  #admin: Promise<Admin> | undefined;
  #ends: TopicReader | undefined;

  constructor(kafka: Kafka, topic: string) {
    this.#kafka = kafka;
    this.#topic = topic;
  }

  /** Creates the topic of the tasks and that of the dead letters, where they are missing. */
  ensureTopics(partitions: number): Promise<void> {
    const topics = [taskTopic(this.#topic, partitions), deadLetterTopicConfig(this.#topic)];
    return allowingLeaderless(() => this.#ask((admin) => ensureTopics(admin, topics)));
  }

  /** Every partition of the topic, by number. */
  offsets(group: string): Promise<PartitionOffsets[]> {
    return this.#ask(async (admin) => {
      // Committed ones first: read the other way round, a group that goes on meanwhile would stand past the end.
      const committed = await onceSettled(() => admin.fetchOffsets({ groupId: group, topics: [this.#topic] }));
      const byPartition = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      const ends = await onceSettled(() => admin.fetchTopicOffsets(this.#topic));
      return ends
        .map(({ partition, low, high }) => {
          const offset = byPartition.get(partition) ?? -1n;
          return { partition, committed: offset < 0n ? undefined : offset, low: BigInt(low), high: BigInt(high) };
        })
        .sort((a, b) => a.partition - b.partition);
    });
  }

  /**
   * By partition, the offset that the next message will get: also those count that a transaction holds back.
   * @param mine those to ask for; the others may have no leader. Left out: all of them
   */
  async ends(mine?: ReadonlySet<number>): Promise<ReadonlyMap<number, bigint>> {
    // kafkajs's admin asks for what is committed, always.
    this.#ends ??= new TopicReader(this.#kafka, this.#topic, { readUncommitted: true });
    const reader = this.#ends;
    try {
      const found = await allowingLeaderless(() => reader.offsets(mine));
      return new Map(found.map(({ partition, high }) => [partition, high]));
    } catch (error) {
      if (this.#ends === reader) this.#ends = undefined;
      await reader.close().catch(() => undefined);
      throw error;
    }
  }

  /** Messages that the group has not committed, also those that a transaction holds back. */
  async lag(group: string): Promise<number> {
    const [all, ends] = [await this.offsets(group), await this.ends()];
    const behind = (one: PartitionOffsets) => Number((ends.get(one.partition) ?? one.high) - startOf(one));
    return all.reduce((sum, one) => sum + behind(one), 0);
  }

  /** Do the brokers answer, and know the topic? Its partitions may have no leaders. @throws what kafkajs throws */
  answers(): Promise<void> {
    const answer = async (admin: Admin) => void (await admin.fetchTopicMetadata({ topics: [this.#topic] }));
    return allowingLeaderless(() => this.#ask(answer));
  }

  async close(): Promise<void> {
    const [admin, ends] = [this.#admin, this.#ends];
    [this.#admin, this.#ends] = [undefined, undefined];
    await Promise.all([admin && disconnected(admin), ends?.close().catch(() => undefined)]);
  }

  async #ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    this.#admin ??= this.#connect();
    const admin = this.#admin;
    try {
      return await question(await admin);
    } catch (error) {
      if (this.#admin === admin) this.#admin = undefined;
      await disconnected(admin);
      throw error;
    }
  }

  async #connect(): Promise<Admin> {
    const admin = this.#kafka.admin();
    // It asks for all topics of the cluster: partitions without leaders, of whichever, are not what it connects for.
    await allowingLeaderless(() => admin.connect());
    return admin;
  }
}

const ELECTION_PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200];

/** Asks again, for some seconds, while a coordinator or a leader is being chosen. */
async function onceSettled<T>(question: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await question();
    } catch (error) {
      const wait = ELECTION_PAUSES_MS[tries];
      if (wait === undefined || !isElecting(error)) throw error;
      await pause(wait);
    }
  }
}

/** What goes wrong while hanging up is of no use to anybody. */
async function disconnected(admin: Promise<Admin>): Promise<void> {
  await admin.then((connected) => connected.disconnect()).catch(() => undefined);
}

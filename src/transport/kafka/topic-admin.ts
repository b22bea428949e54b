import type { Admin, ITopicConfig, Kafka } from 'kafkajs';
import { pause, retry } from '../../timing/loop.ts';
import { isElecting, isPassing } from './errors.ts';
import { allowingLeaderless } from './kafkajs-patches.ts';
import { isFormerMember, markOf } from './marks.ts';
import { SharedClient } from './shared-client.ts';
import { TopicReader } from './topic-reader.ts';

/** Also the maximum number of members of a consumer group that get work. A user's tasks are all in one partition. */
export const DEFAULT_PARTITIONS = 6;

/** The segments of a large audience are spread over these: so many that a few workers get shares of about the same size. */
export const BULK_PARTITIONS = 24;

export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export function taskTopic(topic: string, partitions = DEFAULT_PARTITIONS): ITopicConfig {
  return { topic, numPartitions: partitions };
}

const DEAD_LETTERS_KEPT_MS = 30 * 24 * 3600 * 1000;

/** A dead letter holds its task and what went wrong, so it is larger than the largest task. */
const LARGEST_DEAD_LETTER = 4 * 1024 * 1024;

/** One partition, so that dead letters have one order. They are kept longer than tasks because people handle them. */
export function deadLetterTopicConfig(topic: string): ITopicConfig {
  return {
    topic: deadLetterTopic(topic),
    numPartitions: 1,
    configEntries: [
      { name: 'retention.ms', value: String(DEAD_LETTERS_KEPT_MS) },
      { name: 'max.message.bytes', value: String(LARGEST_DEAD_LETTER) },
    ],
  };
}

/**
 * Creates the topics that are missing, with the brokers' default replication factor. Existing ones stay as they are, so where
 * an operator has created them no permission to create topics is needed.
 */
export async function ensureTopics(admin: Admin, topics: readonly ITopicConfig[]): Promise<void> {
  const present = new Set(await admin.listTopics());
  const missing = topics.filter(({ topic }) => !present.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({ topics: missing, waitForLeaders: false });
  const names = missing.map(({ topic }) => topic);
  await untilLed(admin, names);
}

const LEADER_CHECKS = 50;
const BETWEEN_CHECKS_MS = 100;

/**
 * Waits until all partitions take messages. The controller answers before all brokers know the topic, and a leader is named
 * before it takes messages: what is sent then is refused by some partitions and sent again to all. kafkajs can wait for
 * leaders (`waitForLeaders`), but fails in exactly this state.
 */
async function untilLed(admin: Admin, names: string[]): Promise<void> {
  for (let checks = 1; ; checks++) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: names });
      if (topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) {
        await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)));
        return;
      }
    } catch (error) {
      if (checks === LEADER_CHECKS || !isPassing(error)) throw error;
    }
    if (checks === LEADER_CHECKS) throw leaderless(names);
    await pause(BETWEEN_CHECKS_MS);
  }
}

/** As kafkajs says it of one topic: it passes, perhaps once somebody has started a broker. */
function leaderless(names: readonly string[]): Error {
  const error = new Error(`some partitions of ${names.join(', ')}, which were created, have no leader yet`);
  return Object.assign(error, { type: 'LEADER_NOT_AVAILABLE', retriable: true });
}

/** The position of a consumer group in one partition. */
export interface PartitionOffsets {
  readonly partition: number;
  /** The next offset to consume; undefined when the group has committed none. */
  readonly committed: bigint | undefined;
  /** Somebody else has set it: it does not carry our mark (marks.ts). */
  readonly isForeign?: true;
  /** The oldest offset that still exists. */
  readonly low: bigint;
  /** The end of the readable messages, exclusive. An open transaction may hold back messages behind it. */
  readonly high: bigint;
}

/** The offset to begin at. When in doubt, everything that still exists is delivered: an extra task does no harm. */
export function startOf({ committed, low, high }: PartitionOffsets): bigint {
  return committed !== undefined && low <= committed && committed <= high ? committed : low;
}

/** Asks the brokers about one topic and its groups, and creates it. Connects on first use, and again after an error. */
export class TopicAdmin {
  readonly #topic: string;
  readonly #hasDeadLetters: boolean;
  readonly #admin: SharedClient<Admin>;
  /** kafkajs's admin client always asks for the end of committed messages. */
  readonly #ends: SharedClient<TopicReader>;
  /** The most partitions that were seen. */
  #partitions = 0;

  /** @param hasDeadLetters does the topic have one of its own for dead letters? */
  constructor(kafka: Kafka, topic: string, hasDeadLetters = true) {
    this.#topic = topic;
    this.#hasDeadLetters = hasDeadLetters;
    this.#admin = new SharedClient(
      () => connectedAdmin(kafka),
      (admin) => admin.disconnect(),
    );
    this.#ends = new SharedClient(
      async () => new TopicReader(kafka, topic, { readUncommitted: true }),
      (reader) => reader.close(),
    );
  }

  /** Resolves if the brokers answer, whatever topics there are. @throws what kafkajs throws */
  reach(): Promise<void> {
    return allowingLeaderless(() => this.#admin.ask(async (admin) => void (await admin.listTopics())));
  }

  /** Creates the topics of the tasks and of the dead letters unless they exist. */
  ensureTopics(partitions: number): Promise<void> {
    const deadLetters = this.#hasDeadLetters ? [deadLetterTopicConfig(this.#topic)] : [];
    const topics = [taskTopic(this.#topic, partitions), ...deadLetters];
    return allowingLeaderless(() => this.#admin.ask((admin) => ensureTopics(admin, topics)));
  }

  /**
   * The group's position in every partition of the topic, ordered by partition.
   * @param partitions there are at least so many
   */
  async offsets(group: string, partitions = this.#partitions): Promise<PartitionOffsets[]> {
    const found = await this.#offsets(group);
    if (found.length >= partitions) return found;
    await this.#admin.renew(); // kafkajs learns of partitions that were added minutes later
    return await this.#offsets(group);
  }

  #offsets(group: string): Promise<PartitionOffsets[]> {
    return this.#admin.ask(async (admin) => {
      // Committed offsets first: otherwise a group that makes progress in between appears to be past the end.
      const committed = await whileElecting(() => admin.fetchOffsets({ groupId: group, topics: [this.#topic] }));
      const byPartition = new Map(committed[0]?.partitions.map((one) => [one.partition, one]));
      const ends = await whileElecting(() => admin.fetchTopicOffsets(this.#topic));
      return ends
        .map(({ partition, low, high }) => {
          const { offset = '-1', metadata = null } = byPartition.get(partition) ?? {};
          const committed = BigInt(offset) < 0n ? undefined : BigInt(offset);
          const isForeign = committed !== undefined && metadata !== markOf(committed);
          const ends = { low: BigInt(low), high: BigInt(high) };
          return { partition, committed, ...ends, ...(isForeign ? { isForeign } : {}) };
        })
        .sort((a, b) => a.partition - b.partition);
    });
  }

  /**
   * The end of each partition's log: the offset that the next message will get, including what a transaction holds back.
   * @param mine the partitions to ask for; the others may have no leader. Default: all
   */
  async ends(mine?: ReadonlySet<number>): Promise<ReadonlyMap<number, bigint>> {
    const found = await allowingLeaderless(() => this.#ends.ask((reader) => reader.offsets(mine)));
    this.#partitions = Math.max(this.#partitions, found.length);
    return new Map(found.map(({ partition, high }) => [partition, high]));
  }

  /** The number of messages that the group has not committed, including what a transaction holds back. */
  async lag(group: string): Promise<number> {
    const [all, ends] = [await this.offsets(group), await this.ends()];
    const behind = (one: PartitionOffsets) => Number((ends.get(one.partition) ?? one.high) - startOf(one));
    return all.reduce((sum, one) => sum + behind(one), 0);
  }

  /** The number of members of the group. */
  members(group: string): Promise<number> {
    return this.#admin.ask(async (admin) => (await admin.describeGroups([group])).groups[0]?.members?.length ?? 0);
  }

  /** Is a member of a former version in the group, which marks nothing? @throws an error while the group is rebalancing */
  hasFormerMembers(group: string): Promise<boolean> {
    return this.#admin.ask(async (admin) => {
      const { groups } = await admin.describeGroups([group]);
      const { state, members = [] } = groups[0] ?? {};
      if (state !== 'Stable' && state !== 'Empty') throw new Error(`the group ${group} is rebalancing`);
      return members.some(isFormerMember);
    });
  }

  /** Resolves if the brokers answer and know the topic, even if partitions have no leader. @throws what kafkajs throws */
  answers(): Promise<void> {
    const answer = async (admin: Admin) => void (await admin.fetchTopicMetadata({ topics: [this.#topic] }));
    return allowingLeaderless(() => this.#admin.ask(answer));
  }

  async close(): Promise<void> {
    await Promise.all([this.#admin.close(), this.#ends.close()]);
  }
}

async function connectedAdmin(kafka: Kafka): Promise<Admin> {
  const admin = kafka.admin();
  // Connecting asks about all topics of the cluster; a partition without a leader in any of them must not fail it.
  await allowingLeaderless(() => admin.connect());
  return admin;
}

const ELECTION_PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200];

/** Retries for some seconds while a group's coordinator or a partition's leader is being elected. */
function whileElecting<T>(question: () => Promise<T>): Promise<T> {
  const onFailure = (error: unknown, failures: number) => {
    const waitMs = ELECTION_PAUSES_MS[failures - 1];
    if (waitMs === undefined || !isElecting(error)) throw error;
    return waitMs;
  };
  return retry(question, { onFailure });
}

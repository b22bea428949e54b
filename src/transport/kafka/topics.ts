import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, ITopicConfig } from 'kafkajs';
import { isPassing } from './errors.ts';

/** Tasks of one user keep to one partition, and a consumer group has at most as many working members. */
export const DEFAULT_PARTITIONS = 6;

export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

export function taskTopic(topic: string, partitions = DEFAULT_PARTITIONS): ITopicConfig {
  return { topic, numPartitions: partitions };
}

const DEAD_LETTERS_KEPT_MS = 30 * 24 * 3600 * 1000;

/** A letter is its task and what went wrong with it: larger than the largest message of the tasks. */
const LARGEST_DEAD_LETTER = 4 * 1024 * 1024;

/** One partition, so that dead letters have one order; kept longer than tasks, for people are slower. */
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
 * Creates those that are missing, with the brokers' own replication factor; the others are left as they are. So it
 * needs no permission to create where an operator made them.
 */
export async function ensureTopics(admin: Admin, topics: readonly ITopicConfig[]): Promise<void> {
  const present = new Set(await admin.listTopics());
  const missing = topics.filter(({ topic }) => !present.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({ topics: missing, waitForLeaders: false });
  await untilLed(
    admin,
    missing.map(({ topic }) => topic),
  );
}

const LOOKS = 50;
const BETWEEN_LOOKS_MS = 100;

/**
 * A controller answers before all brokers have heard of the topic, and a leader is named before it takes messages: what
 * is sent then is refused by some partitions, and sent again to all. kafkajs can wait, and fails just then.
 */
async function untilLed(admin: Admin, names: string[]): Promise<void> {
  for (let looks = 1; ; looks++) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: names });
      if (topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) {
        await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)));
        return;
      }
    } catch (error) {
      if (looks === LOOKS || !isPassing(error)) throw error;
    }
    if (looks === LOOKS) throw new Error(`Kafka created ${names}, and some partitions have no leader yet`);
    await sleep(BETWEEN_LOOKS_MS);
  }
}

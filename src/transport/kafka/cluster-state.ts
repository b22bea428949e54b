import type { Admin, Kafka } from 'kafkajs';
import { isPassing } from './errors.ts';
import { allowingLeaderless } from './kafkajs-patches.ts';
import { deadLetterTopic, TopicAdmin } from './topic-admin.ts';

/** A partition as the brokers keep it. */
export interface PartitionState {
  readonly partition: number;
  /** Undefined: no broker leads it just now. */
  readonly leader: number | undefined;
  readonly replicas: number;
  readonly inSync: number;
}

export interface TopicState {
  readonly topic: string;
  readonly partitions: readonly PartitionState[];
  /** By name, as the brokers have them in force; undefined: this user may not ask. */
  readonly settings: ReadonlyMap<string, string> | undefined;
}

/** What waits behind a transaction that is open. */
export interface HeldBack {
  readonly partition: number;
  /** The first offset of the transaction. */
  readonly from: bigint;
  readonly messages: number;
}

/** What the brokers say of the topics and of the group, in plain terms. */
export interface ClusterState {
  readonly brokers: number;
  /** That of the tasks, and that of the dead letters. */
  readonly topics: readonly [tasks: TopicState, deadLetters: TopicState];
  /** Consumers in the group. */
  readonly members: number;
  /** Tasks that the group has not committed; undefined: it cannot be told now, as while a partition has no leader. */
  readonly lag: number | undefined;
  /** Undefined: it cannot be told now. */
  readonly heldBack: readonly HeldBack[] | undefined;
}

/** @throws what kafkajs throws */
export function readClusterState(kafka: Kafka, topic: string, group: string): Promise<ClusterState> {
  return allowingLeaderless(() => readState(kafka, topic, group));
}

async function readState(kafka: Kafka, topic: string, group: string): Promise<ClusterState> {
  const [admin, offsets] = [kafka.admin(), new TopicAdmin(kafka, topic)];
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const { groups } = await admin.describeGroups([group]);
    return {
      brokers: brokers.length,
      topics: [await topicState(admin, topic), await topicState(admin, deadLetterTopic(topic))],
      members: groups[0]?.members.length ?? 0,
      lag: await ifKnown(offsets.lag(group)),
      heldBack: await ifKnown(heldBack(offsets, group)),
    };
  } finally {
    await Promise.all([admin.disconnect(), offsets.close()]);
  }
}

async function topicState(admin: Admin, topic: string): Promise<TopicState> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const partitions = (topics[0]?.partitions ?? []).map(({ partitionId, leader, replicas, isr }) => ({
    partition: partitionId,
    leader: leader < 0 ? undefined : leader,
    replicas: replicas.length,
    inSync: isr.length,
  }));
  return { topic, partitions, settings: await settingsOf(admin, topic) };
}

/** As `ConfigResourceTypes` has it, which Node does not find by name in kafkajs. */
const TOPIC = 2;

async function settingsOf(admin: Admin, name: string): Promise<TopicState['settings']> {
  try {
    const { resources } = await admin.describeConfigs({ resources: [{ type: TOPIC, name }], includeSynonyms: false });
    return new Map(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]));
  } catch (error) {
    if ((error as { type?: string }).type === 'TOPIC_AUTHORIZATION_FAILED') return undefined;
    throw error;
  }
}

async function ifKnown<T>(question: Promise<T>): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}

async function heldBack(admin: TopicAdmin, group: string): Promise<HeldBack[]> {
  // The ends first: what is written between the two questions would look like held back.
  const ends = await admin.ends();
  const all = await admin.offsets(group);
  return all
    .map(({ partition, high }) => ({ partition, from: high, messages: Number((ends.get(partition) ?? high) - high) }))
    .filter(({ messages }) => messages > 0);
}

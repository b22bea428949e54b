import type { Admin, Kafka } from 'kafkajs';
import { isPassing } from './errors.ts';
import { allowingLeaderless } from './kafkajs-patches.ts';
import { deadLetterTopic, TopicAdmin } from './topic-admin.ts';

/** A partition as the brokers keep it. */
export interface PartitionState {
  readonly partition: number;
  /** Undefined while no broker leads it. */
  readonly leader: number | undefined;
  readonly replicas: number;
  readonly inSync: number;
}

export interface TopicState {
  readonly topic: string;
  readonly partitions: readonly PartitionState[];
  /** The effective settings by name; undefined if this user may not read them. */
  readonly settings: ReadonlyMap<string, string> | undefined;
}

/** Messages that wait behind an open transaction. */
interface HeldBack {
  readonly partition: number;
  /** The first offset of the transaction. */
  readonly from: bigint;
  readonly messages: number;
}

/** What consumers take from: a topic, and their group. */
export interface KafkaLane {
  readonly topic: string;
  readonly group: string;
}

/** The state of a lane. */
export interface LaneState {
  readonly group: string;
  readonly tasks: TopicState;
  /** Number of consumers in the group. */
  readonly members: number;
  /** Number of tasks that the group has not committed; undefined if unknown, for example while a partition has no leader. */
  readonly lag: number | undefined;
  /** Undefined if unknown. */
  readonly heldBack: readonly HeldBack[] | undefined;
}

/** The state of the topics and groups, as the brokers report it. */
export interface ClusterState {
  readonly brokers: number;
  readonly lanes: readonly LaneState[];
  readonly deadLetters: TopicState;
}

/** @param lanes the dead letters are those of the first one @throws what kafkajs throws */
export function readClusterState(kafka: Kafka, lanes: readonly [KafkaLane, ...KafkaLane[]]): Promise<ClusterState> {
  return allowingLeaderless(() => readState(kafka, lanes));
}

async function readState(kafka: Kafka, lanes: readonly [KafkaLane, ...KafkaLane[]]): Promise<ClusterState> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const states: LaneState[] = [];
    for (const lane of lanes) states.push(await laneState(kafka, admin, lane));
    const deadLetters = await topicState(admin, deadLetterTopic(lanes[0].topic));
    return { brokers: brokers.length, lanes: states, deadLetters };
  } finally {
    await admin.disconnect();
  }
}

async function laneState(kafka: Kafka, admin: Admin, { topic, group }: KafkaLane): Promise<LaneState> {
  const offsets = new TopicAdmin(kafka, topic);
  try {
    const { groups } = await admin.describeGroups([group]);
    return {
      group,
      tasks: await topicState(admin, topic),
      members: groups[0]?.members.length ?? 0,
      lag: await ifKnown(offsets.lag(group)),
      heldBack: await ifKnown(heldBack(offsets, group)),
    };
  } finally {
    await offsets.close();
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

/** `ConfigResourceTypes.TOPIC`, which Node cannot import from kafkajs by name. */
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
  // Read the ends first: otherwise messages written between the two requests would look held back.
  const ends = await admin.ends();
  const all = await admin.offsets(group);
  return all
    .map(({ partition, high }) => ({ partition, from: high, messages: Number((ends.get(partition) ?? high) - high) }))
    .filter(({ messages }) => messages > 0);
}

/** Debezium's topics: which there are, how far a group has read them, and whether what it has not read is still there. */
import type { Admin, Batch, Consumer, Kafka } from 'kafkajs';
import { fetchedIn } from '../../transport/kafka/fetched-message.ts';
import { gapsIn, lossOfGaps } from '../../transport/kafka/losses.ts';
import { CaptureGap, type Echo } from '../change-source.ts';
import type { TableName } from '../mapping.ts';
import { ConnectorMistake } from './messages.ts';

/** ConfigResourceTypes.TOPIC, which kafkajs does not export to ES modules. */
const TOPIC = 2;

/** `prefix.schema.table`, as Debezium names it: characters that a topic cannot have are underscores. */
export function topicOf(prefix: string, { schema, table }: TableName): string {
  return `${prefix}.${schema}.${table}`.replaceAll(/[^a-zA-Z0-9._-]/g, '_');
}

/** Statements that change tables come in the topic that is called like the prefix (include.schema.changes). */
export function statementsTopic(prefix: string): string {
  return prefix;
}

/** @throws ConnectorMistake naming every topic that is missing, or that Kafka may thin out */
export async function checkTopics(admin: Admin, prefix: string, tables: readonly TableName[]): Promise<void> {
  const present = new Set(await admin.listTopics());
  const lines = tables.flatMap((table) => {
    const topic = topicOf(prefix, table);
    if (present.has(topic)) return [];
    return [
      `- there is no topic ${topic} for the table ${table.schema}.${table.table} of the mapping. Correct RECENCY_CAPTURE_TOPIC_PREFIX (topic.prefix of the connector) or add the table to its table.include.list; for a table that has never had a row, create the topic.`,
    ];
  });
  if (!present.has(statementsTopic(prefix))) {
    lines.push(
      `- there is no topic ${statementsTopic(prefix)}, where Debezium tells of ALTER and TRUNCATE. Set include.schema.changes=true in the connector.`,
    );
  }
  const topics = [...tables.map((table) => topicOf(prefix, table)), statementsTopic(prefix)];
  const compacted = await findCompacted(
    admin,
    topics.filter((topic) => present.has(topic)),
  );
  lines.push(
    ...compacted.map(
      (topic) =>
        `- the topic ${topic} is compacted, so changes in it are lost when newer ones come. Set its cleanup.policy to delete.`,
    ),
  );
  if (lines.length > 0)
    throw new ConnectorMistake(`Changes cannot be captured from these topics:\n${lines.join('\n')}`);
}

async function findCompacted(admin: Admin, topics: readonly string[]): Promise<string[]> {
  if (topics.length === 0) return [];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({
      type: TOPIC,
      name,
      configNames: ['cleanup.policy'],
    })),
  });
  return resources.flatMap(({ resourceName, configEntries }) =>
    configEntries.some(({ configValue }) => configValue?.includes('compact')) ? [resourceName] : [],
  );
}

/** By topic and partition, the offset that comes next. */
export class Offsets {
  readonly #next = new Map<string, bigint>();

  get(topic: string, partition: number): bigint | undefined {
    return this.#next.get(`${partition} ${topic}`);
  }

  set(topic: string, partition: number, next: bigint): void {
    this.#next.set(`${partition} ${topic}`, next);
  }

  /** Whether everything before these offsets comes before this as well. */
  hasReached(ends: Offsets): boolean {
    return [...ends.#next].every(([key, end]) => (this.#next.get(key) ?? 0n) >= end);
  }
}

export async function readEnds(admin: Admin, topics: readonly string[]): Promise<Offsets> {
  const ends = new Offsets();
  for (const topic of topics) {
    for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends.set(topic, partition, BigInt(high));
  }
  return ends;
}

const MARK = /^write (\d+)$/;

/** What is committed with an offset: the number of the last write of capture's own row that was read before it. */
export const markOf = (lastWrite: number | undefined): string | undefined =>
  lastWrite === undefined ? undefined : `write ${lastWrite}`;

/**
 * Lets the group go on at the present ends of the topics. A member commits them for all at once: kafkajs's `setOffsets` has one join
 * the group for each topic, and a broker waits 3 s for others to join.
 * @param admin of the same brokers, connected
 * @param readLastWrite the number of the newest write of capture's own row: the next one must follow it
 * @throws when a member of the group is still there
 */
export async function moveToEnds(
  kafka: Kafka,
  admin: Admin,
  groupId: string,
  topics: readonly string[],
  readLastWrite: () => Promise<number>,
): Promise<void> {
  const { groups } = await admin.describeGroups([groupId]);
  const busy = groups.find(({ state }) => state !== 'Empty' && state !== 'Dead');
  if (busy !== undefined) throw new Error(`the group ${groupId} has members: it is ${busy.state}`);
  const ends = await Promise.all(
    topics.map(async (topic) => ({ topic, bounds: await admin.fetchTopicOffsets(topic) })),
  );
  const metadata = markOf(await readLastWrite()) ?? null;
  const member = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 100 });
  await member.connect();
  try {
    await joinGroup(member, topics);
    await member.commitOffsets(
      ends.flatMap(({ topic, bounds }) =>
        bounds.map(({ partition, high: offset }) => ({ topic, partition, offset, metadata })),
      ),
    );
  } finally {
    await member.disconnect();
  }
}

/** As a member that reads nothing. @throws when the group does not take it */
async function joinGroup(consumer: Consumer, topics: readonly string[]): Promise<void> {
  const { promise: joined, resolve, reject } = Promise.withResolvers<void>();
  consumer.on(consumer.events.GROUP_JOIN, () => resolve());
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  const running = consumer.run({ autoCommit: false, eachBatch: async () => undefined });
  consumer.pause(topics.map((topic) => ({ topic })));
  await Promise.all([running, joined]);
}

/**
 * Where the group goes on, and the number of the last write of capture's own row before that.
 * @param echoTopic the topic of that row: where it came only after the group, it is read from its beginning
 * @throws CaptureGap when Kafka does not have it, or does not know it
 */
export async function readGroup(
  admin: Admin,
  groupId: string,
  topics: readonly string[],
  echoTopic: string,
): Promise<{ readonly next: Offsets; readonly lastWrite: number | undefined }> {
  const next = new Offsets();
  let lastWrite: number | undefined;
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    const bounds = new Map((await admin.fetchTopicOffsets(topic)).map((bound) => [bound.partition, bound]));
    for (const { partition, offset, metadata } of partitions) {
      const { low = '0', high = '0' } = bounds.get(partition) ?? {};
      const committed = BigInt(offset);
      if (committed < 0n && topic !== echoTopic) {
        throw new CaptureGap('position', `the group ${groupId} has no offset in ${topic}, partition ${partition}`);
      }
      if (committed >= 0n && (committed < BigInt(low) || committed > BigInt(high))) {
        const has = `has ${low} to ${high}`;
        throw new CaptureGap(
          'position',
          `Kafka does not have ${topic} from offset ${offset} on: partition ${partition} ${has}`,
        );
      }
      next.set(topic, partition, committed < 0n ? BigInt(low) : committed);
      if (topic !== echoTopic || committed < 0n) continue;
      const [, mark] = MARK.exec(metadata ?? '') ?? [];
      if (mark === undefined) {
        throw new CaptureGap(
          'position',
          `the group ${groupId} has an offset in ${topic} that no capture has committed`,
        );
      }
      lastWrite = Math.max(lastWrite ?? 0, Number(mark));
    }
  }
  return { next, lastWrite };
}

/**
 * kafkajs goes on silently behind what Kafka has removed unread.
 * @param read where each partition goes on
 * @throws CaptureGap
 */
export function mustFollow(batch: Batch, read: Offsets): void {
  const { topic, partition } = batch;
  const loss = lossOfGaps(partition, gapsIn(read.get(topic, partition) ?? 0n, fetchedIn(batch)));
  if (loss === undefined) return;
  throw new CaptureGap('position', `Kafka has removed unread messages of ${topic}: ${loss.detail}`);
}

/** Own writes that have come back, until everything has been read that was in the topics then. */
export class WaitingEchoes {
  #waiting: readonly { readonly echo: Echo; readonly ends: Offsets }[] = [];

  /** @param ends of all topics, when these came */
  add(echoes: readonly Echo[], ends: Offsets): void {
    this.#waiting = [...this.#waiting, ...echoes.map((echo) => ({ echo, ends }))];
  }

  /** Takes those before which everything is read. */
  take(read: Offsets): Echo[] {
    const reached = this.#waiting.filter(({ ends }) => read.hasReached(ends));
    this.#waiting = this.#waiting.filter((one) => !reached.includes(one));
    return reached.map(({ echo }) => echo);
  }
}

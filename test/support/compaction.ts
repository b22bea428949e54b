/** Lets Kafka compact a topic, as it does long after the policy was changed, within a second. */
import { createKafka } from '../../src/transport/kafka/client.ts';
import { TopicReader } from '../../src/transport/kafka/topic-reader.ts';
import { kafkaSettings } from '../transport/place.ts';
import { kafkaBrokers, withAdmin } from './servers.ts';
import { until } from './until.ts';

/** ConfigResourceTypes.TOPIC, which kafkajs does not export to ES modules. */
const TOPIC = 2;

/** Only what is in older segments than the last is compacted. */
const SEGMENT_MS = 100;

/**
 * Compacts partition 0, whose messages have few keys, until one of these offsets is gone.
 * @param append writes one more message, so that a new segment begins
 */
export async function compact(topic: string, gone: number, append: () => Promise<unknown>): Promise<void> {
  await configure(topic, {
    'cleanup.policy': 'compact',
    'segment.ms': String(SEGMENT_MS),
    'min.cleanable.dirty.ratio': '0.001',
  });
  await until(async () => {
    await append();
    return !(await offsetsIn(topic)).includes(gone);
  });
  await configure(topic, { 'cleanup.policy': 'delete' });
}

/** The offsets of the messages in partition 0. */
async function offsetsIn(topic: string): Promise<number[]> {
  const reader = new TopicReader(createKafka(kafkaSettings(kafkaBrokers())), topic);
  try {
    const [partition] = await reader.offsets(new Set([0]));
    if (partition === undefined) return [];
    const offsets: number[] = [];
    for await (const { offset } of reader.read(partition, 10_000)) offsets.push(Number(offset));
    return offsets;
  } finally {
    await reader.close();
  }
}

async function configure(topic: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await withAdmin((admin) =>
    admin.alterConfigs({ validateOnly: false, resources: [{ type: TOPIC, name: topic, configEntries }] }),
  );
}

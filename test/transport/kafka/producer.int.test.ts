import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { planTaskOf } from '../../../src/contracts/bulk-task.ts';
import { KafkaProducer } from '../../../src/transport/kafka/producer.ts';
import { KafkaTaskPublisher } from '../../../src/transport/kafka/publisher.ts';
import { KafkaPair } from '../../support/kafka-pair.ts';
import { segmentTasksOf } from '../../support/segment-tasks.ts';
import { freshTopic, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';
import { freshTask, freshTasks } from '../outgoing-task.ts';
import { kafkaSettings } from '../place.ts';

const DEADLINE_MS = 20_000;

const KEYED = freshTasks(60);
const KEYLESS = segmentTasksOf(
  planTaskOf('contacts', '7', 'p1'),
  Array.from({ length: 59 }, (_, i) => String(i + 1)),
).map((task) => ({ ...freshTask(), task }));

async function countIn(topic: string, brokers = kafkaBrokers()): Promise<Map<number, number>> {
  const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic), brokers);
  return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
}

describe.runIf(hasKafka())('a partition that moves to another broker (programs: two brokers)', () => {
  let pair: KafkaPair;
  beforeAll(async () => {
    pair = await KafkaPair.start();
  });
  afterAll(() => pair?.remove());

  it.each([
    ['with keys', KEYED],
    ['without keys', KEYLESS],
  ])('gets the messages that were sent to the former one, %s', async (_, tasks) => {
    const topic = `t-${randomBytes(4).toString('hex')}`;
    await pair.createTopic(topic, [1, 2]);
    const brokers = [pair.first.url];
    const publisher = new KafkaTaskPublisher({ kafka: kafkaSettings(brokers), topic, deadlineMs: DEADLINE_MS });
    onTestFinished(() => publisher.close());
    await publisher.publish(tasks);
    const before = await countIn(topic, brokers);
    expect([...before.values()].every((count) => count > 0)).toBe(true);
    await pair.move(topic, 0, 2);
    await publisher.publish(tasks);
    const after = await countIn(topic, brokers);
    expect(sum(after)).toBeGreaterThanOrEqual(sum(before) + tasks.length);
    expect(after.get(0)).toBeGreaterThan(before.get(0) ?? 0);
  });
});

describe.runIf(hasKafka())('a partition that the producer does not know yet', () => {
  it('gets its messages', async () => {
    const topic = await freshTopic({ partitions: 1 });
    const producer = new KafkaProducer({ kafka: kafkaSettings(kafkaBrokers()), topics: [], deadlineMs: DEADLINE_MS });
    onTestFinished(() => producer.close());
    await producer.send(topic, [{ value: 'x' }]);
    await withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] }));
    const taken = await producer.send(topic, [{ value: 'x', partition: 1 }]);
    expect(taken).toMatchObject([{ partition: 1 }]);
    expect(await countIn(topic)).toEqual(
      new Map([
        [0, 1],
        [1, 1],
      ]),
    );
  });
});

function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

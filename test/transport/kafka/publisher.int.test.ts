import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KafkaTaskPublisher } from '../../../src/transport/kafka/publisher.ts';
import { ensureTopics } from '../../../src/transport/kafka/topic-admin.ts';
import { MessageRefused, PartlyPublished } from '../../../src/transport/task-publisher.ts';
import { freshName, freshTopic, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTask, freshTasks } from '../outgoing-task.ts';
import { kafkaSettings } from '../place.ts';
import { useConsumers } from '../use-consumers.ts';

describe.runIf(hasKafka())('publishing on Kafka', () => {
  const { at, run } = useConsumers();
  const fresh = async (partitions = 3) =>
    at({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic({ partitions }) });

  function publisherTo(brokers: string[], topic: string, deadlineMs = 20_000): KafkaTaskPublisher {
    const publisher = new KafkaTaskPublisher({ kafka: kafkaSettings(brokers), topic, deadlineMs, partitions: 2 });
    onTestFinished(() => publisher.close());
    return publisher;
  }

  it('keeps the tasks of one user on one partition, and uses all partitions', async () => {
    const opened = await fresh();
    const users = Array.from({ length: 61 }, (_, i) => String(i + 1));
    await opened.publisher.publish([...users, ...users].map((user) => freshTask(user)));
    const { received } = run(opened);
    // At least once: a new topic may get some of them twice.
    await until(() => new Set(received.map(({ headers }) => headers.ce_id)).size === 122);
    const partitions = Map.groupBy(received, ({ headers }) => headers.ce_subject);
    for (const [, tasks] of partitions)
      expect(new Set(tasks.map(({ position }) => position.split(':')[2])).size).toBe(1);
    expect(new Set(received.map(({ position }) => position.split(':')[2])).size).toBe(3);
  });

  it('accepts thousands in one call, and in concurrent calls', async () => {
    const opened = await fresh();
    const calls = Array.from({ length: 4 }, () => freshTasks(1_300));
    await Promise.all(calls.map((tasks) => opened.publisher.publish(tasks)));
    const { received } = run(opened);
    await until(() => new Set(received.map(({ headers }) => headers.ce_id)).size === 5_200);
  });

  it('accepts tasks with long headers, more than fit into one request', async () => {
    const opened = await fresh(1);
    const tasks = freshTasks(60, '7').map((task) => ({ ...task, source: randomBytes(45_000).toString('base64') }));
    await opened.publisher.publish(tasks);
    const { received } = run(opened);
    await until(() => new Set(received.map(({ headers }) => headers.ce_id)).size === 60);
  });

  it('accepts an empty list', async () => {
    await expect((await fresh()).publisher.publish([])).resolves.toBeUndefined();
  });

  it('stamps messages with the time of publishing, not of the task', async () => {
    const opened = await fresh();
    const from = Date.now();
    await opened.publisher.publish(freshTasks(1));
    const { received } = run(opened);
    await until(() => received.length > 0);
    expect(Math.abs(Number(received[0]?.timestamp) - from)).toBeLessThan(60_000);
  });

  it('creates the topic when it is missing', async () => {
    const topic = freshName();
    await publisherTo(kafkaBrokers(), topic).publish(freshTasks(1));
    const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic));
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    expect(offsets).toHaveLength(2);
    expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBeGreaterThanOrEqual(1);
  });

  it('names the task that the topic refuses, and sends the others', async () => {
    const topic = freshName();
    const configEntries = [{ name: 'max.message.bytes', value: '5000' }];
    await withAdmin((admin) => ensureTopics(admin, [{ topic, numPartitions: 3, configEntries }]));
    const tooLarge = [freshTask('7'), freshTask('30')].map((task) => ({
      ...task,
      source: randomBytes(6_000).toString('base64'),
    }));
    const others = Array.from({ length: 200 }, (_, i) => freshTask(String(i + 1)));
    const tasks = [...others.slice(0, 90), ...tooLarge, ...others.slice(90)];
    const publisher = publisherTo(kafkaBrokers(), topic);
    const error = await publisher.publish(tasks).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PartlyPublished);
    const { notTaken } = error as PartlyPublished;
    expect(new Set(notTaken.keys())).toEqual(new Set(tooLarge));
    for (const reason of notTaken.values()) expect(reason).toBeInstanceOf(MessageRefused);
    const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic));
    // Some may be there twice: they were sent before it was clear which partitions refuse one.
    const sent = offsets.reduce((sum, { high }) => sum + Number(high), 0);
    expect(sent).toBeGreaterThanOrEqual(200);
    expect(sent).toBeLessThanOrEqual(400);
    const [alone] = tooLarge;
    const refused = await publisher.publish(tooLarge.slice(0, 1)).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(PartlyPublished);
    expect([...(refused as PartlyPublished).notTaken]).toEqual([[alone, expect.any(MessageRefused)]]);
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
  });

  it('reports that no broker accepted the tasks in time', async () => {
    const publisher = publisherTo(['127.0.0.1:1'], freshName(), 300);
    const from = performance.now();
    await expect(publisher.publish(freshTasks(1))).rejects.toMatchObject({
      name: 'KafkaUnavailable',
      message: expect.stringMatching(/did not confirm the messages within \d+ ms/),
    });
    expect(performance.now() - from).toBeLessThan(15_000);
  });
});

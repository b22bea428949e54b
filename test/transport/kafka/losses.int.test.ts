import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, Kafka, Partitioners } from 'kafkajs';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { closeAtEnd, freshTopic, hasKafka, kafkaBrokers } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { kafkaSettings } from '../place.ts';
import { useConsumers } from '../use-consumers.ts';

describe.runIf(hasKafka())('tasks that Kafka has lost', () => {
  const { at, run } = useConsumers();
  let kafka: Kafka;
  let admin: Admin;

  beforeAll(async () => {
    kafka = new Kafka({ brokers: kafkaBrokers(), logLevel: 0 });
    admin = kafka.admin();
    await admin.connect();
  });
  closeAtEnd(() => admin.disconnect());

  const fresh = async (partitions = 1) =>
    at({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic({ partitions }) });
  type Fresh = Awaited<ReturnType<typeof fresh>>;

  const topicOf = ({ place }: Fresh) => (place.kind === 'kafka' ? place.topic : '');
  const indexesExist = async () => true;

  /** Deletes records at once, as retention does later. */
  async function deleteBefore(opened: Fresh, offset: number): Promise<void> {
    const topic = topicOf(opened);
    // Makes this client know the topic.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
  }

  const committed = async (opened: Fresh) => {
    const [topic] = await admin.fetchOffsets({ groupId: topicOf(opened), topics: [topicOf(opened)] });
    return topic?.partitions.map(({ offset }) => Number(offset));
  };

  const partitionsOf = async (opened: Fresh) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topicOf(opened)] });
    return topics[0]?.partitions.length;
  };

  /** Publishes and consumes, so that the group's offset is at the end. */
  async function consumed(opened: Fresh, count: number): Promise<void> {
    await opened.publisher.publish(freshTasks(count));
    const one = run(opened);
    await until(() => one.handled.size === count);
    await one.stop();
  }

  it('because they were deleted before the group read them: reported first, then the rest is delivered', async () => {
    const opened = await fresh();
    await consumed(opened, 3);
    await opened.publisher.publish(freshTasks(4));
    await deleteBefore(opened, 5);
    const gate = Promise.withResolvers<void>();
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    const kafka = { kafka: { ...kafkaSettings(kafkaBrokers()), logger } };
    const one = run(opened, undefined, { onLoss: () => gate.promise, kafka });
    await until(() => one.losses.length > 0);
    expect(one.losses).toEqual([
      { reason: 'offset_out_of_range', detail: 'partition 0: 3 is not in 5…7', partitions: [0] },
    ]);
    // kafkajs would have moved the group by now.
    await sleep(500);
    expect(await committed(opened)).toEqual([3]);
    expect(one.received).toEqual([]);
    gate.resolve();
    await until(() => one.handled.size === 2);
    expect(one.losses).toHaveLength(1);
    expect(lines.filter((line) => line.includes('Offset out of range'))).toEqual([]);
  });

  it('all of them: not reported again by the next owner, although nothing was left to consume', async () => {
    const opened = await fresh();
    await consumed(opened, 2);
    await opened.publisher.publish(freshTasks(3));
    await deleteBefore(opened, 5);
    const first = run(opened);
    await until(() => first.losses.length === 1);
    await until(async () => expect(await committed(opened)).toEqual([5]) ?? true);
    await first.stop();
    const next = run(opened, undefined, { expectsOffsets: indexesExist });
    await opened.publisher.publish(freshTasks(1));
    await until(() => next.handled.size === 1);
    expect(next.losses).toEqual([]);
  });

  it("because the log ends before the group's offset: everything that exists is delivered", async () => {
    const opened = await fresh();
    await opened.publisher.publish(freshTasks(2));
    await admin.setOffsets({
      groupId: topicOf(opened),
      topic: topicOf(opened),
      partitions: [{ partition: 0, offset: '9' }],
    });
    const one = run(opened);
    await until(() => one.handled.size === 2);
    expect(one.losses).toEqual([
      { reason: 'offset_out_of_range', detail: 'partition 0: 9 is not in 0…2', partitions: [0] },
    ]);
  });

  it('because they were deleted while the group was consuming', async () => {
    const opened = await fresh();
    await opened.publisher.publish(freshTasks(1));
    const gate = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<void>();
    const one = run(opened, () => gate.promise, { onLoss: () => reported.promise });
    await until(() => one.received.length === 1);
    await opened.publisher.publish(freshTasks(4));
    await deleteBefore(opened, 4);
    gate.resolve();
    await until(() => one.losses.length === 1);
    expect(one.losses).toEqual([{ reason: 'gap', detail: 'partition 0: 1…3 are gone', partitions: [0] }]);
    expect(new Set(one.received.map(({ position }) => position)).size).toBe(1);
    reported.resolve();
    await until(() => one.handled.size === 2);
    await one.stop();
    expect(one.losses).toHaveLength(1);
    expect(await committed(opened)).toEqual([5]);
  });

  it('because they were all deleted while the group was consuming, although no message follows', async () => {
    const opened = await fresh();
    await opened.publisher.publish(freshTasks(1));
    const gate = Promise.withResolvers<void>();
    const one = run(opened, () => gate.promise);
    await until(() => one.received.length === 1);
    await opened.publisher.publish(freshTasks(4));
    await deleteBefore(opened, 5);
    gate.resolve();
    await until(() => one.losses.length === 1);
    expect(one.losses).toEqual([{ reason: 'gap', detail: 'partition 0: 1…4 are gone', partitions: [0] }]);
    await until(async () => expect(await committed(opened)).toEqual([5]) ?? true);
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.handled.size === 2);
    await one.stop();
    const next = run(opened, undefined, { expectsOffsets: indexesExist });
    await opened.publisher.publish(freshTasks(1));
    await until(() => next.handled.size === 1);
    expect([...one.losses.slice(1), ...next.losses]).toEqual([]);
  });

  it.each([
    ['without metadata', undefined],
    ['with the metadata of another offset, as a tool that copies groups does', 'recency:3'],
  ])('because somebody has moved the group, %s', async (_, metadata) => {
    const opened = await fresh();
    await consumed(opened, 3);
    await opened.publisher.publish(freshTasks(4));
    const topic = topicOf(opened);
    const partitions = [{ partition: 0, offset: '6', ...(metadata === undefined ? {} : { metadata }) }];
    await admin.setOffsets({ groupId: topic, topic, partitions });
    const one = run(opened);
    await until(() => one.handled.size === 1);
    const detail = 'partition 0: 6 was not committed by a consumer';
    expect(one.losses).toEqual([{ reason: 'position_moved', detail, partitions: [0] }]);
    await one.stop();
    const next = run(opened, undefined, { expectsOffsets: indexesExist });
    await opened.publisher.publish(freshTasks(1));
    await until(() => next.handled.size === 1);
    expect(next.losses).toEqual([]);
  });

  it('are found once when a group was consumed by a former version, which marks nothing, when its last member has left', async () => {
    const opened = await fresh(2);
    const topic = topicOf(opened);
    await opened.publisher.publish(freshTasks(20));
    const former = new Kafka({ clientId: 'recency-consume', brokers: kafkaBrokers(), logLevel: 0 }).consumer({
      ...{ groupId: topic, sessionTimeout: 6_000, heartbeatInterval: 500 },
    });
    await former.connect();
    await former.subscribe({ topic, fromBeginning: true });
    await former.run({ eachMessage: async () => undefined });
    await until(async () => (await committed(opened))?.reduce((sum, offset) => sum + offset, 0) === 20);
    const one = run(opened);
    await until(() => one.source.state().detail === '1 of 1 partitions admitted');
    expect(one.losses).toEqual([]);
    await former.disconnect();
    await until(() => one.source.state().detail === '2 of 2 partitions admitted');
    expect(one.losses.map(({ reason, partitions }) => [reason, partitions?.length])).toEqual([['position_moved', 1]]);
    await one.stop();
    const next = run(opened);
    await opened.publisher.publish(freshTasks(4));
    await until(() => next.handled.size === 4);
    expect(next.losses).toEqual([]);
  });

  it('because a stranger has joined the group and acknowledged them', async () => {
    const opened = await fresh();
    await consumed(opened, 3);
    const topic = topicOf(opened);
    await opened.publisher.publish(freshTasks(4));
    const stranger = kafka.consumer({ groupId: topic, sessionTimeout: 6_000, heartbeatInterval: 500 });
    await stranger.connect();
    await stranger.subscribe({ topic });
    await stranger.run({ eachMessage: async () => undefined });
    await until(async () => (await committed(opened))?.[0] === 7);
    const one = run(opened);
    await stranger.disconnect();
    await until(() => one.losses.length > 0);
    expect(one.losses.map(({ reason }) => reason)).toEqual(['position_moved']);
  });

  it('because the group has lost its offsets although indexes exist', async () => {
    const opened = await fresh(2);
    const one = run(opened, undefined, { expectsOffsets: indexesExist });
    await until(() => one.losses.length === 1);
    expect(one.losses[0]?.reason).toBe('group_without_offsets');
    await opened.publisher.publish(freshTasks(3));
    await until(() => one.handled.size === 3);
    expect(one.losses).toHaveLength(1);
  });

  it('are not assumed for a new group: its start is recorded once it has offsets, for members that start with it', async () => {
    const opened = await fresh(2);
    const starts: unknown[] = [];
    const history = {
      hasStarted: async () => starts.length > 0,
      recordStart: async () => void starts.push(await committed(opened)),
    };
    const wanted = { expectsOffsets: async (hasStarted: boolean) => hasStarted, kafka: { history } };
    const members = [run(opened, undefined, wanted), run(opened, undefined, wanted)];
    await opened.publisher.publish(freshTasks(3));
    await until(() => members.reduce((sum, { handled }) => sum + handled.size, 0) === 3);
    expect(starts[0]).toContain(0);
    expect(members.flatMap(({ losses }) => losses)).toEqual([]);
  });

  it('is reported until the report succeeds, and nothing is delivered before', async () => {
    const opened = await fresh();
    await opened.publisher.publish(freshTasks(2));
    let calls = 0;
    const one = run(opened, async () => expect(calls).toBe(3), {
      expectsOffsets: indexesExist,
      onLoss: async () => {
        if (++calls < 3) throw new Error('MySQL is away');
      },
    });
    await until(() => one.handled.size === 2);
  });

  describe('is not assumed', () => {
    it('for a group that is new to a site without indexes, nor for one that has only waited since', async () => {
      const opened = await fresh(2);
      const first = run(opened);
      await until(async () => expect(await committed(opened)).toEqual([0, 0]) ?? true);
      await first.stop();
      const next = run(opened, undefined, { expectsOffsets: indexesExist });
      await opened.publisher.publish(freshTasks(4));
      await until(() => next.handled.size === 4);
      expect([...first.losses, ...next.losses]).toEqual([]);
    });

    it('for partitions added since', async () => {
      const opened = await fresh();
      await consumed(opened, 2);
      await admin.createPartitions({ topicPartitions: [{ topic: topicOf(opened), count: 3 }] });
      // A member that does not learn of the partition at once learns of it 5 min later.
      await until(async () => (await partitionsOf(opened)) === 3);
      const one = run(opened, undefined, { expectsOffsets: indexesExist });
      await until(async () => expect(await committed(opened)).toEqual([2, 0, 0]) ?? true);
      expect(one.losses).toEqual([]);
    });

    it('for partitions added while it is consumed, whose tasks are delivered', async () => {
      const opened = await fresh();
      const consumers = [run(opened), run(opened)];
      await until(() => consumers.every(({ source }) => source.state().isReady));
      await admin.createPartitions({ topicPartitions: [{ topic: topicOf(opened), count: 3 }] });
      await until(async () => (await partitionsOf(opened)) === 3);
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      await until(() =>
        producer.send({ topic: topicOf(opened), messages: [{ partition: 2, value: 'x' }] }).then(() => true),
      );
      await producer.disconnect();
      await until(() => consumers.some(({ handled }) => handled.size === 1));
      expect(consumers.flatMap(({ losses }) => losses)).toEqual([]);
    });

    it('for the control records of transactions, nor for aborted messages', async () => {
      const opened = await fresh();
      const one = run(opened);
      const producer = kafka.producer({
        ...{ transactionalId: topicOf(opened), idempotent: true, maxInFlightRequests: 1 },
        createPartitioner: Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      for (const ending of ['commit', 'abort', 'commit', 'abort'] as const) {
        const transaction = await producer.transaction();
        await transaction.send({ topic: topicOf(opened), messages: [{ value: ending }, { value: ending }] });
        await transaction[ending]();
        await until(async () => (await one.source.lag()) === 0);
      }
      await producer.disconnect();
      expect(one.received.map(({ body }) => String(body))).toEqual(['commit', 'commit', 'commit', 'commit']);
      await one.stop();
      const next = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => next.handled.size === 1);
      expect([...one.losses, ...next.losses]).toEqual([]);
    });
  });
});

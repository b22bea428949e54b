import { type Admin, Kafka } from 'kafkajs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchHandler } from '../../../src/transport/task-source.ts';
import { compact } from '../../support/compaction.ts';
import { closeAtEnd, freshTopic, hasKafka, kafkaBrokers } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTask } from '../outgoing-task.ts';
import { useConsumers } from '../use-consumers.ts';

describe.runIf(hasKafka())('tasks that compaction has removed', () => {
  const { at, run } = useConsumers();
  let admin: Admin;
  beforeAll(async () => {
    admin = new Kafka({ brokers: kafkaBrokers(), logLevel: 0 }).admin();
    await admin.connect();
  });
  closeAtEnd(() => admin.disconnect());

  const fresh = async () => {
    const topic = await freshTopic({ partitions: 1 });
    const opened = await at({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    const publish = (...users: string[]) => opened.publisher.publish(users.map((user) => freshTask(user)));
    const committed = async () => {
      const [found] = await admin.fetchOffsets({ groupId: topic, topics: [topic] });
      return Number(found?.partitions[0]?.offset);
    };
    /** When everything has been consumed. */
    const untilAtEnd = () =>
      until(async () => (await committed()) === Number((await admin.fetchTopicOffsets(topic))[0]?.high));
    return { topic, opened, publish, committed, untilAtEnd };
  };

  it('are reported: at the beginning of a fetch, and within it', async () => {
    const { topic, opened, publish, untilAtEnd } = await fresh();
    await publish('1');
    const first = run(opened);
    await until(() => first.handled.size === 1);
    await first.stop();
    for (const user of ['1', '2', '3']) await publish(user);
    await publish('4', '1', '2'); // one batch, of which the first stays
    await compact(topic, 6, () => publish('1', '2'));
    const sizes: number[] = [];
    const count: BatchHandler = async ({ deliveries }) => void sizes.push(deliveries.length);
    const one = run(opened, count, { kafka: { batchSize: 1 } });
    await untilAtEnd();
    expect(new Set(sizes)).toEqual(new Set([1]));
    expect(one.received.filter(({ body }) => body === null)).toEqual([]);
    expect(one.received.slice(0, 2).map(({ position }) => position.split(':').at(-1))).toEqual(['3', '4']);
    expect(one.losses).toEqual([
      { reason: 'gap', detail: expect.stringMatching(/^partition 0: 1…2, 5…/), partitions: [0] },
    ]);
    await one.stop();
    const next = run(opened);
    await publish('1');
    await until(() => next.handled.size === 1);
    expect(next.losses).toEqual([]);
  });

  it('are reported once, although the handler fails again and again', async () => {
    const { topic, opened, publish, untilAtEnd } = await fresh();
    for (const user of ['1', '2', '1', '3']) await publish(user);
    await compact(topic, 1, () => publish('2'));
    let calls = 0;
    const one = run(opened, async () => {
      if (++calls < 4) throw new Error('not yet');
    });
    await untilAtEnd();
    expect(calls).toBeGreaterThan(3);
    expect(one.losses.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^partition 0: 0…1/)]);
  });

  it('are reported where a fetch has failed that is compacted before it is fetched again', async () => {
    const { topic, opened, publish, committed, untilAtEnd } = await fresh();
    for (const user of ['1', '2', '3']) await publish(user);
    let isFailing = true;
    const one = run(opened, async () => {
      if (isFailing) throw new Error('not yet');
    });
    await until(() => one.received.length >= 3);
    await compact(topic, 1, () => publish('2'));
    expect(await committed()).toBe(0);
    isFailing = false;
    await untilAtEnd();
    expect(one.losses[0]?.detail).toMatch(/^partition 0: 1…1/);
  });
});

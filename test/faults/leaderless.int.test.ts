import { randomBytes } from 'node:crypto';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { KafkaDeadLetters } from '../../src/transport/kafka/dead-letters.ts';
import { KafkaTaskPublisher } from '../../src/transport/kafka/publisher.ts';
import { TopicAdmin } from '../../src/transport/kafka/topic-admin.ts';
import type { PartlyPublished } from '../../src/transport/task-publisher.ts';
import { KafkaPair } from '../support/kafka-pair.ts';
import { OutboxBench, silent } from '../support/outbox-bench.ts';
import { hasKafka, withAdmin } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { freshTask } from '../transport/outgoing-task.ts';
import { kafkaSettings } from '../transport/place.ts';

/** Only the second broker has the second of three partitions. */
const BROKERS = [1, 2, 1];
const DEAD = 1;

const bench = new OutboxBench();

describe.runIf(hasKafka())('a partition without a leader (programs: two brokers)', () => {
  let pair: KafkaPair;
  let topic: string;
  let publisher: KafkaTaskPublisher;
  beforeAll(async () => {
    pair = await KafkaPair.start();
    topic = `t-${randomBytes(4).toString('hex')}`;
    await pair.createTopic(topic, BROKERS);
    publisher = new KafkaTaskPublisher({ kafka: kafkaSettings([pair.first.url]), topic, deadlineMs: 20_000 });
  });
  afterAll(async () => {
    await publisher?.close();
    await pair?.remove();
  });

  function openRelay(): OutboxRelay {
    const deadLetters = new KafkaDeadLetters({ kafka: kafkaSettings([pair.first.url]), topic, deadlineMs: 20_000 });
    return new OutboxRelay({ database: bench.database, publisher, deadLetters, logger: silent });
  }

  async function userOfDeadPartition(): Promise<number> {
    const tasks = Array.from({ length: 50 }, (_, i) => freshTask(String(20_000 + i)));
    const error = await publisher.publish(tasks).catch((thrown: unknown) => thrown);
    const [user] = [...(error as PartlyPublished).notTaken.keys()].flatMap(({ task }) =>
      'user' in task ? task.user : [],
    );
    return Number(user);
  }

  /** Messages in the partitions that have a leader. */
  async function messages(partitions: readonly number[]): Promise<number> {
    const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic), [pair.first.url]);
    return offsets
      .filter(({ partition }) => partitions.includes(partition))
      .reduce((sum, { high }) => sum + Number(high), 0);
  }

  it('delays no other: only its own rows wait, and are published when it has a leader again', async () => {
    await publisher.publish([freshTask('1')]);
    const before = await messages([0, 1, 2]);
    await bench.write(1_500);
    await pair.killSecond();
    const relay = openRelay();
    const stop = new AbortController();
    const running = relay.run(stop.signal);
    // About a third of 1,500 users belongs to the dead partition.
    const left = () => bench.unpublished();
    await until(async () => (await left()) < 600 && (await left()) > 400);
    const stuck = await left();
    await bench.write(3_000, 10_000);
    await until(async () => (await left()) < stuck + 1_200);
    await pair.startSecond();
    await until(async () => (await left()) === 0);
    expect(await messages([0, 1, 2])).toBeGreaterThanOrEqual(before + 4_500);
    expect(await messages([DEAD])).toBeGreaterThan(1_300);
    stop.abort();
    await running;
  });

  it('does not keep a new publisher from the others', async () => {
    await pair.killSecond();
    const fresh = new KafkaTaskPublisher({ kafka: kafkaSettings([pair.first.url]), topic, deadlineMs: 20_000 });
    const tasks = Array.from({ length: 300 }, (_, i) => freshTask(String(i + 1)));
    const error = await fresh.publish(tasks).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'PartlyPublished' });
    const notTaken = [...(error as { notTaken: Map<object, Error> }).notTaken.values()];
    expect(notTaken.length).toBeGreaterThan(50);
    expect(notTaken.length).toBeLessThan(150);
    expect(new Set(notTaken.map(({ message }) => message))).toEqual(
      new Set([`partition ${DEAD} of ${topic} has no leader`]),
    );
    // Rows that are put back do not delay the others.
    for (let call = 0; call < 5; call++) {
      const from = performance.now();
      await fresh.publish(tasks).catch(() => undefined);
      expect(performance.now() - from, 'it does not wait for its deadline').toBeLessThan(10_000);
    }
    await fresh.close();
  });

  it('has its own row put back, even if there is no other row', async () => {
    await pair.killSecond();
    const user = await userOfDeadPartition();
    await bench.write(1, user);
    const relay = openRelay();
    expect(await relay.runOnce()).toMatchObject({ published: 0, putBack: 1 });
    // Now its missing leader is known.
    await bench.allDue();
    expect(await relay.runOnce()).toMatchObject({ published: 0, putBack: 1 });
  });

  it('does not keep a process from starting or from being ready', async () => {
    await pair.killSecond();
    const settings = kafkaSettings([pair.first.url]);
    for (const name of [topic, `t-${randomBytes(4).toString('hex')}`]) {
      const admin = new TopicAdmin(new Kafka({ brokers: [pair.first.url], logLevel: 0 }), name);
      await admin.ensureTopics(2);
      await admin.answers();
      await admin.close();
    }
    const letters = new KafkaDeadLetters({ kafka: settings, topic, deadlineMs: 20_000 });
    expect(await letters.list({ limit: 1 })).toEqual([]);
    await letters.close();
  });
});

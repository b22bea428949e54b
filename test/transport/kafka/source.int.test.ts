import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, Partitioners } from 'kafkajs';
import { describe, expect, it, type TestContext } from 'vitest';
import { type RunningServer, startKafka } from '../../../src/tools/devservers/start-server.ts';
import { KafkaPermissionMissing } from '../../../src/transport/kafka/errors.ts';
import type { Delivery } from '../../../src/transport/task-source.ts';
import { freshName, freshTopic, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { KAFKA_SESSION_MS, kafkaSettings, type Opened } from '../place.ts';
import { consumersOf } from '../use-consumers.ts';

const partitionOf = (position: string) => position.split(':')[2];

/** Joins and leaves of the group, 2 s apart. */
const STORM = '+-++--+-';

// A member that is thought to be there holds up a rebalance for its whole timeout, perhaps twice on a busy machine. Tests that
// mostly wait for the group run side by side.
describe.runIf(hasKafka())('the Kafka source', { timeout: 600_000 }, () => {
  const of = (test: TestContext) => {
    const consumers = consumersOf(test);
    const fresh = async (partitions = 2) =>
      consumers.at({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic({ partitions }) });
    return { ...consumers, fresh };
  };

  /** Some tasks for each partition. */
  async function publishTo({ place }: Opened, partitions: readonly number[]): Promise<void> {
    if (place.kind !== 'kafka') return;
    const producer = new Kafka({ brokers: place.brokers, logLevel: 0 }).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    const messages = partitions.map((partition) => ({ partition, value: `for ${partition}` }));
    await producer.send({ topic: place.topic, messages });
    await producer.disconnect();
  }

  it('pauses the partition whose batch was rejected; the others continue', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh();
    let isAway = true;
    const one = run(opened, async ({ deliveries }) => {
      if (isAway && deliveries.some(({ position }) => partitionOf(position) === '0')) throw new Error('away');
    });
    const handledOf = (partition: string) =>
      [...one.handled].filter((position) => partitionOf(position) === partition).length;
    const receivedOf0 = () => one.received.filter(({ position }) => partitionOf(position) === '0').length;
    await publishTo(opened, [0, 1, 1]);
    await until(() => handledOf('1') >= 2 && receivedOf0() > 1);
    await publishTo(opened, [1]);
    await until(() => handledOf('1') >= 3);
    expect(handledOf('0')).toBe(0);
    isAway = false;
    await until(() => handledOf('0') >= 1);
  });

  it('says that a permission keeps a batch from being done, until it is', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(1);
    const missing = new KafkaPermissionMissing('Kafka does not allow WRITE on the topic "dlq"');
    let isAllowed = false;
    const one = run(opened, async () => {
      if (!isAllowed) throw missing;
    });
    await publishTo(opened, [0]);
    await until(() => one.source.state().detail === missing.message);
    expect(one.source.state().isReady).toBe(false);
    isAllowed = true;
    await until(() => one.source.state().isReady);
    expect(one.handled.size).toBe(1);
  });

  it('makes one batch of what one fetch returns from several partitions, and calls never overlap', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(4);
    let [underWay, overlaps] = [0, 0];
    const together: number[] = [];
    const one = run(opened, async ({ deliveries }) => {
      if (++underWay > 1) overlaps++;
      together.push(new Set(deliveries.map(({ position }) => partitionOf(position))).size);
      await sleep(20);
      underWay -= 1;
    });
    const publishAll = async () => {
      await publishTo(opened, [0, 1, 2, 3]);
      return Math.max(...together) === 4;
    };
    await until(publishAll, { interval: 200 });
    await until(async () => (await one.source.lag()) === 0);
    expect(overlaps).toBe(0);
  });

  it.concurrent('waits longer after every rejection', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(1);
    const times: number[] = [];
    const one = run(
      opened,
      async () => {
        times.push(performance.now());
        if (times.length < 6) throw new Error('away');
      },
      { kafka: { backoff: { firstMs: 100, longestMs: 400 } } },
    );
    await publishTo(opened, [0]);
    await until(() => one.handled.size === 1);
    const pauses = times.slice(1).map((time, i) => time - Number(times[i]));
    for (const [i, least] of [100, 200, 400, 400, 400].entries()) {
      expect(pauses[i]).toBeGreaterThanOrEqual(least - 5);
    }
  });

  it.concurrent('resumes what another owner had paused', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(2);
    const long = { kafka: { backoff: { firstMs: 60_000, longestMs: 60_000 } } };
    const first = run(opened, () => Promise.reject(new Error('away')), long);
    await publishTo(opened, [0, 1]);
    await until(() => first.received.length >= 2);
    const second = run(opened, undefined, long);
    await until(() => second.handled.size >= 1);
    await second.stop();
    // The first one gets the partition back, and nothing is left of its own pause.
    await publishTo(opened, [0, 1]);
    await until(() => first.received.length >= 4);
  });

  it.concurrent('makes progress while consumers join and leave every 2 s, and every task is handled', async (test) => {
    const { fresh, run, other } = of(test);
    const opened = await fresh(6);
    const handled = new Set<string>();
    const one = run(
      opened,
      async ({ deliveries }) => {
        await sleep(20);
        for (const { headers } of deliveries) handled.add(String(headers.ce_id));
      },
      { kafka: { rebalanceGraceMs: 1_000 } },
    );
    const guests: ReturnType<typeof other>[] = [];
    const here: typeof guests = [];
    const handledByAll = () => new Set([...handled, ...guests.flatMap((guest) => guest.all('handled'))]);
    const published: string[] = [];
    const publishSome = async () => {
      const tasks = freshTasks(20);
      await opened.publisher.publish(tasks);
      published.push(...tasks.map(({ id }) => id));
    };

    // Up to three guests; the test does not wait for a join or a leave to complete.
    const changes: Promise<void>[] = [];
    const joinOrLeave = (isJoining: boolean) => {
      if (isJoining) {
        const guest = other(opened.place, 'take', { holdMs: KAFKA_SESSION_MS });
        guests.push(guest);
        here.push(guest);
      } else {
        const leaving = here.shift()?.stop() ?? Promise.resolve();
        leaving.catch(() => undefined); // it is awaited at the end
        changes.push(leaving);
      }
    };
    joinOrLeave(true);
    const takesPart = async () => {
      await publishSome();
      return guests[0]?.all('handled').length;
    };
    await until(takesPart, { interval: 200 });
    const [beganAt, before] = [performance.now(), handledByAll().size];
    for (let change = 0; change < STORM.length; change++) {
      joinOrLeave(STORM[change] === '+');
      while (performance.now() < beganAt + (change + 1) * 2_000) {
        await publishSome();
        await sleep(50);
      }
    }
    // Progress meanwhile, not only afterwards.
    expect(handledByAll().size - before).toBeGreaterThan(100);
    const missing = () => {
      const done = handledByAll();
      return published.filter((id) => !done.has(id));
    };
    await until(() => missing().length === 0, { interval: 200 });
    await until(async () => (await one.source.lag()) === 0, { interval: 200 });
    await Promise.all([...changes, ...here.map((guest) => guest.stop())]);
    expect(one.end()).toBeUndefined();
    expect(one.losses).toEqual([]);
  });

  it.concurrent('gives up a batch that delays a rebalance for too long, and reports it', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(2);
    await publishTo(opened, [0, 1]);
    let lost = 0;
    const one = run(
      opened,
      async ({ lease }) => {
        if (lost > 0) return;
        for (;;) {
          await lease.renew().catch((error: Error) => {
            lost++;
            throw error;
          });
          await sleep(20);
        }
      },
      { kafka: { rebalanceGraceMs: 500 } },
    );
    await until(() => one.received.length > 0);
    const guest = run(opened);
    await until(() => lost > 0);
    await until(() => new Set([...one.handled, ...guest.handled]).size === 2);
  });

  it.concurrent('lets a slow batch end while the group rebalances, and delivers it once', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(2);
    const group = opened.place.kind === 'kafka' ? opened.place.topic : '';
    const gate = Promise.withResolvers<void>();
    const isOf = (partition: string) => (delivery: Delivery) => partitionOf(delivery.position) === partition;
    const one = run(
      opened,
      async ({ deliveries }) => {
        if (deliveries.some(isOf('0'))) await gate.promise;
      },
      { kafka: { rebalanceGraceMs: 50_000, rebalanceTimeoutMs: 60_000, slowMs: 50 } },
    );
    await publishTo(opened, [0]);
    await until(() => one.received.some(isOf('0')));
    // It is worked on beside the others, not by the call that kafkajs waits for.
    const isBeside = async () => {
      await publishTo(opened, [1]);
      return one.received.some(isOf('1'));
    };
    await until(isBeside, { interval: 200 });
    const guest = run(opened, undefined, { kafka: { rebalanceTimeoutMs: 60_000 } });
    const state = () => withAdmin(async (admin) => (await admin.describeGroups([group])).groups[0]?.state);
    // It has noticed, and the group waits for it.
    const isWaiting = async () => !one.source.state().isReady && (await state()) === 'PreparingRebalance';
    await until(async () => (await isWaiting()) || guest.source.state().isReady);
    expect(guest.source.state().isReady).toBe(false);
    gate.resolve();
    await until(async () => (await one.source.lag()) === 0);
    expect([...one.received, ...guest.received].filter(isOf('0')).length).toBe(1);
  });

  it.concurrent('does not mistake a rebalance that others delay for a stall', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh(3);
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    let isHeld = false;
    const slow = run(
      opened,
      async () => {
        isHeld = isSlow;
        if (isSlow) await gate.promise;
      },
      { kafka: { rebalanceGraceMs: 60_000, rebalanceTimeoutMs: 60_000 } },
    );
    const patient = run(opened, undefined, { stallMs: 6_000, kafka: { rebalanceTimeoutMs: 60_000 } });
    await until(
      async () => {
        await publishTo(opened, [0, 1, 2]);
        return slow.handled.size > 0 && patient.handled.size > 0;
      },
      { interval: 200 },
    );
    isSlow = true;
    await until(async () => {
      await publishTo(opened, [0, 1, 2]);
      return isHeld;
    });
    run(opened, undefined, { kafka: { rebalanceTimeoutMs: 60_000 } });
    await sleep(2_000);
    await publishTo(opened, [0, 1, 2]);
    await sleep(9_000);
    expect(patient.end()).toBeUndefined();
    gate.resolve();
    await until(async () => (await patient.source.lag()) === 0);
  });

  it.concurrent('creates missing topics, with the configured number of partitions', async (test) => {
    const { at, run } = of(test);
    const topic = freshName();
    const opened = await at({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    const one = run(opened, undefined, { kafka: { partitions: 4 } });
    await until(async () => (await one.source.lag()) === 0);
    const both = { topics: [topic, `${topic}.dlq`] };
    const { topics } = await withAdmin((admin) => admin.fetchTopicMetadata(both));
    await one.stop();
    await withAdmin((admin) => admin.deleteTopics(both));
    expect(Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]))).toEqual({
      [topic]: 4,
      [`${topic}.dlq`]: 1,
    });
  });

  it.concurrent('ends with an error if the fault is permanent', async (test) => {
    const { fresh, run } = of(test);
    const opened = await fresh();
    const security = { sasl: { mechanism: 'plain', username: 'nobody', password: 'wrong' } } as const;
    const one = run(opened, undefined, { kafka: { kafka: { ...kafkaSettings(kafkaBrokers()), security } } });
    await until(() => one.end() !== undefined);
    expect(one.end()).toBeInstanceOf(Error);
  });

  it.concurrent('reports that its lag is unknown without a broker', async (test) => {
    const { at } = of(test);
    const opened = await at({ kind: 'kafka', brokers: ['127.0.0.1:1'], topic: freshName() });
    expect(await opened.source().lag()).toBeUndefined();
  });

  it.concurrent('stops without a broker', async (test) => {
    const { at, run } = of(test);
    const opened = await at({ kind: 'kafka', brokers: ['127.0.0.1:1'], topic: freshName() });
    const one = run(opened);
    await sleep(300);
    await one.stop();
    expect(one.end()).toBe('stopped');
  });
});

describe.runIf(hasKafka())('a broker of its own', { timeout: 600_000 }, () => {
  it('is killed and restarted: the source continues, and nothing is lost', async (test) => {
    const { at, run } = consumersOf(test);
    await using broker: RunningServer = await startKafka();
    const opened = await at({ kind: 'kafka', brokers: [broker.url], topic: freshName() });
    // On a busy machine a broker takes longer to start than a handler may hang.
    const one = run(opened, async () => sleep(5), { stallMs: 300_000 });
    const before = freshTasks(2_000);
    await until(() => opened.publisher.publish(before).then(() => true));
    await until(() => one.handled.size > 0);
    await broker.kill();
    await expect(opened.publisher.publish(freshTasks(1))).rejects.toMatchObject({ name: 'KafkaUnavailable' });
    expect(await one.source.lag()).toBeUndefined();
    await broker.restart();
    const after = freshTasks(500);
    await until(() => opened.publisher.publish(after).then(() => true));
    const missing = () => {
      const received = new Set(one.received.map(({ headers }) => headers.ce_id));
      return [...before, ...after].filter(({ id }) => !received.has(id)).length;
    };
    // The source runs in this process: looking all the time would keep it from its heartbeats.
    await until(() => missing() === 0, { interval: 200 });
    await until(async () => (await one.source.lag()) === 0);
    expect(one.end()).toBeUndefined();
    expect(one.losses).toEqual([]);
  });
});

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, Partitioners } from 'kafkajs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/mysql/database.ts';
import { KafkaEnds } from '../../../src/mysql/kafka-ends.ts';
import { type RunningServer, startKafka } from '../../../src/tools/devservers/start-server.ts';
import { KafkaDeadLetters } from '../../../src/transport/kafka/dead-letters.ts';
import { KafkaTaskPublisher } from '../../../src/transport/kafka/publisher.ts';
import { ensureTopics } from '../../../src/transport/kafka/topic-admin.ts';
import { freshName, freshTopic, hasKafka, kafkaBrokers } from '../../support/servers.ts';
import { migratedDatabase } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { kafkaSettings } from '../place.ts';
import { useConsumers } from '../use-consumers.ts';

const { at, run } = useConsumers();
let database: Database;

beforeEach(async () => {
  const url = await migratedDatabase();
  database = new Database(url, { connections: 4, queue: 100, deadlineMs: 60_000 });
  return () => database.close();
});

/** Publishes and consumes as Recency's processes do, with a record of what was published. */
async function line(brokers: string[], topic: string) {
  const opened = await at({ kind: 'kafka', brokers, topic });
  const publisher = freshPublisher(brokers, topic);
  const consume = (handler?: () => Promise<void>, onLoss?: () => Promise<void>) =>
    run(opened, handler, { kafka: { ends: endsOf(topic) }, ...(onLoss ? { onLoss } : {}) });
  return { opened, consume, publish: (count: number) => publish(publisher, count) };
}

const endsOf = (topic: string) => new KafkaEnds(database, topic);

function freshPublisher(brokers: string[], topic: string): KafkaTaskPublisher {
  const publisher = new KafkaTaskPublisher({
    ...{ kafka: kafkaSettings(brokers), topic, partitions: 1, deadlineMs: 20_000, ends: endsOf(topic) },
  });
  onTestFinished(() => publisher.close());
  return publisher;
}

/** Publishes tasks of one user, each with its own offset. Returns their ids. */
async function publish(publisher: KafkaTaskPublisher, count: number): Promise<string[]> {
  const tasks = freshTasks(count, '7');
  for (const task of tasks) await until(() => publisher.publish([task]).then(() => true));
  return tasks.map(({ id }) => id);
}

type Consumer = Awaited<ReturnType<typeof line>>['consume'] extends (handler?: never) => infer C ? C : never;
/** In the order of their first delivery: what is published again after a lost reply is there twice. */
const idsOf = ({ received }: Consumer) => [...new Set(received.map(({ headers }) => headers.ce_id))];

const hasHandled = async ({ handled, source }: Consumer, count: number) =>
  handled.size >= count && (await source.lag()) === 0;

/** A broker that can be restored to an earlier state: its data directory is copied. */
class OldBroker implements AsyncDisposable {
  readonly server: RunningServer;
  readonly #data: string;

  private constructor(server: RunningServer) {
    this.server = server;
    this.#data = join(String(server.facts.dir), 'data');
  }

  static async start(): Promise<OldBroker> {
    return new OldBroker(await startKafka({ from: 'programs' }));
  }

  /** As a snapshot of its disk does: it is held meanwhile, because each start takes several seconds of the processor. */
  async remember(): Promise<void> {
    await this.server.kill('SIGSTOP');
    await cp(this.#data, `${this.#data}-old`, { recursive: true });
    await this.server.kill('SIGCONT');
  }

  async putBack(): Promise<void> {
    await this.server.stop();
    await rm(this.#data, { recursive: true });
    await cp(`${this.#data}-old`, this.#data, { recursive: true });
    await this.server.restart();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.remove();
  }
}

describe.runIf(hasKafka())('a broker that restarts with older data', { timeout: 600_000 }, () => {
  // One broker that goes back once, because each of its starts takes several seconds of the processor.
  it('is found by the next consumer, once, whatever was published since; and by one that ran all the time, before anything later is delivered', async () => {
    await using broker = await OldBroker.start();
    const lost = await Promise.all([0, 3, 8].map(async (since) => ({ since, ...(await consumed(broker)) })));
    const running = await holding(broker);
    await broker.remember();
    await Promise.all([...lost, running].map(({ publish: more }) => more(5)));
    await until(() => running.isHeld());
    await broker.putBack();
    await running.isFound();
    await Promise.all(lost.map(isFoundOnce));
  });

  /** A topic of which 1–5 are consumed. */
  async function consumed({ server }: OldBroker) {
    const all = await line([server.url], freshName());
    await all.publish(5);
    const first = all.consume();
    await until(() => hasHandled(first, 5));
    await first.stop();
    return all;
  }

  /** 6–10 were lost, and so many were published since. */
  async function isFoundOnce({
    since,
    consume,
    publish: more,
  }: Awaited<ReturnType<typeof consumed>> & { since: number }) {
    const after = await more(since);
    const next = consume();
    await until(() => next.losses.length > 0);
    await until(() => idsOf(next).length === since);
    expect(next.losses.map(({ reason }) => reason)).toEqual(['end_lost']);
    expect(idsOf(next)).toEqual(after);
    await next.stop();
    const last = consume();
    const final = await more(2);
    await until(() => idsOf(last).length === 2);
    expect(idsOf(last)).toEqual(final);
    expect(last.losses).toEqual([]);
  }

  /** A topic of which 1–5 are consumed, whose consumer holds what comes next, and gives it back when the broker has gone back. */
  async function holding({ server }: OldBroker) {
    const { consume, publish: more } = await line([server.url], freshName());
    await more(5);
    const gate = Promise.withResolvers<void>();
    let [mayHold, isHeld] = [false, false];
    let before: unknown[] | undefined;
    const one = consume(
      async () => {
        if (!mayHold || isHeld) return;
        isHeld = true;
        await gate.promise;
        throw new Error('given back');
      },
      async () => {
        before ??= idsOf(one);
      },
    );
    await until(() => hasHandled(one, 5));
    mayHold = true;
    const isFound = async () => {
      gate.resolve();
      const after = await more(3);
      await until(() => after.every((id) => idsOf(one).includes(id)));
      expect(one.losses.map(({ reason }) => reason)).toContain('end_lost');
      expect(before?.filter((id) => after.includes(String(id)))).toEqual([]);
    };
    return { publish: more, isHeld: () => isHeld, isFound };
  }
});

describe.runIf(hasKafka())('the record of what was published', () => {
  it('finds a topic that was deleted and recreated, once', async () => {
    const topic = await freshTopic();
    const { consume, publish: more } = await line(kafkaBrokers(), topic);
    await more(4);
    const first = consume();
    await until(() => hasHandled(first, 4));
    await first.stop();
    const kafka = new Kafka({ brokers: kafkaBrokers(), logLevel: 0 });
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    // A member that leaves late is in it a while longer.
    await until(() => admin.deleteGroups([topic]).then(() => true));
    await admin.deleteTopics({ topics: [topic] });
    await until(() => ensureTopics(admin, [{ topic, numPartitions: 1 }]).then(() => true));
    const next = consume();
    await until(() => next.losses.length === 1);
    expect(next.losses).toEqual([
      {
        reason: 'end_lost',
        detail: expect.stringContaining(`partition 0: offset ${first.handled.size - 1} had been assigned`),
        partitions: [0],
      },
    ]);
    await more(2);
    await until(() => hasHandled(next, 2));
    await next.stop();
    const last = consume();
    await more(1);
    await until(() => last.handled.size >= 1);
    expect([...next.losses.slice(1), ...last.losses]).toEqual([]);
  });

  it('finds a partition that the topic has no longer, once, among several consumers', async () => {
    const topic = await freshTopic({ partitions: 2 });
    const opened = await at({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    const ends = endsOf(topic);
    await freshPublisher(kafkaBrokers(), topic).publish(freshTasks(20));
    await ends.record([{ partition: 5, end: 2n, wentBackIn: undefined }]);
    const consumers = [1, 2].map(() => run(opened, undefined, { kafka: { ends } }));
    const losses = () => consumers.flatMap((one) => one.losses);
    await until(() => losses().length > 0);
    expect(losses()).toEqual([
      { reason: 'end_lost', detail: 'partition 5: offset 1 had been assigned, but the log now ends at 0' },
    ]);
    await until(async () => (await ends.read()).get(5)?.end === 0n);
    expect((await ends.read()).get(5)).toEqual({ end: 0n, wentBack: false, generation: 1 });
  });

  it('reports no loss while many publish and consumers fall behind, nor for what others publish', async () => {
    const topic = await freshTopic({ partitions: 3 });
    const opened = await at({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    const one = run(opened, undefined, { kafka: { ends: endsOf(topic) } });
    const publishers = [1, 2, 3, 4].map(() => freshPublisher(kafkaBrokers(), topic));
    await Promise.all(
      publishers.map(async (publisher) => {
        for (let i = 0; i < 40; i++) {
          await Promise.all([publisher.publish(freshTasks(3)), publisher.publish(freshTasks(2))]);
          if (i % 10 === 0) await opened.publisher.publish(freshTasks(1)); // records nothing
        }
      }),
    );
    await until(() => idsOf(one).length === 4 * (40 * 5 + 4));
    expect(one.losses).toEqual([]);
    const producer = new Kafka({ brokers: kafkaBrokers(), logLevel: 0 }).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    for (const [partition, { end, wentBack }] of await endsOf(topic).read()) {
      const [{ baseOffset } = {}] = await producer.send({ topic, messages: [{ partition, value: 'x' }] });
      expect(wentBack).toBe(false);
      expect(end).toBeGreaterThan(0n);
      expect(end).toBeLessThanOrEqual(BigInt(String(baseOffset)));
    }
  });

  it('includes replayed tasks', async () => {
    const topic = await freshTopic();
    const letters = new KafkaDeadLetters({
      ...{ kafka: kafkaSettings(kafkaBrokers()), topic, deadlineMs: 20_000, ends: endsOf(topic) },
    });
    onTestFinished(() => letters.close());
    const delivery = { position: `kafka:${topic}:0:0`, body: Buffer.from('x'), headers: {}, timestamp: 0 };
    await letters.put([{ delivery, failure: { errorClass: 'E', message: 'm', attempts: 1 } }]);
    const [letter] = await letters.list({ limit: 1 });
    expect((await endsOf(topic).read()).size).toBe(0);
    await letters.replay([String(letter?.id)]);
    expect((await endsOf(topic).read()).get(0)).toEqual({ end: 1n, wentBack: false, generation: 0 });
  });

  it('is written before a publisher reports that the transport has the tasks', async () => {
    const topic = await freshTopic();
    const publisher = freshPublisher(kafkaBrokers(), topic);
    await publisher.publish(freshTasks(1));
    await database.write('RENAME TABLE recency_kafka_ends TO elsewhere', []);
    await expect(publisher.publish(freshTasks(1))).rejects.toThrow(/recency_kafka_ends/);
  });
});

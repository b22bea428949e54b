import { type FileHandle, open as openFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { TaskConsumer } from '../../../src/consumers/task-consumer.ts';
import type { WorkPlan } from '../../../src/consumers/work-plan.ts';
import { EVERYBODY } from '../../../src/index/drain-barrier.ts';
import { PartUnavailable } from '../../../src/tools/devservers/server.ts';
import { type RunningServer, startKafka } from '../../../src/tools/devservers/start-server.ts';
import { createKafka } from '../../../src/transport/kafka/client.ts';
import { kafkaBarrier } from '../../../src/transport/kafka/drain-barrier.ts';
import { TopicAdmin } from '../../../src/transport/kafka/topic-admin.ts';
import { LibrdkafkaProducer, sendLines, whyNoLibrdkafka } from '../../support/other-producers.ts';
import { freshName, freshTopic, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';
import { TRUSTED } from '../../support/trust.ts';
import { until } from '../../support/until.ts';
import { freshTask, freshTasks } from '../outgoing-task.ts';
import { kafkaSettings, logger, type Opened, type Wanted } from '../place.ts';
import { useConsumers } from '../use-consumers.ts';

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

const task = (user: number) => JSON.stringify({ type: 'recency.contact.added', user: String(user), contact: '999' });
const tasks = (from: number, count: number) => Array.from({ length: count }, (_, i) => task(from + i));

/** A consumer as the command runs it, with a worker that only records whose tasks it was given. */
function consumeTasks(opened: Opened, wanted: Pick<Wanted, 'stallMs'> = {}) {
  const users = new Set<string>();
  const batches: { ignoredFields: number; deadLetters: number }[] = [];
  const losses: string[] = [];
  const work = async ({ hints }: WorkPlan) => {
    for (const { user } of hints) users.add(user);
    return undefined;
  };
  const consumer = new TaskConsumer({
    watch: TRUSTED,
    ...{ source: opened.source(wanted), deadLetters: opened.deadLetters, logger, worker: { work } },
    onLoss: async ({ detail }) => void losses.push(detail),
    onBatch: (batch) => batches.push(batch),
  });
  let end: unknown;
  const running = consumer.run().catch((error: unknown) => {
    end = error;
  });
  onTestFinished(async () => {
    await consumer.stop();
    await running;
  });
  const sum = (name: 'ignoredFields' | 'deadLetters') => batches.reduce((all, batch) => all + batch[name], 0);
  return { users, sum, losses, end: () => end };
}

const has = (users: ReadonlySet<string>, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => String(from + i)).every((user) => users.has(user));

describe.runIf(hasKafka())('messages of producers that are not kafkajs', () => {
  const { at, run } = useConsumers();
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await whyNoLibrdkafka();
  });
  beforeEach((context) => context.skip(missing !== undefined, missing));
  const fresh = async (partitions = 1) =>
    at({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic({ partitions }) });
  const topicOf = ({ place }: Opened) => (place.kind === 'kafka' ? place.topic : '');
  const producer = async (config: Record<string, string | number> = {}) => {
    const opened = await LibrdkafkaProducer.open(kafkaBrokers(), config);
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  };

  it.each(CODECS)('are delivered, compressed with %s by kcat', async (codec) => {
    const opened = await fresh();
    const lines = tasks(1, 60);
    await sendLines(kafkaBrokers(), topicOf(opened), codec, lines);
    const one = run(opened);
    await until(() => one.handled.size === lines.length || one.end() !== undefined);
    expect(one.end()).toBeUndefined();
    expect(one.received.map(({ body }) => String(body))).toEqual(lines);
  });

  it.each(CODECS.slice(1))('are delivered from a topic that compresses with %s, our own among them', async (codec) => {
    const opened = await fresh();
    await withAdmin((admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: topicOf(opened), configEntries: [{ name: 'compression.type', value: codec }] }],
      }),
    );
    const published = freshTasks(600);
    await opened.publisher.publish(published);
    const one = run(opened);
    const received = () => new Set(one.received.map(({ headers }) => headers.ce_id));
    await until(() => received().size === 600 || one.end() !== undefined);
    expect(one.end()).toBeUndefined();
    expect(received()).toEqual(new Set(published.map(({ id }) => id)));
  });

  it('in transactions: committed ones are delivered, aborted ones are not, and none is waiting at the end', async () => {
    const opened = await fresh();
    const [one, other, plain] = [
      await producer({ 'transactional.id': freshName(), 'compression.type': 'lz4' }),
      await producer({ 'transactional.id': freshName() }),
      await producer({ 'compression.type': 'snappy' }),
    ];
    const consuming = consumeTasks(opened);
    const topic = topicOf(opened);
    for (let round = 0; round < 4; round++) {
      await one.begin();
      await other.begin();
      await one.send(topic, tasks(1_000 + round * 30, 30));
      await other.send(topic, tasks(5_000 + round * 30, 30));
      await plain.send(topic, tasks(9_000 + round * 30, 30));
      // Each ends one transaction of two; they overlap.
      await (round % 2 === 0 ? one.abort() : one.commit());
      await (round % 2 === 0 ? other.commit() : other.abort());
    }
    const committed = [1_030, 1_090, 5_000, 5_060, 9_000, 9_030, 9_060, 9_090];
    await until(() => committed.every((from) => has(consuming.users, from, 30)));
    await until(async () => (await opened.source().lag()) === 0);
    for (const from of [1_000, 1_060, 5_030, 5_090]) expect(consuming.users.has(String(from))).toBe(false);
    expect(consuming.sum('deadLetters')).toBe(0);
    expect(consuming.losses).toEqual([]);
    expect(consuming.end()).toBeUndefined();
  });

  it('after a transaction that stays open: they are counted as waiting, and the consumer keeps running', async () => {
    const opened = await fresh(2);
    const topic = topicOf(opened);
    const [hanging, plain] = [await producer({ 'transactional.id': freshName() }), await producer()];
    const consuming = consumeTasks(opened, { stallMs: 4_000 });
    await plain.send(topic, tasks(1, 5));
    await until(async () => has(consuming.users, 1, 5) && (await opened.source().lag()) === 0);
    await hanging.begin();
    await hanging.send(topic, tasks(100, 5));
    await plain.send(topic, tasks(200, 5));
    const admin = new TopicAdmin(createKafka(kafkaSettings(kafkaBrokers())), topic);
    onTestFinished(() => admin.close());
    const raiseBarrier = kafkaBarrier(
      () => admin.offsets(topic),
      () => admin.ends(),
    );
    const barrier = await raiseBarrier([EVERYBODY]);
    expect(await opened.source().lag()).toBe(10);
    // Longer than the limit after which a source that is idle despite waiting work counts as stalled.
    await sleep(9_000);
    expect(consuming.end()).toBeUndefined();
    expect(has(consuming.users, 200, 1)).toBe(false);
    expect(await barrier.passed()).toBe(false);
    await plain.send(topic, tasks(300, 5), {}, 1);
    await until(() => has(consuming.users, 300, 5));
    await hanging.commit();
    await until(() => has(consuming.users, 100, 5) && has(consuming.users, 200, 5));
    await until(async () => (await opened.source().lag()) === 0 && (await barrier.passed()));
    expect(consuming.losses).toEqual([]);
  });

  it('with unknown fields, and as structured CloudEvents, are tasks; tombstones and batches of events are not', async () => {
    const opened = await fresh();
    const [plain, topic] = [await producer({ 'compression.type': 'zstd' }), topicOf(opened)];
    const consuming = consumeTasks(opened);
    await plain.send(topic, [JSON.stringify({ ...JSON.parse(task(1)), reason: 'x', more: [1] })]);
    const event = { specversion: '1.0', id: 'e1', source: '/site', type: 'recency.contact.added' };
    const structured = { ...event, data: { user: '2', contact: '999' } };
    await plain.send(topic, [JSON.stringify(structured)], {
      'content-type': 'application/cloudevents+json; charset=utf-8',
    });
    await plain.send(topic, [JSON.stringify([structured])], { 'content-type': 'application/cloudevents-batch+json' });
    await plain.send(topic, [null]);
    await plain.send(topic, [task(3)]);
    await until(() => has(consuming.users, 1, 3) && consuming.sum('deadLetters') === 2);
    expect(consuming.sum('ignoredFields')).toBe(2);
    const reasons = (await opened.deadLetters.list({ limit: 10 })).map(
      ({ headers }) => headers['dlq-exception-message'],
    );
    expect(reasons).toEqual([
      'content-type: a batch of CloudEvents; send one event in each message',
      'the body is null (a tombstone)',
    ]);
  });

  // Snappy cannot: 1 MB of it decompresses to at most 21 MB.
  it.each(['gzip', 'zstd', 'lz4'])(
    'that decompress to very much, with %s, are one dead letter and use little memory',
    async (codec) => {
      const opened = await fresh(2);
      const topic = topicOf(opened);
      const bomb = await producer({ 'message.max.bytes': 400_000_000, 'compression.type': codec });
      await bomb.send(topic, tasks(1, 2));
      await bomb.send(topic, [60_000_000]);
      await bomb.send(topic, tasks(3, 60));
      await bomb.send(topic, tasks(100, 60), {}, 1);
      const before = process.memoryUsage().rss;
      let taken = 0;
      const timer = setInterval(() => {
        taken = Math.max(taken, process.memoryUsage().rss - before);
      }, 5);
      onTestFinished(() => clearInterval(timer));
      const consuming = consumeTasks(opened);
      await until(
        () => has(consuming.users, 1, 62) && has(consuming.users, 100, 60) && consuming.sum('deadLetters') > 0,
      );
      const [letter, ...others] = await opened.deadLetters.list({ limit: 10 });
      expect(others).toEqual([]);
      expect(letter?.headers).toMatchObject({
        'dlq-exception-class': 'InvalidTask',
        'dlq-original-topic': topic,
        'dlq-original-partition': '0',
        'dlq-original-offset': '2',
        'dlq-original-last-offset': '2',
        'dlq-unreadable': 'true',
      });
      expect(letter?.headers['dlq-exception-message']).toMatch(
        `compression (${codec}): it decompresses to more than 33554432`,
      );
      expect((await opened.deadLetters.get(String(letter?.id)))?.body?.length).toBeLessThanOrEqual(65_536);
      await expect(opened.deadLetters.replay([String(letter?.id)])).rejects.toThrow(/could not be read/);
      expect(taken).toBeLessThan(400_000_000); // 40 MB, and what is not collected yet
      expect(consuming.end()).toBeUndefined();
    },
  );

  it('that are unreadable among the dead letters do not prevent reading the others', async () => {
    const opened = await fresh();
    const [bomb] = [await producer({ 'message.max.bytes': 400_000_000, 'compression.type': 'gzip' })];
    const failure = { errorClass: 'InvalidTask', message: 'm', attempts: 1 };
    const { body, headers } = { body: Buffer.from(task(1)), headers: {} };
    const put = () => opened.deadLetters.put([{ delivery: { position: 'p:1', body, headers, timestamp: 1 }, failure }]);
    await put();
    await bomb.send(`${topicOf(opened)}.dlq`, [60_000_000]);
    await put();
    const letters = await opened.deadLetters.list({ limit: 10 });
    expect(letters.map(({ headers }) => headers['dlq-exception-message'])).toEqual([
      'm',
      expect.stringMatching(/more than 33554432 bytes/),
      'm',
    ]);
    expect((await opened.deadLetters.get(String(letters[1]?.id)))?.headers['dlq-unreadable']).toBe('true');
  });
});

describe.runIf(hasKafka())('a broker whose disk returns wrong data', () => {
  const { at } = useConsumers();

  it('delivers damaged batches: each becomes one dead letter and is a loss, and the others are delivered', async ({
    skip,
  }) => {
    // The files of a container are out of reach.
    const started = await startKafka({ from: 'programs' }).catch((error: unknown) => {
      if (!(error instanceof PartUnavailable) || process.env.CI) throw error;
      return skip(error.message);
    });
    await using broker: RunningServer = started;
    const topic = freshName();
    const opened = await at({ kind: 'kafka', brokers: [broker.url], topic });
    const of = (user: string) => ({ ...freshTask(), task: { type: 'recency.user.deleted' as const, user } });
    // Six batches in one partition: a batch has one key.
    for (const i of [1, 2, 3, 4, 5, 6]) await opened.publisher.publish([of('7'), { ...of('7'), id: `last of ${i}` }]);
    const { log, batches } = await damagedLog(join(String(broker.facts.dir), 'data'), topic);
    const damage = async (batch: number, at: number, byte: number) =>
      await log.write(Buffer.from([byte]), 0, 1, (batches[batch] ?? 0) + at);
    await damage(1, 70, 0x7f); // a byte of a record
    await damage(2, 60, 0x09); // how many records: nobody knows where the batch ends
    await damage(4, 22, 0x07); // the codec
    await damage(5, 60, 0x09);
    await log.close();
    const one = consumeTasks(opened);
    await until(async () => one.sum('deadLetters') === 4 && (await opened.source().lag()) === 0);
    const letters = await opened.deadLetters.list({ limit: 10 });
    const places = letters.map(({ headers }) => [headers['dlq-original-offset'], headers['dlq-original-last-offset']]);
    expect(places).toEqual([
      ['2', '3'],
      ['4', '4'],
      ['8', '9'],
      ['10', '10'],
    ]);
    for (const { headers } of letters)
      expect(headers['dlq-exception-message']).toMatch(/checksum \(CRC-32C\) is wrong/);
    // What was in them nobody knows; of the third one, not even how much.
    expect(one.losses).toContainEqual(expect.stringMatching(/: 5…5 are gone$/));
    const lost = one.losses.flatMap((detail) => /^(\d+) tasks could not be applied/.exec(detail)?.[1] ?? []);
    expect(lost.reduce((sum, count) => sum + Number(count), 0)).toBe(4);
    expect(one.end()).toBeUndefined();
  });
});

/** The log of the one partition that is not empty, and where its batches begin. */
async function damagedLog(data: string, topic: string): Promise<{ log: FileHandle; batches: number[] }> {
  for (const folder of (await readdir(data)).filter((name) => name.startsWith(`${topic}-`))) {
    const log = await openFile(join(data, folder, '00000000000000000000.log'), 'r+');
    const bytes = await log.readFile();
    const batches: number[] = [];
    for (let from = 0; from + 12 <= bytes.length; from += 12 + bytes.readInt32BE(from + 8)) batches.push(from);
    if (batches.length > 0) return { log, batches };
    await log.close();
  }
  throw new Error(`nothing was written to ${topic}`);
}

import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CaptureGap, type ChangeBatch } from '../../../src/capture/change-source.ts';
import { ConnectorMistake } from '../../../src/capture/debezium/messages.ts';
import { DebeziumSource } from '../../../src/capture/debezium/source.ts';
import { checkTopics, moveToEnds } from '../../../src/capture/debezium/topics.ts';
import { ensureTopics } from '../../../src/transport/kafka/topic-admin.ts';
import { compact } from '../../support/compaction.ts';
import { silent } from '../../support/outbox-bench.ts';
import { freshName, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';

const COLUMNS = new Map([['id', 'bigint unsigned']]);
const OWN = new Map([
  ['source', 'varchar(64)'],
  ['saved_at', 'bigint'],
  ['fences', 'bigint unsigned'],
]);
const mapped = [{ schema: 'shop', table: 'posts' }];

/** Messages as Debezium writes them. */
const event = (table: string, op: string, before: object | null, after: object | null): string =>
  JSON.stringify({ before, after, source: { db: 'shop', table, ts_ms: 1_700_000_000_000 }, op, ts_ms: 1 });
const insert = (id: number): string => event('posts', 'c', null, { id });
const echo = (fences: number): string => {
  const row = (n: number) => ({ source: 'debezium', saved_at: 5, fences: n });
  return event('recency_capture', 'u', row(fences - 1), row(fences));
};
const statement = (ddl: string): string =>
  JSON.stringify({ source: { db: 'shop' }, databaseName: 'shop', ddl, ts_ms: 1 });

const never = new AbortController().signal;

describe.runIf(hasKafka())('a source of Debezium’s topics', () => {
  async function connector() {
    const prefix = freshName();
    const topics = [prefix, `${prefix}.shop.posts`, `${prefix}.shop.recency_capture`];
    await withAdmin((admin) =>
      ensureTopics(
        admin,
        topics.map((topic) => ({ topic })),
      ),
    );
    onTestFinished(() => withAdmin((admin) => admin.deleteTopics({ topics })));
    const group = `${prefix}.capture`;
    const kafka = new Kafka({ clientId: 'test', brokers: kafkaBrokers(), logLevel: logLevel.NOTHING });
    await withAdmin((admin) => moveToEnds(kafka, admin, group, topics, async () => 6));
    // One for each test: a producer remembers topics that are deleted by now.
    const producer = kafka.producer();
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const [schemas = '', posts = '', own = ''] = topics;
    const send = (topic: string, ...values: (string | null)[]) =>
      producer.send({ topic, messages: values.map((value) => ({ key: 'k', value })) });
    const open = () => {
      const settings = { brokers: kafkaBrokers(), clientId: 'test', connectTimeoutMs: 5_000, requestTimeoutMs: 10_000 };
      const source = new DebeziumSource({
        ...{ kafka: { ...settings, logger: silent }, group, sessionTimeoutMs: 6_000, prefix, mapped },
        columnsOf: (_schema, table) => ({ posts: COLUMNS, recency_capture: OWN })[table],
        watched: { schemas: ['shop'], names: ['posts'], routines: [] },
        own: { schema: 'shop', source: 'debezium' },
      });
      onTestFinished(() => source.close());
      return source;
    };
    return { prefix, posts, own, schemas, group, kafka, send, open };
  }

  /** Batches until one meets the condition. */
  async function batches(source: DebeziumSource, isLast: (batch: ChangeBatch) => boolean): Promise<ChangeBatch[]> {
    const all: ChangeBatch[] = [];
    for (;;) {
      const batch = await source.next(30_000, never);
      all.push(batch);
      if (isLast(batch)) return all;
      await source.published();
    }
  }

  const idsOf = (some: readonly ChangeBatch[]) => some.flatMap(({ changes }) => changes.map(({ after }) => after?.id));

  it('gives changes again until they are published, and then what came meanwhile', async () => {
    const { send, open, posts } = await connector();
    await send(posts, insert(1), null, insert(2));
    const first = open();
    expect(idsOf([await first.next(30_000, never)])).toEqual(['1', '2']);
    await first.close();
    const second = open();
    expect(idsOf([await second.next(30_000, never)])).toEqual(['1', '2']);
    await second.published();
    await second.close();
    await send(posts, insert(3));
    expect(idsOf([await open().next(30_000, never)])).toEqual(['3']);
  });

  it('lets a write of Recency’s own come back only with all that was there before it', async () => {
    const { send, open, posts, own } = await connector();
    const source = open();
    await send(posts, insert(1));
    await send(own, echo(7));
    const seen = await batches(source, (batch) => batch.echoes.some(({ fence }) => fence === 7));
    expect(idsOf(seen)).toEqual(['1']);
  });

  it('is a gap where a write of Recency’s own is missing, also between two processes', async () => {
    const { send, open, own } = await connector();
    await send(own, echo(7));
    const first = open();
    await batches(first, ({ echoes }) => echoes.length > 0);
    await first.published();
    await first.close();
    await send(own, echo(7), echo(8)); // Debezium may write twice
    const second = open();
    await batches(second, ({ echoes }) => echoes.some(({ fence }) => fence === 8));
    await second.published();
    await second.close();
    await send(own, echo(10));
    await expect(batches(open(), () => false)).rejects.toThrow('write 10 of Recency');
  });

  it('is a gap where another has committed the offset of Recency’s own topic', async () => {
    const { open, own, group } = await connector();
    await withAdmin((admin) =>
      admin.setOffsets({ groupId: group, topic: own, partitions: [{ partition: 0, offset: '0' }] }),
    );
    await expect(open().next(30_000, never)).rejects.toThrow('that no capture has committed');
  });

  it('does not begin at the present while another reads', async () => {
    const { send, open, posts, group, kafka } = await connector();
    await send(posts, insert(1));
    const source = open();
    expect(idsOf([await source.next(30_000, never)])).toEqual(['1']);
    await expect(withAdmin((admin) => moveToEnds(kafka, admin, group, [posts], async () => 6))).rejects.toThrow(
      'has members',
    );
    await source.close();
    expect(idsOf([await open().next(30_000, never)])).toEqual(['1']);
  });

  it('is a gap where Kafka has deleted messages unread', async () => {
    const { send, open, posts } = await connector();
    await send(posts, insert(1), insert(2), insert(3));
    await withAdmin(async (admin) => {
      await admin.fetchTopicOffsets(posts); // without it, the client does not know where the topic is
      await admin.deleteTopicRecords({ topic: posts, partitions: [{ partition: 0, offset: '2' }] });
    });
    const seen = open().next(30_000, never);
    await expect(seen).rejects.toThrow(`Kafka does not have ${posts} from offset 0 on`);
    await expect(seen).rejects.toThrow(CaptureGap);
  });

  it('is a gap where Kafka has compacted a topic since', async () => {
    const { send, open, posts } = await connector();
    await send(posts, insert(1));
    const source = open();
    expect(idsOf([await source.next(30_000, never)])).toEqual(['1']);
    await source.published();
    await source.close();
    await send(posts, insert(2));
    await compact(posts, 1, () => send(posts, insert(3)));
    const seen = open().next(30_000, never);
    await expect(seen).rejects.toThrow(`Kafka has removed unread messages of ${posts}: partition 0: 1…`);
    await expect(seen).rejects.toThrow(CaptureGap);
  });

  it('goes on behind a transaction of which nothing is to be read', async () => {
    const { send, open, posts, own, kafka } = await connector();
    const producer = kafka.producer({ transactionalId: posts, maxInFlightRequests: 1, idempotent: true });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    await send(posts, insert(1));
    const source = open();
    expect(idsOf([await source.next(30_000, never)])).toEqual(['1']);
    await source.published();
    for (const end of ['abort', 'commit'] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: posts, messages: [{ key: 'k', value: insert(2) }] });
      await transaction[end]();
    }
    await send(own, echo(7));
    const seen = await batches(source, (batch) => batch.echoes.some(({ fence }) => fence === 7));
    expect(idsOf(seen)).toEqual(['2']);
  });

  it('is a gap where a statement or a row without its image changes what nobody can know', async () => {
    for (const [topic, value, said] of [
      ['schemas', statement('ALTER TABLE posts MODIFY id INT'), 'ALTER TABLE posts MODIFY id INT'],
      ['posts', event('posts', 't', null, null), 'TRUNCATE TABLE'],
      ['posts', event('posts', 'u', null, { id: 1 }), 'came without the row before it'],
    ] as const) {
      const { open, send, ...topics } = await connector();
      await send(topics.posts, insert(1));
      await send(topics.schemas, statement('ALTER TABLE posts ADD INDEX (id)'), statement('CREATE TABLE x (id INT)'));
      const source = open();
      expect(idsOf([await source.next(30_000, never)])).toEqual(['1']);
      await source.published();
      await send(topics[topic], value);
      await expect(batches(source, () => false)).rejects.toThrow(said);
    }
  });

  it('ends with what the connector must do where messages are not its own', async () => {
    const { send, open, posts } = await connector();
    await send(posts, '\u0000avro');
    await expect(open().next(30_000, never)).rejects.toThrow(ConnectorMistake);
  });

  it('is refused where a topic is missing or compacted, by name', async () => {
    const { prefix } = await connector();
    const topic = `${prefix}.shop.pairs`;
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
    await withAdmin((admin) => ensureTopics(admin, [{ topic, configEntries }]));
    onTestFinished(() => withAdmin((admin) => admin.deleteTopics({ topics: [topic] })));
    const check = (...tables: string[]) =>
      withAdmin((admin) =>
        checkTopics(
          admin,
          prefix,
          tables.map((table) => ({ schema: 'shop', table })),
        ),
      );
    await check('posts');
    await expect(check('posts', 'pairs')).rejects.toThrow(`the topic ${topic} is compacted`);
    await expect(check('posts', 'likes')).rejects.toThrow(
      `there is no topic ${prefix}.shop.likes for the table shop.likes of the mapping`,
    );
  });
});

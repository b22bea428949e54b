import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import kafkajs, { type Admin, CompressionTypes, type Message, Partitioners } from 'kafkajs';
import { readEpochState } from '../../src/mysql/losses.ts';
import { between, pick } from '../../src/tools/demo/random.ts';
import type { World } from './world.ts';

/** What other producers, brokers and transactions do to the tasks themselves. */

const compress = promisify(zstdCompress);

/** A separate producer that compresses with zstd, independent of the product's codec. */
kafkajs.CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => compress(buffer),
  decompress: async (buffer: Buffer) => zstdDecompressSync(buffer),
});

/** A version that no row ever reaches. */
const HOPELESS = '9000000000000000000';

const STRANGE: readonly (string | null)[] = [
  'not JSON',
  null,
  '{"type":"recency.contact.added","user":"0","contact":"1"}',
  '{"type":"recency.unknown"}',
];

/** Invalid messages, and a task with an unknown field, in one compressed batch. */
export async function sendStrangeMessages({ namespace, stores, cast, random }: World): Promise<string> {
  const { kafkaBrokers, topic, keyPrefix } = namespace.config;
  const [user, contact] = [pick(random, cast.players), pick(random, cast.players)];
  const known = JSON.stringify({ type: 'recency.contact.changed', user, contact, added_later: 'by a newer producer' });
  const bodies = [...STRANGE, ...(user === contact ? [] : Array<string>(50).fill(known))];
  if (namespace.transport === 'kafka') {
    await withKafka(kafkaBrokers, async (kafka) => {
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      const messages = bodies.map((value): Message => ({ key: user, value }));
      await producer.send({ topic, messages, compression: CompressionTypes.ZSTD }).finally(() => producer.disconnect());
    });
  } else {
    const pipeline = stores.redis.pipeline();
    for (const body of bodies)
      pipeline.xadd(`${keyPrefix}:${topic}`, '*', ...(body === null ? ['a', 'b'] : ['body', body]));
    await pipeline.exec();
  }
  return `${bodies.length} messages`;
}

type Transported = Pick<World, 'namespace' | 'stores'>;

const streamOf = ({ keyPrefix }: { readonly keyPrefix: string }, topic: string): string => `${keyPrefix}:${topic}`;

/** A lane of the transport loses everything that was not consumed. */
const losing =
  (topicOf: (topic: string) => string) =>
  async ({ namespace: { config, transport }, stores }: Transported): Promise<undefined> => {
    const topic = topicOf(config.topic);
    if (transport === 'streams') await stores.redis.unlink(streamOf(config, topic));
    else {
      await withKafka(config.kafkaBrokers, async (kafka) => {
        const admin = kafka.admin();
        await admin.connect();
        await deleteAll(admin, topic).finally(() => admin.disconnect());
      });
    }
  };

export const loseTasks = losing((topic) => topic);

/** Plans and segments of large audiences. */
export const losePlans = losing((topic) => `${topic}.bulk`);

/** An operator moves the consumers past what they have not read. Kafka refuses that while they are in the group. */
export async function moveForward({
  namespace: { config, transport },
  stores,
}: Transported): Promise<string | undefined> {
  if (transport === 'kafka') return 'refused: there are consumers';
  await stores.redis.xgroup('SETID', streamOf(config, config.topic), config.kafkaGroup, '$');
  return undefined;
}

/** Entries in the middle of what is unread; Kafka deletes from the beginning alone, as when the tasks are lost. */
export async function deleteUnread({ namespace: { config, transport }, stores, random }: World): Promise<string> {
  if (transport === 'kafka') return 'nowhere: Kafka has no such command';
  const stream = streamOf(config, config.topic);
  const newest = await stores.redis.xrevrange(stream, '+', '-', 'COUNT', between(random, 1, 20));
  const ids = newest.slice(Math.floor(newest.length / 2)).map(([id]) => id);
  if (ids.length > 0) await stores.redis.xdel(stream, ...ids);
  return `${ids.length} of the newest`;
}

async function deleteAll(admin: Admin, topic: string): Promise<void> {
  const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high }));
  await admin.deleteTopicRecords({ topic, partitions });
}

async function withKafka(brokers: readonly string[], work: (kafka: kafkajs.Kafka) => Promise<void>): Promise<void> {
  await work(new kafkajs.Kafka({ clientId: 'soak', brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }));
}

/** A task arrives for a change that is never committed. */
export async function sendHopelessTask({ stores, cast, random }: World): Promise<undefined> {
  const pair = [pick(random, cast.players), pick(random, cast.players)];
  if (pair[0] === pair[1]) return;
  const row =
    "INSERT INTO recency_outbox (type, user_id, other_id, version) VALUES ('recency.contact.changed', ?, ?, ?)";
  await stores.primary.write(row, [...pair, HOPELESS]);
}

/** Deletes re-checks that can never succeed, as an operator would, instead of waiting four minutes. */
export async function giveUpHopeless({ stores }: Pick<World, 'stores'>): Promise<void> {
  await stores.primary.write('DELETE FROM recency_outbox WHERE is_recheck = TRUE AND version = ?', [HOPELESS]);
}

const LONGEST_TRANSACTION_MS = 1_500;

/** A task is published before its transaction commits, which changes nothing but the version. */
export async function publishEarly({ stores, cast, random }: World): Promise<string> {
  const connection = await stores.pool.getConnection();
  const star = pick(random, cast.players);
  try {
    await connection.beginTransaction();
    const select = 'SELECT contact_id, version FROM contacts WHERE user_id = ? LIMIT 1 FOR UPDATE';
    const [[row]] = (await connection.execute(select, [star])) as unknown as [
      { contact_id: number | string; version: number | string }[],
    ];
    if (row === undefined) return 'of nobody';
    const [contact, version] = [String(row.contact_id), String(BigInt(row.version) + 1n)];
    const task = { type: 'recency.contact.changed', user: star, contact, version } as const;
    const ms = between(random, 10, LONGEST_TRANSACTION_MS);
    await stores.publisher.publish([
      { task, id: `early:${star}:${contact}:${version}`, source: '/soak', time: Date.now() },
    ]);
    await pause(ms);
    await connection.execute('UPDATE contacts SET version = ? WHERE user_id = ? AND contact_id = ?', [
      version,
      star,
      contact,
    ]);
    return `${ms} ms before its commit`;
  } finally {
    await connection.commit().catch(() => connection.destroy());
    connection.release();
  }
}

/** Redis is out of memory for a while. */
export async function fillRedis({ stores: { redis }, random }: World, signal: AbortSignal): Promise<string> {
  const used = /^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1] ?? '1';
  const ms = between(random, 200, 2_000);
  await redis.call('CONFIG', 'SET', 'maxmemory', used);
  await pause(ms, undefined, { signal }).catch(() => undefined);
  await redis.call('CONFIG', 'SET', 'maxmemory', '0');
  return `for ${ms} ms`;
}

const LOOK_MS = 100;
const CAUGHT_UP_MS = 60_000;

/** After a loss, waits until the consumers have caught up and a new epoch has begun. @throws Error when they do not */
export async function untilTrusted({ stores, signal }: Pick<World, 'stores' | 'signal'>): Promise<void> {
  const deadline = performance.now() + CAUGHT_UP_MS;
  for (;;) {
    const { suspended, epoch, losses } = await readEpochState(stores.primary);
    if (!suspended) return;
    if (performance.now() > deadline) {
      throw new Error(`the epoch is suspended for good: ${epoch.why}; ${JSON.stringify(losses)}`);
    }
    await pause(LOOK_MS, undefined, { signal });
  }
}

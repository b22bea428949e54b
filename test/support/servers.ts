import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, inject } from 'vitest';
import { ensureTopics } from '../../src/transport/kafka/topic-admin.ts';
import '../../src/transport/kafka/kafkajs-patches.ts'; // without it kafkajs spins and warns here, too

declare module 'vitest' {
  export interface ProvidedContext {
    mysqlUrl: string;
    redisUrl: string;
    /** null: this machine has no broker. */
    kafkaBrokers: string | null;
  }
}

const cleanUps: (() => Promise<void>)[] = [];

/** Registered when this module loads, so it runs after a test file's own hooks have closed their connections. */
afterAll(async () => {
  const outcomes = await Promise.allSettled(cleanUps.splice(0).map((cleanUp) => cleanUp()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
});

/** The server's address, without a database: see {@link freshDatabase}. */
export const mysqlUrl = (): string => inject('mysqlUrl');
export const redisUrl = (): string => inject('redisUrl');
export const hasKafka = (): boolean => inject('kafkaBrokers') !== null;

/** Throws where there is no broker; guard a suite with `describe.runIf(hasKafka())`. */
export function kafkaBrokers(): string[] {
  const brokers = inject('kafkaBrokers');
  if (brokers === null) throw new Error('no Kafka broker: guard this suite with describe.runIf(hasKafka())');
  return brokers.split(',');
}

/** A unique lower-case name, valid for a database, a key prefix, a topic or a consumer group. */
export function freshName(): string {
  return `t${randomBytes(6).toString('hex')}`;
}

/** Creates an empty database, dropped when the test file ends. Returns its URL. */
export async function freshDatabase(server = mysqlUrl()): Promise<string> {
  const name = freshName();
  await runSql(server, `CREATE DATABASE ${name}`);
  cleanUps.push(() => runSql(server, `DROP DATABASE IF EXISTS ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function runSql(server: string, statement: string): Promise<void> {
  const url = new URL(server);
  url.pathname = '/';
  const connection = await createConnection(url.href);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}

/** A unique key prefix; its keys are deleted when the test file ends. */
export function freshPrefix(server = redisUrl()): string {
  const prefix = freshName();
  cleanUps.push(() => deleteKeys(server, prefix));
  return prefix;
}

async function deleteKeys(server: string, prefix: string): Promise<void> {
  const redis = new Redis(server, { lazyConnect: true, retryStrategy: () => null });
  await redis.connect();
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}

/** Creates a topic, deleted with its dead letters (`<topic>.dlq`) when the test file ends. Returns its name. */
export async function freshTopic({ partitions = 1 } = {}): Promise<string> {
  const topic = freshName();
  await withAdmin(async (admin) => {
    await ensureTopics(admin, [{ topic, numPartitions: partitions }]);
  });
  cleanUps.push(() => deleteTopics([topic, `${topic}.dlq`]));
  return topic;
}

async function deleteTopics(names: readonly string[]): Promise<void> {
  await withAdmin(async (admin) => {
    const present = new Set(await admin.listTopics());
    const topics = names.filter((name) => present.has(name));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });
}

/** Works with an admin client of the shared broker, or of these. */
export async function withAdmin<T>(work: (admin: Admin) => Promise<T>, brokers = kafkaBrokers()): Promise<T> {
  const admin = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Runs statements on a connection of their own. Returns the rows of the last one. */
export async function sql(url: string, ...statements: string[]): Promise<RowDataPacket[]> {
  const connection = await createConnection(url);
  try {
    let rows: RowDataPacket[] = [];
    for (const statement of statements) [rows] = await connection.query<RowDataPacket[]>(statement);
    return rows;
  } finally {
    await connection.end();
  }
}

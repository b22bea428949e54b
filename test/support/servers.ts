import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { inject } from 'vitest';
import type { Kind } from '../../src/contracts/kind.ts';
import { ensureTopics } from '../../src/transport/kafka/topic-admin.ts';
import '../../src/transport/kafka/kafkajs-patches.ts'; // without it kafkajs spins and warns here, too
import { createCopy, databaseUrl, type SchemaTexts } from './schema-copies.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    mysqlUrl: string;
    redisUrl: string;
    /** null: this machine has no broker. */
    kafkaBrokers: string | null;
    /** Begins the name of each database of this run. */
    databasePrefix: string;
    schemaTexts: SchemaTexts;
  }
}

const cleanUps: (() => Promise<void>)[] = [];

const created = { databases: 0 };

/** How many databases the tests of this process have created. */
export const databasesCreated = (): number => created.databases;

const closings: (() => unknown)[] = [];

/**
 * Closes something when the test file has ended, what was opened last first. Unlike `afterAll` it may be called in a hook or a test:
 * hooks that are registered there never run, and where files share a process what they leave open adds up.
 */
export function closeAtEnd(close: () => unknown): void {
  closings.push(close);
}

/**
 * Closes what the test file has opened, then deletes what it has created on the shared servers.
 * @throws the first error, once everything was tried
 */
export async function cleanUp(): Promise<void> {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (const close of closings.splice(0).reverse()) outcomes.push(...(await Promise.allSettled([tried(close)])));
  // A server that is busy with other files may refuse once.
  outcomes.push(...(await Promise.allSettled(cleanUps.splice(0).map((remove) => remove().catch(remove)))));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

const tried = async (close: () => unknown): Promise<unknown> => await close();

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

/** Creates an empty database. It goes with the run: dropping it would take as long as creating it. Returns its URL. */
export async function freshDatabase(server = mysqlUrl()): Promise<string> {
  const name = freshDatabaseName();
  await sql(databaseUrl(server, ''), `CREATE DATABASE ${name}`);
  return databaseUrl(server, name);
}

/** Creates a database with the reference tables and the views of these kinds, as `migrate` does. Returns its URL. */
export function freshCopy(kinds: readonly Kind[]): Promise<string> {
  return createCopy(mysqlUrl(), freshDatabaseName(), inject('schemaTexts'), kinds);
}

function freshDatabaseName(): string {
  created.databases += 1;
  return `${inject('databasePrefix')}${freshName()}`;
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

import type { Cluster, Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import pino from 'pino';
import { closeRedis, openRedisClient, untilRedisAnswers } from '../../app/open-redis.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { createKafka } from '../../transport/kafka/client.ts';
import type { Namespace } from './namespace.ts';
import type { Servers } from './servers.ts';

const logger = pino({ level: 'silent' });

/** Removes what was created on given servers; the others end with all their data. */
export async function removeTraces({ stack }: Servers, namespace: Namespace): Promise<void> {
  const given = new Set(stack.parts.filter(({ origin }) => origin === 'given').map(({ name }) => name));
  if (given.has('mysql')) await dropDatabase(namespace);
  if (given.has('redis')) await dropKeys(namespace);
  if (given.has('kafka') && namespace.transport === 'kafka') await dropTopics(namespace);
}

async function dropDatabase({ config }: Namespace): Promise<void> {
  const url = new URL(config.mysqlUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/';
  const connection = await createConnection(url.href);
  try {
    await connection.query('DROP DATABASE IF EXISTS ??', [name]);
  } finally {
    await connection.end();
  }
}

async function dropKeys({ config }: Namespace): Promise<void> {
  const redis = openRedisClient(config, 'rig', logger);
  try {
    await untilRedisAnswers(redis, { config, signal: new AbortController().signal, logger });
    await removeKeys(redis, `${config.keyPrefix}:*`);
  } finally {
    await closeRedis(redis);
  }
}

async function dropTopics({ config }: Namespace): Promise<void> {
  const kafka = createKafka({
    brokers: config.kafkaBrokers,
    clientId: 'recency-rig',
    connectTimeoutMs: config.connectTimeoutMs,
    requestTimeoutMs: config.kafkaTimeoutMs,
    logger,
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const present = await admin.listTopics();
    const topics = present.filter((topic) => isOf(config.topic, topic));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((group) => isOf(config.kafkaGroup, group));
    if (own.length > 0) await admin.deleteGroups(own);
  } finally {
    await admin.disconnect();
  }
}

/** The name itself, or a name derived from it, such as that of the dead letters. */
function isOf(name: string, found: string): boolean {
  return found === name || found.startsWith(`${name}.`);
}

const KEYS_A_CALL = 1_000;

/** Removes all keys that match, on a cluster from each master. */
export async function removeKeys(client: RedisClient, pattern: string): Promise<void> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  for (const node of nodes) {
    for await (const keys of node.scanStream({ match: pattern, count: KEYS_A_CALL })) {
      // One by one: on a cluster they lie in many slots.
      await Promise.all((keys as string[]).map((key) => node.unlink(key)));
    }
  }
}

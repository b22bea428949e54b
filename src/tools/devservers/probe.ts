/** Asks a server what it is, once or until it answers. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { isSupported, OLDEST_VERSIONS, type ServerProduct } from '../../contracts/server-versions.ts';
import type { ServerName } from './server.ts';

/** What a server says about itself. */
export interface Probe {
  readonly product: string;
  readonly version: string;
  /** Distinguishes the server from another one that took its port: a process id, a data directory or a cluster id. */
  readonly identity: string;
}

/** Milliseconds that one attempt to reach a server may take. */
const PROBE_TIMEOUT = 3_000;
/** Milliseconds that a server may take until it answers. A cold disk and two busy cores are slow: a container took more than 60 s. */
export const START_TIMEOUT = 180_000;

/** Probes the server at an address, the first one if there are several. Throws when it does not answer. */
export const probeByName: Readonly<Record<ServerName, (url: string) => Promise<Probe>>> = {
  mysql: probeMysql,
  redis: (url) => probeRedis((url.split(',')[0] ?? '').trim()),
  kafka: probePort,
};

/** Asks the MySQL or MariaDB server at the URL for its version. Throws when it does not answer in time. */
export async function probeMysql(url: string): Promise<Probe> {
  const [row] = await askMysql(url, 'SELECT VERSION() AS version, @@datadir AS dir');
  const { version, dir } = row as { version: string; dir: string };
  const [numbers = ''] = version.split('-');
  return { product: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL', version: numbers, identity: dir };
}

/** Creates the database that the URL names if it is missing. */
export async function createDatabase(url: string): Promise<void> {
  await askMysql(url, `CREATE DATABASE IF NOT EXISTS \`${new URL(url).pathname.slice(1)}\``);
}

/** Runs a statement without a default database: the one that the URL names may be missing. */
async function askMysql(address: string, sql: string): Promise<RowDataPacket[]> {
  const url = new URL(address);
  url.pathname = '/';
  const connection = await createConnection({ uri: url.href, connectTimeout: PROBE_TIMEOUT });
  try {
    const [rows] = await connection.query<RowDataPacket[]>({ sql, timeout: PROBE_TIMEOUT });
    return rows;
  } finally {
    connection.destroy();
  }
}

/** Asks the Redis server at the URL for its version. Throws when it does not answer in time, or is still loading. */
export async function probeRedis(url: string): Promise<Probe> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PROBE_TIMEOUT,
    commandTimeout: PROBE_TIMEOUT,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    const info = await redis.info('server');
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
    return { product: 'Redis', version: field('redis_version'), identity: field('process_id') };
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

/**
 * Asks the broker for its cluster. Throws when it does not answer in time, or has no controller yet.
 * @param version the version to report, because a broker does not report it
 */
export async function probeKafka(broker: string, version: string): Promise<Probe> {
  const { Kafka, logLevel } = await import('kafkajs'); // loaded only by those who start a broker
  const kafka = new Kafka({
    clientId: 'recency-stack',
    brokers: [broker],
    connectionTimeout: PROBE_TIMEOUT,
    requestTimeout: PROBE_TIMEOUT,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers, controller, clusterId } = await admin.describeCluster();
    if (brokers.length === 0 || controller === null) throw new Error('the broker has not joined its cluster yet');
    return { product: 'Kafka', version, identity: clusterId };
  } finally {
    await admin.disconnect();
  }
}

/** Only connects: nothing depends on the version of a broker that was given, so no Kafka client is loaded for it. */
async function probePort(brokers: string): Promise<Probe> {
  const socket = connect({ ...endpointOf('kafka', brokers), timeout: PROBE_TIMEOUT });
  socket.once('timeout', () => socket.destroy(new Error(`no connection within ${PROBE_TIMEOUT} ms`)));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
  return { product: 'Kafka', version: '', identity: '' };
}

/** The first `host:port` of an address, without its password, for connecting and for display. */
export function endpointOf(name: ServerName, address: string): { host: string; port: number } {
  const first = (address.split(',')[0] ?? '').trim();
  const url = new URL(first.includes('://') ? first : `${name}://${first}`);
  const standard = { mysql: 3306, redis: 6379, kafka: 9092 }[name];
  return { host: url.hostname || '127.0.0.1', port: Number(url.port) || standard };
}

export interface ReadyOptions {
  /** One attempt to reach the server. */
  readonly probe: () => Promise<Probe>;
  /** Whether the answer came from the expected server. Default: always. */
  readonly accept?: (probe: Probe) => boolean;
  /** Throws when the server can no longer become ready, for example because its process ended. */
  readonly check: () => void | Promise<void>;
  /** Milliseconds until it gives up. */
  readonly timeout: number;
}

/** Probes a server until it answers. Throws what `check` throws, or the last reason once the time is up. */
export async function untilReady({ probe, accept = () => true, check, timeout }: ReadyOptions): Promise<Probe> {
  const deadline = performance.now() + timeout;
  for (;;) {
    await check();
    let reason = 'another server answers on its port';
    try {
      const answer = await probe();
      if (accept(answer)) return answer;
    } catch (error) {
      reason = reasonOf(error);
    }
    if (performance.now() > deadline) throw new Error(`no answer within ${timeout / 1000} s: ${reason}`);
    await sleep(50);
  }
}

/** The message of an error; its name if it has none, as some connection errors do. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Throws when the product has a minimum version and this one is older. */
export function requireSupported(product: string, version: string, source: string): void {
  if (!(product in OLDEST_VERSIONS) || isSupported(product as ServerProduct, version)) return;
  const oldest = OLDEST_VERSIONS[product as ServerProduct];
  throw new Error(`${product} ${version} (${source}) is too old: Recency needs ${product} ${oldest} or newer`);
}

import process from 'node:process';
import type { Logger } from 'pino';
import { kafkaSettings } from '../app/kafka-transport.ts';
import { openPrimary, openReplica, untilMysqlAnswers } from '../app/open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from '../app/open-redis.ts';
import { appliedWatermarkOf } from '../app/reports.ts';
import { compareSettings } from '../app/shared-settings.ts';
import { inForce } from '../app/shared-sizes.ts';
import { indexStores } from '../app/stores.ts';
import { bulkLaneOf, openTransport } from '../app/transport.ts';
import { type Config, type ReadConfig, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/environment.ts';
import { backlogChecks } from '../health/backlog-checks.ts';
import { type Checks, examine, type Finding, fine, problem } from '../health/finding.ts';
import { samplerChecks } from '../health/sampler-checks.ts';
import { ownerKey, RedisBelongsToAnother, RedisOwnership } from '../index/ownership.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { type RedisClient, untilReady } from '../redis/connection.ts';
import { TextRecord } from '../redis/text-record.ts';
import { openLogger } from '../tracing/logger.ts';
import type { LanedTransport } from '../transport/transport.ts';
import { kafkaChecks } from './kafka-checks.ts';
import { mysqlChecks, settingsVerdict } from './mysql-checks.ts';
import { recordVerdict, redisChecks } from './redis-checks.ts';

/** The longest wait for a server, ms: doctor reports an unavailable server and does not wait for it. */
const PATIENCE_MS = 3_000;

/** How long doctor waits for what is on its way to arrive, ms: usually a tenth of that. */
const MEASURING_MS = 1_500;

/** Errors become findings, not log lines. */
const SILENT = openLogger({ logLevel: 'silent' }, 'doctor', 2);

/**
 * Checks everything that Recency needs. A server that cannot be reached is one finding, and its other checks are
 * skipped.
 */
export async function diagnose(signal: AbortSignal): Promise<Finding[]> {
  const read = settings();
  if ('findings' in read) return read.findings;
  const given = { ...read.config, startTimeoutMs: Math.min(read.config.startTimeoutMs, PATIENCE_MS) };
  const { config } = await inForce({ config: given, signal }, 0).catch(() => ({ config: given }));
  await using resources = new AsyncDisposableStack();
  const logger = SILENT;

  const primary = resources.adopt(openPrimary(config), (database) => database.close());
  const mysql = await examineMysql(primary, config, signal);
  const redis = resources.adopt(openRedisClient(config, 'doctor', logger), closeRedis);
  const inRedis = await examineRedis(redis, config, signal);
  const transport = openTransport({ config, logger, resources, primary }, 'doctor');
  const reached = await examine(config.transport, { reachable: () => answered(transport.untilAnswers(signal)) });
  const streams = streamsClientOf(config, resources);
  const inStreams = streams === undefined || isUnreached(reached) ? [] : await examineStreams(streams, config);
  const found = [
    ...settingsFindings(read),
    ...mysql,
    ...(await examineReplica(config, primary, resources, signal)),
    ...inRedis,
    ...reached,
    ...inStreams,
  ];
  if (isUnreached(found)) return found;
  const records = await examineRecords({ redis, streams, primary }, config);
  const brokers = config.transport === 'kafka' ? await examineKafka({ config, logger, primary, transport }) : [];
  const lanes = config.transport === 'streams' ? await examine('streams', lanesOnRecord(transport)) : [];
  const isTopicMissing = brokers.some(({ check, state }) => check === 'topics' && state === 'warning');
  const backlog = await examineBacklog({ primary, redis, transport, isTopicMissing }, config);
  return [
    ...found,
    ...records,
    ...brokers,
    ...lanes,
    ...backlog,
    ...(await examine('consistency', samplerChecks(redis, config))),
  ];
}

function settings(): ReadConfig | { findings: Finding[] } {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(({ name, message }) => {
      return { area: 'settings', check: name, state: 'problem', detail: message, mend: `Fix ${name}.` } as const;
    });
    return { findings };
  }
}

function settingsFindings({ origins }: ReadConfig): Finding[] {
  const given = Object.values(origins).filter((origin) => origin !== 'default').length;
  const detail = `${given} given, the others are defaults; \`recency config print\` shows them`;
  const node = `Node ${process.versions.node}`;
  return [
    { area: 'settings', check: 'settings', ...fine(detail) },
    { area: 'settings', check: 'runtime', ...fine(node) },
  ];
}

async function answered(reaching: Promise<void>) {
  await reaching;
  return fine('answers');
}

async function examineMysql(primary: Database, config: Config, signal: AbortSignal): Promise<Finding[]> {
  const address = { url: config.mysqlUrl, setting: 'RECENCY_MYSQL_URL', timeoutMs: config.startTimeoutMs, signal };
  const reached = await examine('mysql', { reachable: () => answered(untilMysqlAnswers(primary, address)) });
  if (reached[0]?.state === 'problem') return reached;
  return [...reached, ...(await examine('mysql', mysqlChecks(primary, config)))];
}

async function examineReplica(
  config: Config,
  primary: Database,
  resources: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { mysqlReplicaUrl: url, startTimeoutMs: timeoutMs } = config;
  if (url === undefined) return [];
  const replica = resources.adopt(openReplica(config, url, primary), (database) => database.close());
  const address = { url, setting: 'RECENCY_MYSQL_REPLICA_URL', timeoutMs, signal };
  return await examine('replica', { reachable: () => answered(untilMysqlAnswers(replica, address)) });
}

function isUnreached(findings: readonly Finding[]): boolean {
  return findings.some(({ check, state }) => check === 'reachable' && state === 'problem');
}

/** Of the Redis that carries the tasks; undefined: it has no Redis of its own. */
function streamsClientOf(config: Config, resources: AsyncDisposableStack): RedisClient | undefined {
  if (config.transport !== 'streams' || config.streamsUrl === undefined) return undefined;
  return resources.adopt(openRedisClient(config, 'doctor-streams', SILENT, 'streams'), closeRedis);
}

async function examineStreams(client: RedisClient, config: Config): Promise<Finding[]> {
  await untilReady(client, config.startTimeoutMs);
  return await examine('streams', redisChecks(client, config, 'streams'));
}

/** Are both lanes where tasks were published to, with all of them? */
function lanesOnRecord({ small, bulk }: LanedTransport): Checks {
  return { tasks: () => answered(small.answers()), bulk: () => answered(bulk.answers()) };
}

/** As a process that takes nothing over sees it. */
function ownershipOf(client: RedisClient, primary: Database, { keyPrefix }: Config): RedisOwnership {
  return new RedisOwnership(new TextRecord(client, ownerKey(keyPrefix)), primary, false);
}

interface RecordedStores {
  readonly redis: RedisClient;
  readonly streams: RedisClient | undefined;
  readonly primary: Database;
}

/** Do MySQL and Redis belong together? */
async function examineRecords({ redis, streams, primary }: RecordedStores, config: Config): Promise<Finding[]> {
  const owner = async () => {
    const refused = await ownershipOf(redis, primary, config).check().catch(belonging);
    return refused ? problem(refused.message, refused.remedy) : fine('the indexes in Redis belong to this MySQL');
  };
  const record = () => recordVerdict(redis, primary, 'index');
  const found = await examine('redis', { owner, record });
  if (streams === undefined) return found;
  return [...found, ...(await examine('streams', { record: () => recordVerdict(streams, primary, 'streams') }))];
}

function belonging(error: unknown): RedisBelongsToAnother {
  if (error instanceof RedisBelongsToAnother) return error;
  throw error;
}

async function examineRedis(client: RedisClient, config: Config, signal: AbortSignal): Promise<Finding[]> {
  const reached = await examine('redis', {
    reachable: () => answered(untilRedisAnswers(client, { config, signal, logger: SILENT })),
  });
  if (reached[0]?.state === 'problem') return reached;
  return [...reached, ...(await examine('redis', redisChecks(client, config)))];
}

async function examineKafka({ config, logger, primary, transport }: KafkaExamination): Promise<Finding[]> {
  const laneOf = ({ topic, kafkaGroup: group }: Config) => ({ topic, group });
  const lanes = [laneOf(config), laneOf(bulkLaneOf(config))] as const;
  const cluster = async () => {
    const found = await compareSettings(primary, config, transport);
    return settingsVerdict(found.filter(({ name }) => name === 'RECENCY_KAFKA_BROKERS'));
  };
  return await examine('kafka', { cluster, ...(await kafkaChecks(kafkaSettings(config, 'doctor', logger), lanes)) });
}

interface KafkaExamination {
  readonly config: Config;
  readonly logger: Logger;
  readonly primary: Database;
  readonly transport: LanedTransport;
}

interface BacklogExamination {
  readonly primary: Database;
  readonly redis: RedisClient;
  readonly transport: LanedTransport;
  /** Of Kafka: then dead letters are not looked at, which would create theirs. */
  readonly isTopicMissing: boolean;
}

function examineBacklog(
  { primary, redis, transport, isTopicMissing }: BacklogExamination,
  config: Config,
): Promise<Finding[]> {
  const kinds = indexStores(config, primary, redis).kinds;
  const ownership = ownershipOf(redis, primary, config);
  const watch = {
    known: () => undefined, // it compares nothing
    distrust: () => undefined,
    during: async <T>(work: () => Promise<T>) => {
      await ownership.check();
      const done = await work();
      await ownership.check();
      return done;
    },
  };
  const watermark = appliedWatermarkOf({ primary, watch, redis, kinds, transport }, config);
  const deadLetters = transport.small.openDeadLetters();
  const checks = backlogChecks({
    ...(isTopicMissing ? {} : { deadLetters }),
    ...{ primary, transport, delayQueues: kinds.map(({ delayQueue }) => delayQueue) },
    watched: new WatchedUsers(redis, config.keyPrefix).queue,
    ...{ watermark, measuring: { measure: () => watermark.measure(), patienceMs: MEASURING_MS } },
  });
  return examine('backlog', checks).finally(() => deadLetters.close());
}

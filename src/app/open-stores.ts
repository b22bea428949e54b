import type { Config } from '../config/config.ts';
import { EpochWatch } from '../index/epoch-watch.ts';
import type { Database } from '../mysql/database.ts';
import type { RedisClient } from '../redis/connection.ts';
import { checkColumns, checkPlans, checkPrimary, checkSchema } from './check-schema.ts';
import { type IndexStores, indexStores } from './index-stores.ts';
import { mysqlAddress, type OpenMysqlOptions, openPrimary, untilMysqlAnswers } from './open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import { checkGrants, isAccount } from './privileges.ts';
import type { ProcessContext } from './run-process.ts';
import { agreedSettings } from './shared-settings.ts';

/** MySQL and Redis, ready to be worked with. */
export interface Stores extends IndexStores {
  readonly primary: Database;
  readonly redis: RedisClient;
  /** Says whether what Redis holds can be trusted, and begins a new epoch when it cannot. */
  readonly watch: Pick<EpochWatch, 'isTrusted'>;
}

/** The same, before anybody has looked whether they answer. */
export interface ConnectingStores extends Stores {
  readonly watch: EpochWatch;
}

export interface OpenStoresOptions {
  /** Of the process, for CLIENT LIST. */
  readonly name: string;
  readonly onNewEpoch?: () => void;
  /** The primary is one of this class. */
  readonly Database?: typeof Database;
  /** See {@link OpenMysqlOptions}. */
  readonly isPatient?: OpenMysqlOptions['isPatient'];
}

export type Opening = Pick<ProcessContext, 'config' | 'logger' | 'resources' | 'signal'>;

/**
 * Connects to MySQL and Redis and looks whether they can be worked with; closed with the context's resources.
 * @throws StartError saying what is wrong and how to mend it
 */
export async function openStores(opening: Opening, options: OpenStoresOptions): Promise<Stores> {
  const stores = connectStores(opening, options);
  await checkMysql(opening, stores.primary, options);
  await admitRedis(opening, stores);
  return stores;
}

/** Waits for nothing, and checks nothing. */
export function connectStores(opening: Opening, { name, onNewEpoch, ...options }: OpenStoresOptions): ConnectingStores {
  const { config, logger, resources } = opening;
  const primary = resources.adopt(openPrimary(config, options), (database) => database.close());
  const redis = resources.adopt(openRedisClient(config, name, logger), closeRedis);
  const watch = new EpochWatch({
    ...{ client: redis, database: primary, logger, ...(onNewEpoch ? { onNewEpoch } : {}) },
    roles: carriesTasks(config) ? ['index', 'streams'] : ['index'],
  });
  resources.defer(() => watch.stop());
  return { primary, redis, watch, ...indexStores(config, primary, redis) };
}

/** Waits for Redis, at most so many ms (START_TIMEOUT_MS), and looks whether it can be worked with. @throws StartError, what a watch throws */
export async function admitRedis(
  opening: Opening,
  { redis, watch }: Pick<ConnectingStores, 'redis' | 'watch'>,
  withinMs?: number,
): Promise<void> {
  await untilRedisAnswers(redis, opening, 'index', withinMs);
  await startWatch(watch);
}

/** It may be tried again. @throws RedisUnavailable, DatabaseUnavailable, EpochMissing */
export async function startWatch(watch: EpochWatch): Promise<void> {
  try {
    await watch.start();
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Are the tasks on the Redis of the indexes? Then losing it is one loss, and one watch notices. */
function carriesTasks({ transport, streamsUrl }: Config): boolean {
  return transport === 'streams' && streamsUrl === undefined;
}

/**
 * Waits for MySQL, at most so many ms (START_TIMEOUT_MS), and looks whether it can be worked with.
 * @throws ServerAway, StartError, DatabaseUnavailable, EpochMissing
 */
export async function checkMysql(
  { config, logger, signal }: Opening,
  primary: Database,
  { name, timeoutMs = config.startTimeoutMs }: { readonly name: string; readonly timeoutMs?: number },
): Promise<void> {
  const { mysqlUrl: url } = config;
  await untilMysqlAnswers(primary, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
  const { user } = mysqlAddress(url);
  await checkSchema(primary, user);
  await checkPrimary(primary);
  if (isAccount(name)) await checkGrants(primary, name, user);
  for (const { column, type, fix } of await checkColumns(primary)) {
    logger.warn({ column, type }, `${column} is of type ${type}: fractions of a millisecond are cut off. ${fix}`);
  }
  await checkPlans(primary);
  for (const { name, here, remembered } of await agreedSettings(primary, config)) {
    const text = `${name} was ${remembered} before. Indexes take the new size when they are next written; \`recency repair\` does it at once.`;
    logger.warn({ name, here, remembered }, text);
  }
}

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type Config, loadConfig } from '../config/config.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import { checkColumns, checkGrants, checkPlans, checkPrimary, checkSchema, isAccount } from '../health/check-mysql.ts';
import { DelayedWork, type Rechecks } from '../index/delayed-work.ts';
import { EpochWatch, type RedisTrust } from '../index/epoch-watch.ts';
import { ownerKey, RedisOwnership } from '../index/ownership.ts';
import type { Steps } from '../index/protocol.ts';
import type { RedisContactIndex } from '../index/redis/redis-contact-index.ts';
import { SetBackWatch } from '../index/set-back.ts';
import { stepsOn } from '../index/steps.ts';
import type { Database } from '../mysql/database.ts';
import { nextFencingToken } from '../mysql/leases.ts';
import { type KindDatabase, KindStatements, type KindStatementsOptions } from '../mysql/statements/kind-statements.ts';
import type { RedisClient } from '../redis/connection.ts';
import { DelayQueue } from '../redis/delay-queue.ts';
import { Leases, type LeasesOptions } from '../redis/lease.ts';
import { isAnyKeyLike } from '../redis/masters.ts';
import { TextRecord } from '../redis/text-record.ts';
import { type Site, siteOf } from '../site/site.ts';
import { openLogger } from '../tracing/logger.ts';
import { adoptDatabase, mysqlAddress, type OpenMysqlOptions, openPrimary, untilMysqlAnswers } from './open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import type { ProcessContext } from './run-process.ts';
import { admitSettings, agreedSettings } from './shared-settings.ts';
import { inForce } from './shared-sizes.ts';

/** MySQL and Redis, ready for use. */
export interface Stores extends IndexStores {
  readonly primary: Database;
  readonly redis: RedisClient;
  /** Says whether the contents of Redis can be trusted. It begins a new epoch when they cannot. */
  readonly watch: RedisTrust;
}

/** Stores that are not yet known to answer. */
export interface ConnectingStores extends Stores {
  readonly watch: EpochWatch;
}

interface OpenStoresOptions extends Omit<OpenMysqlOptions, 'extraMs'> {
  /** Name of the process, for CLIENT LIST. */
  readonly name: string;
  readonly onNewEpoch?: () => void;
  /** May Redis be taken from another MySQL (see ../index/ownership.ts)? Left out: no. */
  readonly takesOver?: boolean;
}

/** What is needed to open stores. */
type StoresContext = Pick<ProcessContext, 'config' | 'logger' | 'resources' | 'signal'> &
  Partial<Pick<ProcessContext, 'late'>>;

/**
 * Connects to MySQL and Redis, and checks that they can be used. They are closed with the context's resources.
 * @throws StartError, which says what is wrong and how to fix it
 */
export async function openStores(context: StoresContext, options: OpenStoresOptions): Promise<Stores> {
  const stores = connectStores(context, options);
  await checkMysql(context, stores, options);
  await admitRedis(context, stores);
  return stores;
}

/** Creates the clients; waits for nothing and checks nothing. */
export function connectStores(
  context: StoresContext,
  { name, onNewEpoch, takesOver = false, ...options }: OpenStoresOptions,
): ConnectingStores {
  const { config, logger, resources } = context;
  const primary = adoptDatabase(context, openPrimary(config, options));
  const redis = resources.adopt(openRedisClient(config, name, logger), closeRedis);
  const ownership = new RedisOwnership(new TextRecord(redis, ownerKey(config.keyPrefix)), primary, takesOver);
  const watch = new EpochWatch({
    ...{ client: redis, database: primary, ownership },
    setBack: new SetBackWatch(redis, config.keyPrefix, ownership),
    logger,
    admit: () => admitSettings(primary, config), // an epoch may have begun because others were adopted
    ...(onNewEpoch ? { onNewEpoch } : {}),
    roles: carriesTasks(config) ? ['index', 'streams'] : ['index'],
  });
  resources.defer(() => watch.stop());
  return { primary, redis, watch, ...indexStores(config, primary, redis, { passesOn: name === 'serve' }) };
}

/**
 * Waits until Redis answers and checks that it can be used.
 * @param withinMs maximum time to wait, ms; START_TIMEOUT_MS if left out
 * @throws StartError, RedisUnavailable, DatabaseUnavailable, EpochMissing
 */
export async function admitRedis(
  context: StoresContext,
  { redis, watch }: Pick<ConnectingStores, 'redis' | 'watch'>,
  withinMs?: number,
): Promise<void> {
  await untilRedisAnswers(redis, context, 'index', withinMs);
  await startWatch(watch);
}

/** Starts a watch. After a failure it can be started again. @throws RedisUnavailable, DatabaseUnavailable, EpochMissing */
export async function startWatch(watch: EpochWatch): Promise<void> {
  try {
    await watch.start();
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Whether tasks are on the Redis of the indexes: then losing it is one loss, and one watch notices it. */
function carriesTasks({ transport, streamsUrl }: Config): boolean {
  return transport === 'streams' && streamsUrl === undefined;
}

/**
 * Waits until MySQL answers, at most `timeoutMs` (START_TIMEOUT_MS), checks that it can be used, and finds out what its views have.
 * @throws ServerAway, StartError, DatabaseUnavailable, EpochMissing
 */
export async function checkMysql(
  { config, logger, signal }: StoresContext,
  { primary, site, kinds }: Pick<Stores, 'primary' | 'site' | 'kinds'>,
  { name, timeoutMs = config.startTimeoutMs }: { readonly name: string; readonly timeoutMs?: number },
): Promise<void> {
  const { mysqlUrl: url } = config;
  await untilMysqlAnswers(primary, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
  const { user } = mysqlAddress(url);
  await checkSchema(primary, user, site);
  await checkPrimary(primary);
  if (isAccount(name)) await checkGrants(primary, name, user);
  for (const { column, type, fix } of await checkColumns(primary, site)) {
    logger.warn({ column, type }, `${column} is of type ${type}: fractions of a millisecond are cut off. ${fix}`);
  }
  await checkPlans(kinds.map((of) => of.primary));
  await agreedSettings(primary, config);
}

/** The users' indexes of one kind, and what is needed to change them. */
export interface KindStores {
  readonly kind: Kind;
  /** The primary, and what it is asked about this kind. */
  readonly primary: KindDatabase;
  readonly index: RedisContactIndex;
  readonly steps: Steps;
  /** The same steps with more time, enough to build the index of a user with very many contacts. */
  readonly patient: Steps;
  readonly delayed: DelayedWork;
  readonly delayQueue: DelayQueue;
  readonly rechecks: Rechecks;
}

/** The site, and the indexes of its kinds. */
export interface IndexStores {
  readonly site: Site;
  /** In use, contacts first. */
  readonly kinds: readonly KindStores[];
  /** Those of kinds that are not in use. Their views need not exist; their indexes may, from a time when they were in use. */
  readonly unused: readonly Pick<KindStores, 'kind' | 'index' | 'steps'>[];
}

/** @param options of the statements about each kind */
export function indexStores(
  config: Config,
  primary: Database,
  redis: RedisClient,
  options: KindStatementsOptions = {},
): IndexStores {
  const site = siteOf(config);
  const storesOf = (kind: Kind) => kindStores(new KindStatements(site, kind, options), config, primary, redis);
  return { site, kinds: site.kinds.map(storesOf), unused: site.unused.map(storesOf) };
}

/** The delayed work of one kind. */
function delayQueueOf({ name }: Kind, { keyPrefix }: Pick<Config, 'keyPrefix'>, redis: RedisClient): DelayQueue {
  return new DelayQueue(redis, name === CONTACTS.name ? keyPrefix : `${keyPrefix}:${name}`);
}

/** All kinds share the connections and the epoch; each has its own indexes, delayed work and re-checks. */
function kindStores(statements: KindStatements, config: Config, server: Database, redis: RedisClient): KindStores {
  const { kind } = statements;
  const primary = { server, statements };
  const delayQueue = delayQueueOf(kind, config, redis);
  const delayed = new DelayedWork(delayQueue);
  const steps = stepsOn(
    { primary, redis, delayed },
    {
      max: config.max,
      min: config.min,
      prefix: config.keyPrefix,
      freshNonce: () => randomBytes(9).toString('base64url'),
      rules: config,
      aloneMs: config.mysqlTimeoutMs,
      patientMs: config.mysqlBuildTimeoutMs,
    },
  );
  const { patient, rechecks } = steps;
  return { kind, primary, index: steps.index, steps, patient, delayed, delayQueue, rechecks };
}

/** Maximum number of SCAN calls, of a thousand keys each. */
const SCAN_CALLS = 100;

/**
 * Whether there are indexes. If Redis has too many other keys to find out, the answer is yes: a wrong yes costs only a needless
 * new epoch.
 * @throws RedisUnavailable
 */
export async function doIndexesExist(redis: RedisClient, { keyPrefix }: Config): Promise<boolean> {
  return (await isAnyKeyLike(redis, `${keyPrefix}:{*}:*:m`, SCAN_CALLS)) !== false;
}

/** @param times how long a lease lasts, and how often it is requested while another process holds it */
export function createLeases(
  { keyPrefix }: Config,
  { primary, redis }: Pick<Stores, 'primary' | 'redis'>,
  times: Pick<LeasesOptions, 'ttlMs' | 'retryMs'>,
): Leases {
  return new Leases(redis, {
    ...times,
    prefix: keyPrefix,
    freshHolder: () => randomBytes(12).toString('base64url'),
    nextToken: (name) => nextFencingToken(primary, name, Date.now()),
    now: () => performance.now(),
  });
}

/** What a command that ends by itself needs. */
export interface CommandContext {
  readonly config: Config;
  readonly stores: Stores;
  /** Logs to stderr, warnings and errors only. */
  readonly logger: Logger;
  /** Closed when the command ends. */
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/** Opens MySQL and Redis for some work, then closes them. @throws ConfigError, StartError, what the work throws */
export async function withStores<T>(
  options: OpenStoresOptions,
  signal: AbortSignal,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const { config } = await inForce({ config: loadConfig(), signal });
  const logger = openLogger({ logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, options.name, 2);
  await using resources = new AsyncDisposableStack();
  const stores = await openStores({ config, logger, resources, signal }, options);
  return await work({ config, stores, logger, resources, signal });
}

/** Opens the primary for some work, then closes it. @throws ConfigError, StartError, what the work throws */
export async function withPrimary<T>(
  work: (opened: { config: Config; primary: Database }) => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  const config = loadConfig();
  const primary = openPrimary(config);
  try {
    const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;
    await untilMysqlAnswers(primary, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
    return await work({ config, primary });
  } finally {
    await primary.close();
  }
}

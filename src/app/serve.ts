import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { createApp } from '../api/app.ts';
import type { Access } from '../api/authorize.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { startApi } from '../api/listen.ts';
import { type Check, NotReady } from '../api/readiness.ts';
import type { Streams } from '../api/streams/streams.ts';
import type { Config } from '../config/config.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { WatchManager } from '../push/watch-manager.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { openLogger } from '../tracing/logger.ts';
import type { TaskPublisher } from '../transport/task-publisher.ts';
import type { LanedTransport, Transport } from '../transport/transport.ts';
import { Admission, acceptTasks, admittedQueries, admittedTrust, untilAvailable } from './admission.ts';
import { metricsOfAll, sayStarted } from './ask-workers.ts';
import { DEGRADING, named, storeChecks } from './checks.ts';
import { openConsole } from './console.ts';
import { watchTruth } from './jobs.ts';
import { epochCounter, measureIndexLag, measureOutboxLag, measurePool, measureSuspension, shared } from './metrics.ts';
import { createRegistry } from './metrics-server.ts';
import { adoptDatabase, openReplica, untilMysqlAnswers } from './open-mysql.ts';
import { openStreams, renewedAccess } from './open-streams.ts';
import { measureRenewal } from './renewal.ts';
import { apiReports, untilLagKnown, watchApplied } from './reports.ts';
import { inBackground, type ProcessContext, readVersion, runProcess, TIMES, type Times } from './run-process.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { inForce } from './shared-sizes.ts';
import { admitRedis, type ConnectingStores, checkMysql, connectStores, startWatch } from './stores.ts';
import { openTransport, sharedDeadLetters } from './transport.ts';

const CHECK_DEADLINE_MS = 2_000;
const SLOW_MS = 1_000;

/** How long the start waits for the lag, ms. Where nothing applies changes it is never known. */
const LAG_WITHIN_MS = 5_000;

/** How long a client may leave an answer unread, ms. */
const STALLED_MS = 60_000;

/** Runs the API until a signal ends it. @throws StartError, ListenError */
export async function serve(config: Config, times: Partial<Times> = {}): Promise<void> {
  const start = (context: ProcessContext) => startServe(context, { ...TIMES, ...times });
  await runProcess({ config, logger: openLogger(config, 'serve') }, start);
}

/**
 * Listens first, so that /readyz can say what the start waits for. It waits for MySQL as long as it takes, because nothing can be
 * answered without. Redis and the transport are admitted when they become available; until then MySQL answers alone.
 * The start is over once answers from indexes are exact, or could not be made so for a while: until then other processes answer better.
 */
async function startServe(started: ProcessContext, times: Times): Promise<void> {
  const context = await inForce(started, 0).catch(() => started); // without MySQL it listens, and the check below says what differs
  const { config, logger, resources, signal } = context;
  const registry = createRegistry('serve');
  const onNewEpoch = epochCounter(registry);

  // Open.
  const stores = connectStores(context, { name: 'serve', onNewEpoch });
  const { primary } = stores;
  const reading = openReading(context, primary);
  const transport = openTransport({ ...context, primary }, 'serve');
  const admission = openAdmission(context, stores, transport, onNewEpoch);
  const publisher = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  measureOutboxLag(registry, primary);
  measureSuspension(registry, primary);
  measurePool(registry, primary);
  measureRenewal(registry, context.renewal);

  const watch = admittedTrust(stores.watch, admission);
  const watermark = watchApplied(context, { ...stores, transport, watch }, onNewEpoch);
  measureIndexLag(registry, watermark);

  // Listen.
  const start = { isAnswering: false, isOver: false, isEnding: false };
  const streams = openStreams(context, { ...stores, reading, watermark });
  const access = renewedAccess(context, streams);
  const parts: ServeParts = { stores, reading, transport, admission, watermark, start, streams, access, times };
  const url = await listen(context, apiApp(context, parts, { registry, publisher }), parts);

  // Check.
  await untilAvailable(() => checkMysql(context, stores, { name: 'serve', timeoutMs: 0 }), { logger, signal });
  if (reading !== primary) await untilAvailable(() => checkReplica(context, reading), { logger, signal });
  if (reading !== primary) await untilAvailable(() => probeViews(stores, reading), { logger, signal });
  start.isAnswering = true;
  sayStarted();
  await admission.begin(signal);

  // Watch.
  inBackground(context, (ending) => admission.run(ending));
  watchTruth(context, { registry, kinds: stores.kinds });
  inBackground(context, (ending) => watchSettings(context, { primary, transport }, ending));
  if (admission.isComplete) await untilLagKnown(watermark, { ...config, withinMs: LAG_WITHIN_MS, signal });
  start.isOver = true;
  logger.info({ address: url }, `answering at ${url}, described at ${url}/docs`);
}

interface ServeParts {
  readonly stores: ConnectingStores;
  readonly reading: Database;
  readonly transport: LanedTransport;
  readonly admission: ServeAdmission;
  readonly watermark: AppliedWatermark;
  readonly start: { readonly isAnswering: boolean; readonly isOver: boolean; isEnding: boolean };
  readonly streams: Streams;
  readonly access: Access;
  readonly times: Times;
}

function apiApp(
  context: ProcessContext,
  parts: ServeParts,
  { registry, publisher }: { readonly registry: Registry; readonly publisher: TaskPublisher },
): ReturnType<typeof createApp> {
  const { config, logger } = context;
  const { admission, start, streams, access } = parts;
  const queries = admittedQueries(context, parts);
  const isAnswering = () => start.isAnswering;
  const deadLetters = sharedDeadLetters(context, parts.transport);
  return createApp({
    ...queries,
    site: parts.stores.site,
    pages: openConsole(context, { ...parts, queries, isAnswering, deadLetters, registry }),
    streams,
    deadLetters,
    accept: acceptTasks(publisher, () => admission.has('transport')),
    access,
    ...checksOf(context, parts),
    watches: openWatches(context, parts.stores),
    allowPrivateWebhooks: config.webhookAllowPrivate === 'true',
    checkDeadlineMs: CHECK_DEADLINE_MS,
    isAnswering,
    hasStarted: () => start.isOver,
    rateLimit: config.rateLimit,
    trustProxy: config.trustProxy,
    registry,
    readMetrics: shared(metricsOfAll(registry)), // one reading for all who ask meanwhile: it costs several ms
    logger,
    slowMs: SLOW_MS,
    deadlineMs: config.requestTimeoutMs,
    version: readVersion(),
    now: () => performance.now(),
    freshId: randomUUID,
  });
}

function openWatches({ config, logger }: ProcessContext, { primary, redis }: ConnectingStores): WatchManager {
  return new WatchManager({
    database: primary,
    watched: new WatchedUsers(redis, config.keyPrefix),
    onFault: (err) => logger.warn({ err }, 'a watch could not be checked at once; a notifier will find it'),
    clock: Date.now,
    atMost: config.watchesPerUser,
  });
}

type ServeAdmission = Admission<'redis' | 'transport'>;

function openAdmission(
  context: ProcessContext,
  stores: ConnectingStores,
  transport: Transport,
  onNewEpoch: () => void,
): ServeAdmission {
  const { config, logger, resources, signal } = context;
  const { primary } = stores;
  const watch = transport.openWatch?.(onNewEpoch);
  if (watch) resources.defer(() => watch.stop());
  return new Admission({
    servers: {
      redis: (withinMs) => admitRedis(context, stores, Math.min(withinMs, config.startTimeoutMs)),
      transport: async (withinMs) => {
        await transport.untilReady(signal, Math.min(withinMs, config.startTimeoutMs));
        if (watch) await startWatch(watch);
      },
    },
    agree: () => agreeOnSettings(primary, config, transport),
    logger,
  });
}

function checksOf(
  { config, renewal }: ProcessContext,
  { stores, reading, transport, admission, watermark, start }: ServeParts,
): Pick<ApiDependencies, 'checks' | 'degrading' | 'reports'> {
  const { redis, ...others } = storeChecks(stores, reading);
  const admitted = async (name: 'redis' | 'transport', check: () => Promise<unknown>) => {
    if (!admission.has(name)) throw new NotReady('not available, or not admitted, since this process started');
    await check();
    if (!admission.isComplete) throw new NotReady('no index is used until Redis and the transport are both admitted');
    return undefined;
  };
  const checks: Record<string, Check> = {
    start: async () => {
      if (start.isEnding) throw new NotReady('ending: send requests to another process');
      if (!start.isAnswering) throw new NotReady('waiting for MySQL');
      if (!start.isOver)
        throw new NotReady('answers from indexes are not exact yet: the lag is not known, or too large');
      return undefined;
    },
    ...others,
    redis: () => admitted('redis', redis),
    transport: () => admitted('transport', () => transport.answers().catch(named)),
  };
  const { queue: watched } = new WatchedUsers(stores.redis, config.keyPrefix);
  const reports = { ...apiReports({ ...stores, watched }, transport, watermark), secrets: () => renewal.report() };
  return { checks, degrading: DEGRADING, reports };
}

/** What answers are read from: the replica if there is one. */
function openReading(context: ProcessContext, primary: Database): Database {
  const { mysqlReplicaUrl: url } = context.config;
  return url === undefined ? primary : adoptDatabase(context, openReplica(context.config, url, primary));
}

async function checkReplica({ config, signal }: ProcessContext, replica: Database): Promise<void> {
  const { mysqlReplicaUrl: url = config.mysqlUrl } = config;
  await untilMysqlAnswers(replica, { url, setting: 'RECENCY_MYSQL_REPLICA_URL', timeoutMs: 0, signal });
}

/** What the primary's views have is known by now. */
async function probeViews({ kinds }: ConnectingStores, replica: Database): Promise<void> {
  for (const { primary } of kinds) await primary.statements.probe(replica);
}

/** @returns the address */
async function listen(
  { config, logger, intakes }: ProcessContext,
  app: ReturnType<typeof createApp>,
  { start, streams }: Pick<ServeParts, 'start' | 'streams'>,
): Promise<string> {
  const { host, port, tokens = [], requestTimeoutMs } = config;
  const api = await startApi({
    app,
    host,
    port,
    tokens,
    onError: (err) => logger.error({ err }, 'a connection could not be accepted'),
    limits: { stalledMs: requestTimeoutMs + STALLED_MS },
  });
  intakes.add(async ({ drainMs, graceMs }) => {
    start.isEnding = true;
    api.drain();
    await pause(drainMs);
    streams.end();
    const cut = await api.close(graceMs);
    if (cut > 0) logger.warn({ cut }, 'requests took too long and were cut off');
  });
  logger.info({ address: api.url }, `listening at ${api.url}`);
  return api.url;
}

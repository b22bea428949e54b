import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { createApp } from '../api/app.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { unavailableProblem } from '../api/http-problem.ts';
import { startApi } from '../api/listen.ts';
import { type Check, NotReady } from '../api/readiness.ts';
import type { AcceptTasks } from '../api/routes/post-tasks.ts';
import type { Streams } from '../api/streams/streams.ts';
import type { Config } from '../config/config.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { learnExtraColumns } from '../mysql/view-checks.ts';
import { WatchManager } from '../push/watch-manager.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { activeParent } from '../tracing/tracing.ts';
import type { LanedTransport } from '../transport/lanes.ts';
import { type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
import type { Transport } from '../transport/transport.ts';
import { Admission, untilAvailable } from './admission.ts';
import { admittedQueries } from './admitted-queries.ts';
import { watchApplied } from './applied-watermark.ts';
import { DEGRADING, storeChecks } from './checks.ts';
import { openConsole } from './console.ts';
import { watchTruth } from './jobs.ts';
import { openLogger } from './logger.ts';
import { epochCounter, measureIndexLag, measureOutboxLag, measurePool, measureSuspension } from './metrics.ts';
import { createRegistry } from './metrics-server.ts';
import { openForReading, untilMysqlAnswers } from './open-mysql.ts';
import { openStreams } from './open-streams.ts';
import { apiReports } from './reports.ts';
import { inBackground, type ProcessContext, readVersion, runProcess } from './run-process.ts';
import { metricsOfAll } from './serve-workers.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { admitRedis, type ConnectingStores, checkMysql, connectStores, startWatch } from './stores.ts';
import { openTransport } from './transport.ts';

/** `ce_source` of tasks that came over HTTP. */
const API_SOURCE = '/recency/api';

const CHECK_DEADLINE_MS = 2_000;
const SLOW_MS = 1_000;
const FULL_RETRY_SECONDS = 5;

/** Runs the API until a signal ends it. @throws StartError, ListenError */
export async function serve(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'serve') }, startServe);
}

/**
 * Listens first, so that /readyz can say what the start waits for. It waits for MySQL as long as it takes, because nothing can be
 * answered without. Redis and the transport are admitted when they become available; until then MySQL answers alone.
 */
async function startServe(context: ProcessContext): Promise<void> {
  const { config, logger, resources, signal } = context;
  const registry = createRegistry('serve');
  const onNewEpoch = epochCounter(registry);

  // Open.
  const stores = connectStores(context, { name: 'serve', onNewEpoch });
  const { primary } = stores;
  const reading = config.mysqlReplicaUrl === undefined ? primary : openReplica(context, primary);
  const transport = openTransport(context, 'serve');
  const admission = openAdmission(context, stores, transport, onNewEpoch);
  const publisher = resources.adopt(transport.openPublisher(primary), (opened) => opened.close());
  measureOutboxLag(registry, primary);
  measureSuspension(registry, primary);
  measurePool(registry, primary);

  const watermark = watchApplied(context, { ...stores, transport });
  measureIndexLag(registry, watermark);

  // Listen.
  const start = { isOver: false };
  const streams = openStreams(context, { ...stores, reading });
  const parts: ServeParts = { stores, reading, transport, admission, watermark, start, streams };
  const url = await listen(context, apiApp(context, parts, { registry, publisher }), streams);

  // Check.
  await untilAvailable(() => checkMysql(context, primary, { name: 'serve', timeoutMs: 0 }), { logger, signal });
  if (reading !== primary) await untilAvailable(() => checkReplica(context, reading), { logger, signal });
  await untilAvailable(() => learnColumns(stores, reading), { logger, signal });
  start.isOver = true;
  await admission.begin(signal);

  // Watch.
  inBackground(context, (ending) => admission.run(ending));
  watchTruth(context, { registry, kinds: stores.kinds });
  inBackground(context, (ending) => watchSettings(context, primary, ending));
  logger.info({ address: url }, `answering at ${url}, described at ${url}/docs`);
}

interface ServeParts {
  readonly stores: ConnectingStores;
  readonly reading: Database;
  readonly transport: LanedTransport;
  readonly admission: ServeAdmission;
  readonly watermark: AppliedWatermark;
  readonly start: { readonly isOver: boolean };
  readonly streams: Streams;
}

function apiApp(
  context: ProcessContext,
  parts: ServeParts,
  { registry, publisher }: { readonly registry: Registry; readonly publisher: TaskPublisher },
): ReturnType<typeof createApp> {
  const { config, logger } = context;
  const { admission, start, streams } = parts;
  const queries = admittedQueries(context, parts);
  const hasStarted = () => start.isOver;
  return createApp({
    ...queries,
    pages: openConsole(context, { ...parts, queries, hasStarted }),
    streams,
    accept: acceptOnce(admission, acceptTasks(publisher)),
    tokens: config.tokens ?? [],
    ...checksOf(parts),
    watches: openWatches(context, parts.stores),
    allowPrivateWebhooks: config.webhookAllowPrivate === 'true',
    checkDeadlineMs: CHECK_DEADLINE_MS,
    hasStarted,
    rateLimit: config.rateLimit,
    trustProxy: config.trustProxy,
    registry,
    readMetrics: metricsOfAll(registry),
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
  const watch = transport.openWatch?.({ primary, onNewEpoch });
  if (watch) resources.defer(() => watch.stop());
  return new Admission({
    servers: {
      redis: (withinMs) => admitRedis(context, stores, Math.min(withinMs, config.startTimeoutMs)),
      transport: async (withinMs) => {
        await transport.untilAnswers(signal, Math.min(withinMs, config.startTimeoutMs));
        if (watch) await startWatch(watch);
      },
    },
    agree: async () => void (await agreeOnSettings(primary, config)),
    logger,
  });
}

function checksOf({
  stores,
  reading,
  transport,
  admission,
  watermark,
  start,
}: ServeParts): Pick<ApiDependencies, 'checks' | 'degrading' | 'reports'> {
  const { redis, ...others } = storeChecks(stores, reading);
  const admitted = async (name: 'redis' | 'transport', check: () => Promise<unknown>) => {
    if (!admission.has(name)) throw new NotReady('not available, or not admitted, since this process started');
    await check();
    if (!admission.isComplete) throw new NotReady('no index is used until Redis and the transport are both admitted');
    return undefined;
  };
  const checks: Record<string, Check> = {
    start: async () => {
      if (!start.isOver) throw new NotReady('waiting for MySQL');
      return undefined;
    },
    ...others,
    redis: () => admitted('redis', redis),
    transport: () => admitted('transport', () => transport.answers()),
  };
  return { checks, degrading: DEGRADING, reports: apiReports(stores, transport, watermark) };
}

function acceptOnce(admission: ServeAdmission, accept: AcceptTasks): AcceptTasks {
  return async (tasks, cause) => {
    if (!admission.has('transport')) throw unavailableProblem('transport_unavailable');
    await accept(tasks, cause);
  };
}

/** A full transport is a 503 with Retry-After: it has room again once the consumers have caught up. */
export function acceptTasks(publisher: Pick<TaskPublisher, 'publish'>): AcceptTasks {
  return async (tasks, cause) => {
    // Without a span of this request, recorded or at all, its caller's context is passed on as it came.
    const trace = activeParent() ?? cause;
    const outgoing = tasks.map(({ task, id }) => ({ task, id, source: API_SOURCE, time: Date.now(), ...trace }));
    await publisher.publish(outgoing).catch((error: unknown) => {
      throw error instanceof TransportFull ? unavailableProblem('transport_full', error, FULL_RETRY_SECONDS) : error;
    });
  };
}

function openReplica({ config, resources }: ProcessContext, { heavy }: Database): Database {
  return resources.adopt(openForReading(config, { heavy }), (database) => database.close());
}

async function checkReplica({ config, signal }: ProcessContext, replica: Database): Promise<void> {
  const { mysqlReplicaUrl: url = config.mysqlUrl } = config;
  await untilMysqlAnswers(replica, { url, setting: 'RECENCY_MYSQL_REPLICA_URL', timeoutMs: 0, signal });
}

async function learnColumns({ primary, kinds }: ConnectingStores, reading: Database): Promise<void> {
  const inUse = kinds.map(({ kind }) => kind);
  for (const database of new Set([primary, reading])) await learnExtraColumns(database, inUse);
}

/** @returns the address */
async function listen(
  { config, logger, resources }: ProcessContext,
  app: ReturnType<typeof createApp>,
  streams: Pick<Streams, 'end'>,
): Promise<string> {
  const { host, port, tokens = [], shutdownTimeoutMs } = config;
  const api = await startApi({
    app,
    host,
    port,
    tokens,
    onError: (err) => logger.error({ err }, 'a connection could not be accepted'),
  });
  resources.defer(async () => {
    streams.end();
    const cut = await api.close(shutdownTimeoutMs / 2);
    if (cut > 0) logger.warn({ cut }, 'requests took too long and were cut off');
  });
  logger.info({ address: api.url }, `listening at ${api.url}`);
  return api.url;
}

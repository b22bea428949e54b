import { randomUUID } from 'node:crypto';
import { createApp } from '../api/app.ts';
import { startApi } from '../api/listen.ts';
import { unavailableProblem } from '../api/problem-of.ts';
import type { AcceptTasks } from '../api/routes/post-tasks.ts';
import type { Config } from '../config/config.ts';
import { type TaskPublisher, TransportFull } from '../consumers/task-publisher.ts';
import { apiQueries } from './api-queries.ts';
import { inBackground } from './background.ts';
import { apiChecks } from './checks.ts';
import { epochCounter, measureSuspension } from './epoch-metrics.ts';
import { openLogger } from './logger.ts';
import { openForReading, untilMysqlAnswers } from './open-mysql.ts';
import { openStores } from './open-stores.ts';
import { openTransport, watchTransport } from './open-transport.ts';
import { measureOutboxLag } from './outbox-metrics.ts';
import { openRegistry } from './registry.ts';
import { type ProcessContext, runProcess } from './run-process.ts';
import { watchSettings } from './settings-watch.ts';
import { agreeOnSettings } from './shared-settings.ts';
import { readVersion } from './version.ts';

/** `ce_source` of tasks that came over HTTP. */
const API_SOURCE = '/recency/api';

const CHECK_DEADLINE_MS = 2_000;
const SLOW_MS = 1_000;
const FULL_RETRY_SECONDS = 5;

/** Runs the API until a signal ends it. @throws StartError, ListenError */
export async function serve(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'serve') }, startServe);
}

async function startServe(context: ProcessContext): Promise<void> {
  const { config, logger, resources, signal } = context;
  const registry = openRegistry('serve');
  const onNewEpoch = epochCounter(registry);
  const stores = await openStores(context, { name: 'serve', onNewEpoch });
  const reading = config.mysqlReplicaUrl === undefined ? stores.primary : await openReplica(context);
  const transport = openTransport(context, 'serve');
  await transport.untilAnswers(signal);
  await watchTransport(context, transport, { primary: stores.primary, onNewEpoch });
  await agreeOnSettings(stores.primary, config);
  const publisher = resources.adopt(transport.openPublisher(stores.primary), (opened) => opened.close());
  const queries = apiQueries(context, stores, reading);
  measureOutboxLag(registry, stores.primary);
  measureSuspension(registry, stores.primary);
  inBackground(context, (ending) => watchSettings(context, stores.primary, ending));

  const app = createApp({
    ...queries,
    accept: acceptTasks(publisher),
    tokens: config.tokens ?? [],
    checks: apiChecks(stores, reading, transport.fill),
    checkDeadlineMs: CHECK_DEADLINE_MS,
    hasStarted: () => true, // it listens only then
    rateLimit: config.rateLimit,
    trustProxy: config.trustProxy,
    registry,
    logger,
    slowMs: SLOW_MS,
    version: readVersion(),
    now: () => performance.now(),
    freshId: randomUUID,
  });
  await listen(context, app);
}

/** A full transport is worth waiting for: it has room again once the consumers have caught up. */
export function acceptTasks(publisher: Pick<TaskPublisher, 'publish'>): AcceptTasks {
  return async (tasks) => {
    const outgoing = tasks.map(({ task, id }) => ({ task, id, source: API_SOURCE, time: Date.now() }));
    await publisher.publish(outgoing).catch((error: unknown) => {
      throw error instanceof TransportFull ? unavailableProblem('transport_full', error, FULL_RETRY_SECONDS) : error;
    });
  };
}

async function openReplica({ config, resources, signal }: ProcessContext) {
  const { mysqlReplicaUrl: url = config.mysqlUrl, startTimeoutMs: timeoutMs } = config;
  const replica = resources.adopt(openForReading(config), (database) => database.close());
  await untilMysqlAnswers(replica, { url, setting: 'RECENCY_MYSQL_REPLICA_URL', timeoutMs, signal });
  return replica;
}

async function listen({ config, logger, resources }: ProcessContext, app: ReturnType<typeof createApp>): Promise<void> {
  const { host, port, tokens = [], shutdownTimeoutMs } = config;
  const api = await startApi({
    ...{ app, host, port, tokens },
    onError: (err) => logger.error({ err }, 'a connection could not be accepted'),
  });
  resources.defer(async () => {
    const cut = await api.close(shutdownTimeoutMs / 2);
    if (cut > 0) logger.warn({ cut }, 'requests took too long and were cut off');
  });
  logger.info({ address: api.url }, `answering at ${api.url}, described at ${api.url}/docs`);
}

import { randomUUID } from 'node:crypto';
import { createApp } from '../api/app.ts';
import { startApi } from '../api/listen.ts';
import type { Config } from '../config/config.ts';
import { apiQueries } from './api-queries.ts';
import { inBackground } from './background.ts';
import { apiChecks } from './checks.ts';
import { epochCounter } from './epoch-metrics.ts';
import { openLogger } from './logger.ts';
import { openForReading, untilMysqlAnswers } from './open-mysql.ts';
import { openStores } from './open-stores.ts';
import { openTransport } from './open-transport.ts';
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

/** Runs the API until a signal ends it. @throws StartError, ListenError */
export async function serve(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'serve') }, startServe);
}

async function startServe(context: ProcessContext): Promise<void> {
  const { config, logger, resources, signal } = context;
  const registry = openRegistry('serve');
  const stores = await openStores(context, { name: 'serve', onNewEpoch: epochCounter(registry) });
  const reading = config.mysqlReplicaUrl === undefined ? stores.primary : await openReplica(context);
  const transport = openTransport(context, 'serve');
  await transport.untilAnswers(signal);
  await agreeOnSettings(stores.primary, config);
  const publisher = resources.adopt(transport.openPublisher(stores.primary), (opened) => opened.close());
  const queries = apiQueries(context, stores, reading);
  measureOutboxLag(registry, stores.primary);
  inBackground(context, (ending) => watchSettings(context, stores.primary, ending));

  const app = createApp({
    ...queries,
    accept: (tasks) =>
      publisher.publish(tasks.map(({ task, id }) => ({ task, id, source: API_SOURCE, time: Date.now() }))),
    tokens: config.tokens ?? [],
    checks: apiChecks(stores, reading),
    checkDeadlineMs: CHECK_DEADLINE_MS,
    hasStarted: () => true, // it listens only then
    rateLimit: config.rateLimit,
    registry,
    logger,
    slowMs: SLOW_MS,
    version: readVersion(),
    now: () => performance.now(),
    freshId: randomUUID,
  });
  await listen(context, app);
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

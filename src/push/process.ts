import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { apiQueries } from '../app/api-queries.ts';
import { storeChecks } from '../app/checks.ts';
import { epochCounter, measureSuspension } from '../app/metrics.ts';
import { createRegistry, serveMetrics } from '../app/metrics-server.ts';
import { listen } from '../app/open-redis.ts';
import { inBackground, type ProcessContext, readVersion, runProcess } from '../app/run-process.ts';
import { agreeOnSettings, watchSettings } from '../app/shared-settings.ts';
import { inForce } from '../app/shared-sizes.ts';
import { openStores, type Stores } from '../app/stores.ts';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/readiness-url.ts';
import { CHANNELS } from '../contracts/watch.ts';
import { askTables, GRANTS } from '../health/check-mysql.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import { answersAtOnce, askViews } from '../index/store-fault.ts';
import { openLogger } from '../tracing/logger.ts';
import type { DeliveryOutcome, Notification } from './channel.ts';
import { headsFrom } from './heads.ts';
import { Looks } from './looks.ts';
import { IN_FLIGHT, Notifier, type NotifierOptions } from './notifier.ts';
import { openKafkaChannel } from './open-kafka-channel.ts';
import { insertUndelivered } from './undelivered.ts';
import { findWatches, readLargestPacket, readWatchSizes } from './watch-pages.ts';
import { WatchSweep } from './watch-sweep.ts';
import { readWatches, saveWatches } from './watch-table.ts';
import { WebhookChannel } from './webhook-channel.ts';

/** Runs a notifier until a signal ends it. @throws StartError */
export async function notify(config: Config): Promise<void> {
  const logger = openLogger(config, 'notify');
  await runProcess({ config, logger }, async (context) => await startNotify(await inForce(context)));
}

async function startNotify(context: ProcessContext): Promise<void> {
  const { config, logger } = context;

  // Open and check.
  const registry = createRegistry('notify');
  const stores = await openStores(context, { name: 'notify', onNewEpoch: epochCounter(registry) });
  await agreeOnSettings(stores.primary, config);
  const watched = new WatchedUsers(stores.redis, config.keyPrefix);
  const looks = new Looks();
  const { channel, kafka } = openKafkaChannel(context, stores.primary);
  const notifier = new Notifier({
    watch: stores.watch,
    queue: watched.queue,
    looks,
    steps: checkSteps(context, stores, watched),
    find: (users, largestPacket) => findWatches(stores.primary, users, largestPacket),
    largestPacket: await readLargestPacket(stores.primary),
    answers: answersAtOnce([
      ...askViews(stores.primary, stores.site.kinds),
      ...askTables(stores.primary, GRANTS.notify),
      () => watched.queue.size(),
    ]),
    channels: { kafka: channel, webhook: openWebhooks(context) },
    most: 2 * config.max,
    kinds: new Set(config.kinds),
    drainMs: config.shutdownTimeoutMs / 2,
    logger,
    onOutcome: notifierMetrics(registry, watched.queue),
  });

  listen(context, {
    ...{ name: 'notify', channels: [watched.queue.waitingChannel], onMessage: () => looks.waiting() },
    onFault: (err) => logger.debug({ err }, 'nobody says now who waits; the notifier looks by itself'),
  });

  // Measure.
  measureSuspension(registry, stores.primary);
  await serveMetrics(context, { registry, checks: storeChecks(stores), port: METRICS_PORTS.notify });

  // Notify.
  const sweep = new WatchSweep({ database: stores.primary, watched, logger, isBehind: () => notifier.isBehind });
  inBackground(context, (ending) => watchSettings(context, { ...stores, transport: kafka }, ending));
  inBackground(context, (ending) => sweep.run(ending));
  inBackground(context, (ending) => notifier.run(ending));
  logger.info({ topic: config.activityTopic }, 'notifying');
}

function checkSteps(context: ProcessContext, stores: Stores, watched: WatchedUsers): NotifierOptions['steps'] {
  const { config } = context;
  const { primary } = stores;
  const queries = apiQueries(context, stores, { reading: primary, lagMs: () => undefined });
  const answers = new Map(queries.answers.map(({ kind, recentBatch }) => [kind.name, recentBatch]));
  return {
    watch: (users) => watched.add(users),
    unwatch: (users) => watched.remove(users),
    watchedOf: async (users) => [...new Set((await readWatchSizes(primary, users)).map(({ user }) => user))],
    watches: (ids) => readWatches(primary, ids),
    heads: headsFrom({
      answers,
      entries: { most: config.max, least: config.min },
      deadlineMs: config.requestTimeoutMs,
    }),
    save: (saves) => saveWatches(primary, saves),
    deadLetter: (letters) => insertUndelivered(primary, letters.map(letterOf)),
    again: (users, ms) => watched.check(users, ms),
  };
}

function letterOf({ id, watch, user, sources, more, timestamp }: Notification) {
  return { id, watch, user, sources, more, givenUpAt: timestamp };
}

function openWebhooks({ config, resources }: ProcessContext): WebhookChannel {
  const allowPrivate = config.webhookAllowPrivate === 'true';
  const channel = new WebhookChannel({ allowPrivate, version: readVersion(), inFlight: IN_FLIGHT });
  return resources.adopt(channel, (opened) => opened.close());
}

const OUTCOMES: readonly DeliveryOutcome['is'][] = ['delivered', 'failed', 'gone'];

/** From the check to the end of the delivery, s. */
const DELIVERY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** @param queue of the watched users who wait to be checked */
export function notifierMetrics(
  registry: Registry,
  queue: Pick<WatchedUsers['queue'], 'size'>,
): NonNullable<NotifierOptions['onOutcome']> {
  const deliveries = new Counter({
    name: 'recency_notifications_total',
    help: 'Deliveries of notifications, by channel and outcome (delivered, failed, gone).',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  for (const channel of CHANNELS) {
    for (const outcome of OUTCOMES) deliveries.inc({ channel, outcome }, 0); // so that the first one is an increase
  }
  const seconds = new Histogram({
    name: 'recency_notification_delivery_seconds',
    help: 'Time from the check of a user to the end of the delivery, by channel.',
    labelNames: ['channel'],
    buckets: DELIVERY_SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: 'recency_notifier_queue_users',
    help: 'Watched users who wait to be checked, or are being checked.',
    registers: [registry],
    async collect() {
      this.set(await queue.size().catch(() => Number.NaN));
    },
  });
  return (channel, outcome, ms) => {
    deliveries.inc({ channel, outcome });
    if (outcome === 'delivered') seconds.observe({ channel }, ms / 1000);
  };
}

import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/default-ports.ts';
import type { KindName } from '../contracts/kind.ts';
import type { ChannelName } from '../contracts/watch.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import { insertUndelivered } from '../mysql/undelivered.ts';
import { readWatchesOf, saveWatches } from '../mysql/watches.ts';
import type { Channel, Notification } from '../push/channel.ts';
import { headsFrom } from '../push/heads.ts';
import { KafkaChannel } from '../push/kafka-channel.ts';
import { Notifier, type NotifierOptions } from '../push/notifier.ts';
import { WatchSweep } from '../push/watch-sweep.ts';
import { WebhookChannel } from '../push/webhook-channel.ts';
import { KafkaProducer } from '../transport/kafka/producer.ts';
import { DEFAULT_PARTITIONS } from '../transport/kafka/topic-admin.ts';
import { apiQueries } from './api-queries.ts';
import { storeChecks } from './checks.ts';
import { kafkaSettings } from './kafka-transport.ts';
import { openLogger } from './logger.ts';
import { epochCounter, measureSuspension } from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { notifierMetrics } from './notifier-metrics.ts';
import { inBackground, type ProcessContext, readVersion, runProcess } from './run-process.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { openStores, type Stores } from './stores.ts';

/** Runs a notifier until a signal ends it. @throws StartError */
export async function notify(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'notify') }, startNotify);
}

async function startNotify(context: ProcessContext): Promise<void> {
  const { config, logger } = context;

  // Open and check.
  const registry = createRegistry('notify');
  const stores = await openStores(context, { name: 'notify', onNewEpoch: epochCounter(registry) });
  await agreeOnSettings(stores.primary, config);
  const watched = new WatchedUsers(stores.redis, config.keyPrefix);
  const notifier = new Notifier({
    queue: watched.queue,
    steps: checkSteps(context, stores, watched),
    channels: openChannels(context),
    most: config.max,
    logger,
    onOutcome: notifierMetrics(registry, watched.queue),
  });

  // Measure.
  measureSuspension(registry, stores.primary);
  await serveMetrics(context, { registry, checks: storeChecks(stores), port: METRICS_PORTS.notify });

  // Notify.
  const sweep = new WatchSweep({ database: stores.primary, watched, logger });
  inBackground(context, (ending) => watchSettings(context, stores.primary, ending));
  inBackground(context, (ending) => sweep.run(ending));
  inBackground(context, (ending) => notifier.run(ending));
  logger.info({ topic: config.activityTopic }, 'notifying');
}

function checkSteps(context: ProcessContext, stores: Stores, watched: WatchedUsers): NotifierOptions['steps'] {
  const { config } = context;
  const { primary } = stores;
  const queries = apiQueries(context, stores, { reading: primary, lagMs: () => undefined });
  const all = [{ kind: stores.kinds[0]?.kind, recentBatch: queries.recentBatch }, ...queries.otherAnswers];
  const answers = new Map(all.map(({ kind, recentBatch }) => [kind?.name as KindName, recentBatch]));
  return {
    watches: (users) => readWatchesOf(primary, users),
    heads: headsFrom({ answers, limit: config.min, deadlineMs: config.requestTimeoutMs }),
    save: (saves) => saveWatches(primary, saves),
    bury: (letters) => insertUndelivered(primary, letters.map(letterOf)),
    again: (users, ms) => watched.check(users, ms),
  };
}

function letterOf({ id, watch, user, sources, more, timestamp }: Notification) {
  return { id, watch, user, sources, more, givenUpAt: timestamp };
}

function openChannels({ config, logger, resources }: ProcessContext): Readonly<Record<ChannelName, Channel>> {
  const topic = config.activityTopic;
  const producer = new KafkaProducer({
    kafka: kafkaSettings(config, 'notify', logger),
    topics: [{ topic, numPartitions: DEFAULT_PARTITIONS }],
    deadlineMs: config.kafkaTimeoutMs,
  });
  const allowPrivate = config.webhookAllowPrivate === 'true';
  const adopt = <C extends Channel>(channel: C) => resources.adopt(channel, (opened) => opened.close());
  return {
    kafka: adopt(new KafkaChannel(topic, producer)),
    webhook: adopt(new WebhookChannel({ allowPrivate, version: readVersion() })),
  };
}

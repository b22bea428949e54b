import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/readiness-url.ts';
import { DelayedWorker } from '../consumers/delayed-worker.ts';
import { LanePace } from '../consumers/lane-pace.ts';
import { LossRecovery } from '../consumers/loss-recovery.ts';
import { TaskConsumer } from '../consumers/task-consumer.ts';
import { TaskWorker, type WorkObserver } from '../consumers/work-plan.ts';
import type { Lane } from '../contracts/bulk-task.ts';
import { askTables, GRANTS } from '../health/check-mysql.ts';
import { FOLLOWERS_A_PAGE } from '../index/fan-out.ts';
import { FanOutProgress } from '../index/redis/fan-out-progress.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import { type Answers, answersAtOnce, askViews } from '../index/store-fault.ts';
import { everyKind } from '../site/site.ts';
import { SourceStalled } from '../timing/stall-detector.ts';
import { openLogger } from '../tracing/logger.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import type { LanedTransport } from '../transport/transport.ts';
import { consumerChecks } from './checks.ts';
import { type ConsumerObserver, consumerMetrics, measureWatched } from './consumer-metrics.ts';
import { startIdleSweep } from './idle-sweep.ts';
import { startSampler, watchTruth } from './jobs.ts';
import {
  droppedLettersCounter,
  epochCounter,
  lossCounter,
  measureBacklog,
  measureFill,
  measurePool,
  measureRedisMemory,
  measureSuspension,
} from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { listen } from './open-redis.ts';
import { consumerReports } from './reports.ts';
import { inBackground, type ProcessContext, runProcess, TIMES, type Times } from './run-process.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { inForce } from './shared-sizes.ts';
import { admitRedis, connectStores, doIndexesExist, openStores, type Stores } from './stores.ts';
import { type BulkLane, openBulkLane, openTransport, watchTransport } from './transport.ts';

/** Time to close everything else when a handler hangs, ms. */
const STALLED_GRACE_MS = 2_000;

/** The lanes that a consumer takes from. */
export type Lanes = Lane | 'both';

const LANES: Readonly<Record<Lanes, readonly Lane[]>> = { small: ['small'], bulk: ['bulk'], both: ['small', 'bulk'] };

/** Runs a consumer until a signal ends it. @throws StartError */
export async function consume(config: Config, lanes: Lanes = 'both', times: Partial<Times> = {}): Promise<void> {
  const logger = openLogger(config, 'consume');
  await runProcess({ config, logger }, async (context) => {
    await startConsume(await inForce(context), LANES[lanes], { ...TIMES, ...times });
  });
}

async function startConsume(context: ProcessContext, lanes: readonly Lane[], times: Times): Promise<void> {
  const { config, logger, resources, signal } = context;
  const registry = createRegistry('consume');
  const onNewEpoch = epochCounter(registry);

  // Open and check.
  const stores = await openStores(context, { name: 'consume', onNewEpoch, takesOver: true });
  const { primary, redis } = stores;
  const transport = openTransport({ ...context, primary }, 'consume');
  await transport.untilReady(signal);
  await watchTransport(context, transport, onNewEpoch);
  await agreeOnSettings(primary, config, transport);
  const dropped = droppedLettersCounter(registry);
  const deadLetters = resources.adopt(transport.openDeadLetters(dropped), (opened) => opened.close());
  const opening: LaneOpening = {
    ...{ stores, transport, deadLetters, onNewEpoch, times },
    observer: observing(context, consumerMetrics(registry), redis),
    pace: new LanePace({ client: redis, prefix: config.keyPrefix }),
    recovery: new LossRecovery({
      database: primary,
      positions: transport.positions,
      logger,
      onLoss: lossCounter(registry),
      onNewEpoch,
    }),
    bulkLane: openBulkLane(context, transport),
    answers: answersOf(stores),
  };
  const consumers = await Promise.all(lanes.map((lane) => openLane(context, lane, opening)));

  // Measure.
  measure(context, registry, { stores, transport, times });
  const sources = consumers.map(({ source }) => source);
  const readiness = { checks: consumerChecks(stores, sources), reports: consumerReports(stores) };
  await serveMetrics(context, { registry, ...readiness, port: METRICS_PORTS.consume });

  // Consume.
  inBackground(context, (stopping) => watchSettings(context, { primary, transport }, stopping));
  inBackground(context, (stopping) => opening.recovery.run(stopping));
  startDelayedWork(context, opening);
  startConsumers(
    context,
    consumers.map(({ consumer }) => consumer),
  );
  logger.info({ transport: config.transport, topic: config.topic, group: config.kafkaGroup, lanes }, 'consuming');
}

function answersOf({ primary, site, kinds }: Stores): Answers {
  return answersAtOnce([
    ...askViews(primary, site.kinds),
    ...askTables(primary, GRANTS.consume),
    ...kinds.map((of) => () => of.delayQueue.size()),
  ]);
}

function measure(
  context: ProcessContext,
  registry: Registry,
  { stores, transport, times }: Pick<LaneOpening, 'stores' | 'transport' | 'times'>,
): void {
  const { primary, redis, kinds } = stores;
  measureSuspension(registry, primary);
  const delayQueues = kinds.map(({ delayQueue }) => delayQueue);
  measureBacklog(registry, { lag: transport.lag, bulkLag: transport.bulk.lag, delayQueues, primary });
  measureWatched(registry, new WatchedUsers(redis, context.config.keyPrefix).queue);
  measureFill(registry, transport);
  measurePool(registry, primary);
  measureRedisMemory(registry, redis);
  const onTruth = watchTruth(context, { registry, kinds });
  startSampler(context, { registry, stores, transport, onTruth, times });
  startIdleSweep(context, registry, stores);
}

/** Also writes how far large fan-outs have come. Nothing waits for that, and what cannot be written is not missed. */
function observing(
  { config, logger }: ProcessContext,
  observer: ConsumerObserver,
  redis: Stores['redis'],
): ConsumerObserver & WorkObserver {
  const progress = new FanOutProgress(redis, config.keyPrefix);
  const onError = (err: unknown) => logger.debug({ err }, 'the progress of a large fan-out was not written');
  return {
    ...observer,
    onPlan: (plan, segments) => {
      observer.onPlan(plan, segments);
      progress.planned(plan, segments, Date.now()).catch(onError);
    },
    onSegmentBegun: (segment) => {
      progress.begun(segment, Date.now()).catch(onError);
    },
    onSegment: (segment, followers) => {
      observer.onSegment(segment, followers);
      progress.done(segment, followers, Date.now()).catch(onError);
    },
  };
}

interface LaneOpening {
  readonly stores: Stores;
  readonly transport: LanedTransport;
  readonly deadLetters: DeadLetters;
  readonly observer: ConsumerObserver & WorkObserver;
  readonly onNewEpoch: () => void;
  readonly pace: LanePace;
  readonly recovery: LossRecovery;
  readonly bulkLane: BulkLane;
  readonly answers: Answers;
  readonly times: Times;
}

/** A lane's source and consumer. The bulk lane has its own connections, so that no small task waits for one. */
async function openLane(context: ProcessContext, lane: Lane, opening: LaneOpening) {
  const { config, logger } = context;
  const { stores, transport, deadLetters, observer, onNewEpoch, pace, recovery, bulkLane, answers, times } = opening;
  const own = lane === 'small' ? transport : transport.bulk;
  const source = own.openSource({
    doIndexesExist: () => doIndexesExist(stores.redis, config),
    stallMs: times.stallMs,
    ...(lane === 'bulk' ? { batchSize: 1, batchesAtOnce: 1 } : {}), // a consumer that is killed repeats one segment at most
  });
  const { kinds, watch } = lane === 'small' ? stores : await openBulkStores(context, stores, onNewEpoch);
  const consumer = new TaskConsumer({
    ...{ source, deadLetters, watch, logger, answers, kinds: everyKind(stores.site) },
    worker: kinds.map(
      ({ kind, steps }) =>
        new TaskWorker({
          ...{ kind, lane, steps: { ...steps, ...bulkLane }, pageSize: FOLLOWERS_A_PAGE, answers, ...observer },
          onFailure: (err) => logger.error({ err }, 'a call failed; trying smaller parts of it'),
        }),
    ),
    onLoss: (loss) => recovery.found(loss, own.positions),
    onBatch: observer.onBatch,
    ...(lane === 'small'
      ? { onDelivered: (deliveries) => pace.delivered(deliveries) }
      : { beforeStep: (lease) => pace.yieldToSmall(lease) }),
  });
  return { source, consumer };
}

/**
 * The same stores through connections of the bulk lane, which may lead to other servers. Heavy queries share one budget.
 * @throws StartError, RedisUnavailable, DatabaseUnavailable, EpochMissing
 */
async function openBulkStores(
  context: ProcessContext,
  { primary: { heavy } }: Stores,
  onNewEpoch: () => void,
): Promise<Stores> {
  const { bulkConnections: connections } = context.config;
  const stores = connectStores(context, { name: 'consume-bulk', onNewEpoch, takesOver: true, connections, heavy });
  await admitRedis(context, stores);
  return stores;
}

/** Lost races, rebuilds that reads asked for, re-checks. */
function startDelayedWork(context: ProcessContext, { stores, deadLetters, observer, answers }: LaneOpening): void {
  const { logger } = context;
  const looksOf = new Map(stores.kinds.map(({ delayed, delayQueue }) => [delayQueue.waitingChannel, delayed.looks]));
  listen(context, {
    ...{ name: 'delayed-work', channels: [...looksOf.keys()] },
    onMessage: (_message, channel) => looksOf.get(channel)?.end(),
    onFault: (err) => logger.debug({ err }, 'nobody says now that work is delayed; it is looked for'),
  });
  for (const parts of stores.kinds) {
    const worker = new DelayedWorker({ ...parts, watch: stores.watch, logger, answers, deadLetters, ...observer });
    inBackground(context, (stopping) => worker.run(stopping));
  }
}

/** They end at the same time, because the time to end is one. */
function startConsumers({ config, resources, fail }: ProcessContext, consumers: readonly TaskConsumer[]): void {
  const running = consumers.map((consumer) =>
    consumer.run().catch((error: unknown) => {
      fail(error, error instanceof SourceStalled ? STALLED_GRACE_MS : undefined);
    }),
  );
  resources.defer(async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop(config.shutdownTimeoutMs / 2)));
    await Promise.all(running);
  });
}

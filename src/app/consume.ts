import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/default-ports.ts';
import { DelayedWorker } from '../consumers/delayed-worker.ts';
import { LanePace } from '../consumers/lane-pace.ts';
import { LossRecovery } from '../consumers/loss-recovery.ts';
import { TaskConsumer } from '../consumers/task-consumer.ts';
import { TaskWorker, type WorkObserver } from '../consumers/work-plan.ts';
import type { Lane } from '../contracts/lane.ts';
import { FOLLOWERS_A_PAGE } from '../index/fan-out.ts';
import type { Steps } from '../index/protocol.ts';
import { FanOutProgress } from '../index/redis/fan-out-progress.ts';
import { IdleReaper } from '../index/redis/idle-reaper.ts';
import { indexedUsers } from '../index/redis/keys.ts';
import { type Answers, answersAtOnce } from '../index/store-fault.ts';
import type { Database } from '../mysql/database.ts';
import { SourceStalled } from '../timing/stall-detector.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import type { LanedTransport } from '../transport/lanes.ts';
import { consumerChecks } from './checks.ts';
import { type ConsumerObserver, consumerMetrics } from './consumer-metrics.ts';
import { startSampler, watchTruth } from './jobs.ts';
import { openLogger } from './logger.ts';
import {
  droppedLettersCounter,
  epochCounter,
  idleIndexesCounter,
  lossCounter,
  measureBacklog,
  measureFill,
  measurePool,
  measureRedisMemory,
  measureSuspension,
} from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { openPrimary } from './open-mysql.ts';
import { closeRedis, openRedisClient } from './open-redis.ts';
import { consumerReports } from './reports.ts';
import { inBackground, type ProcessContext, runProcess, whileLeading } from './run-process.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { createLeases, doIndexesExist, type IndexStores, indexStores, openStores, type Stores } from './stores.ts';
import { openTransport, watchTransport } from './transport.ts';

/** Time to close everything else when a handler hangs, ms. */
const STALLED_GRACE_MS = 2_000;

/** The lanes that a consumer takes from. */
export type Lanes = Lane | 'both';

const LANES: Readonly<Record<Lanes, readonly Lane[]>> = { small: ['small'], bulk: ['bulk'], both: ['small', 'bulk'] };

/** Runs a consumer until a signal ends it. @throws StartError */
export async function consume(config: Config, lanes: Lanes = 'both'): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'consume') }, (context) => startConsume(context, LANES[lanes]));
}

async function startConsume(context: ProcessContext, lanes: readonly Lane[]): Promise<void> {
  const { config, logger, resources, signal } = context;
  const registry = createRegistry('consume');
  const onNewEpoch = epochCounter(registry);

  // Open and check.
  const stores = await openStores(context, { name: 'consume', onNewEpoch });
  const { primary, redis } = stores;
  const transport = openTransport(context, 'consume');
  await transport.untilAnswers(signal);
  await watchTransport(context, transport, { primary, onNewEpoch });
  await agreeOnSettings(primary, config);
  const dropped = droppedLettersCounter(registry);
  const deadLetters = resources.adopt(transport.openDeadLetters(primary, dropped), (opened) => opened.close());
  const opening: LaneOpening = {
    ...{ stores, transport, deadLetters },
    observer: observing(context, consumerMetrics(registry), redis),
    pace: new LanePace({ client: redis, prefix: config.keyPrefix }),
    recovery: new LossRecovery({
      database: primary,
      positions: transport.positions,
      logger,
      onLoss: lossCounter(registry),
      onNewEpoch,
    }),
    publish: bulkPublisher(context, transport, primary),
    answers: answersAtOnce([() => primary.rows('SELECT 1', []), () => stores.delayQueue.size()]),
  };
  const consumers = lanes.map((lane) => openLane(context, lane, opening));

  // Measure.
  measure(context, registry, { stores, transport });
  const sources = consumers.map(({ source }) => source);
  const readiness = { checks: consumerChecks(stores, sources), reports: consumerReports(stores) };
  await serveMetrics(context, { registry, ...readiness, port: METRICS_PORTS.consume });

  // Consume.
  inBackground(context, (stopping) => watchSettings(context, primary, stopping));
  inBackground(context, (stopping) => opening.recovery.run(stopping));
  startDelayedWork(context, opening);
  startConsumers(
    context,
    consumers.map(({ consumer }) => consumer),
  );
  logger.info({ transport: config.transport, topic: config.topic, group: config.kafkaGroup, lanes }, 'consuming');
}

function measure(
  context: ProcessContext,
  registry: Registry,
  { stores, transport }: Pick<LaneOpening, 'stores' | 'transport'>,
): void {
  const { primary, redis, kinds } = stores;
  measureSuspension(registry, primary);
  const delayQueues = kinds.map(({ delayQueue }) => delayQueue);
  measureBacklog(registry, { lag: transport.lag, bulkLag: transport.bulk.lag, delayQueues, primary });
  measureFill(registry, transport);
  measurePool(registry, primary);
  measureRedisMemory(registry, redis);
  const onTruth = watchTruth(context, { registry, kinds });
  startSampler(context, { registry, stores, transport, onTruth });
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
  readonly pace: LanePace;
  readonly recovery: LossRecovery;
  /** To the bulk lane. */
  readonly publish: Steps['publish'];
  readonly answers: Answers;
}

/** A lane's source and consumer. The bulk lane has its own connections, so that no small task waits for one. */
function openLane(context: ProcessContext, lane: Lane, opening: LaneOpening) {
  const { config, logger } = context;
  const { stores, transport, deadLetters, observer, pace, recovery, publish, answers } = opening;
  const own = lane === 'small' ? transport : transport.bulk;
  const source = own.openSource({
    primary: stores.primary,
    doIndexesExist: () => doIndexesExist(stores.redis, config),
    ...(lane === 'bulk' ? { batchSize: 1, batchesAtOnce: 1 } : {}), // whoever is killed repeats one segment
  });
  const { kinds } = lane === 'small' ? stores : bulkStores(context, stores);
  const consumer = new TaskConsumer({
    ...{ source, deadLetters, logger, answers },
    worker: kinds.map(
      ({ kind, steps }) =>
        new TaskWorker({ kind, lane, steps: { ...steps, publish }, pageSize: FOLLOWERS_A_PAGE, ...observer }),
    ),
    onLoss: (loss) => recovery.found(loss, own.positions),
    onBatch: observer.onBatch,
    ...(lane === 'small'
      ? { onDelivered: (deliveries) => pace.delivered(deliveries) }
      : { beforeStep: (lease) => pace.yieldToSmall(lease) }),
  });
  return { source, consumer };
}

/** The same stores through connections of the bulk lane. Heavy queries share one budget. */
function bulkStores({ config, logger, resources }: ProcessContext, { primary }: Stores): IndexStores {
  const connections = config.bulkConnections;
  const database = openPrimary(config, { connections, heavy: primary.heavy });
  resources.defer(() => database.close());
  const redis = resources.adopt(openRedisClient(config, 'consume-bulk', logger), closeRedis);
  return indexStores(config, database, redis);
}

/** Publishes to the bulk lane what consumers tell each other. */
function bulkPublisher({ resources }: ProcessContext, { bulk }: LanedTransport, primary: Database): Steps['publish'] {
  const publisher = resources.adopt(bulk.openPublisher(primary), (opened) => opened.close());
  return (tasks) =>
    publisher.publish(tasks.map((task) => ({ task, id: randomUUID(), source: '/recency/consume', time: Date.now() })));
}

/** Lost races, rebuilds that reads asked for, re-checks. */
function startDelayedWork(context: ProcessContext, { stores, deadLetters, observer, answers }: LaneOpening): void {
  const { logger } = context;
  for (const parts of stores.kinds) {
    const worker = new DelayedWorker({ ...parts, logger, answers, deadLetters, ...observer });
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

/** Dropping idle indexes is never urgent. */
const IDLE_SWEEP_LEASE = { ttlMs: 30_000, retryMs: 10_000 };

/** Drops indexes that nobody reads, in one consumer at a time; not at all if RECENCY_IDLE_DAYS is 0. */
function startIdleSweep(context: ProcessContext, registry: Registry, stores: Stores): void {
  const { config, logger, signal } = context;
  const { idleDays, keyPrefix } = config;
  if (idleDays === 0) return;
  const onDropped = idleIndexesCounter(registry);
  const reapers = [...stores.kinds, ...stores.unused].map(
    ({ kind, index }) =>
      new IdleReaper({
        index,
        indexedUsers: () => indexedUsers(stores.redis, keyPrefix, kind),
        onDropped,
        idleDays,
        logger,
      }),
  );
  const work = async (held: AbortSignal) => void (await Promise.all(reapers.map((reaper) => reaper.run(held))));
  const job = { name: 'idle-sweep', work, logger };
  inBackground(context, (stopping) =>
    whileLeading(createLeases(config, stores, IDLE_SWEEP_LEASE), job, AbortSignal.any([stopping, signal])),
  );
}

import { Counter, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/settings.ts';
import { DelayedWorker } from '../consumers/delayed-worker.ts';
import { LossRecovery } from '../consumers/loss-recovery.ts';
import { TaskConsumer } from '../consumers/task-consumer.ts';
import { TaskWorker } from '../consumers/work-plan.ts';
import { FOLLOWERS_A_PAGE } from '../index/fan-out.ts';
import { IdleReaper } from '../index/redis/idle-reaper.ts';
import { indexedUsers } from '../index/redis/keys.ts';
import { answersAtOnce } from '../index/store-fault.ts';
import { SourceStalled } from '../timing/stall-detector.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import type { TaskSource } from '../transport/task-source.ts';
import { consumerChecks } from './checks.ts';
import { startSampler, watchTruth } from './jobs.ts';
import { openLogger } from './logger.ts';
import {
  type ConsumerObserver,
  consumerMetrics,
  droppedLettersCounter,
  epochCounter,
  lossCounter,
  measureBacklog,
  measureFill,
  measureSuspension,
} from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { inBackground, type ProcessContext, runProcess, whileLeading } from './run-process.ts';
import { agreeOnSettings, watchSettings } from './shared-settings.ts';
import { createLeases, doIndexesExist, openStores, type Stores } from './stores.ts';
import { openTransport, watchTransport } from './transport.ts';

/** Time to close everything else when a handler hangs, ms. */
const STALLED_GRACE_MS = 2_000;

/** Runs a consumer until a signal ends it. @throws StartError */
export async function consume(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'consume') }, startConsume);
}

async function startConsume(context: ProcessContext): Promise<void> {
  const { config, resources, signal } = context;
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
  const source = transport.openSource({ primary, doIndexesExist: () => doIndexesExist(redis, config) });

  // Measure.
  const observer = consumerMetrics(registry);
  measureSuspension(registry, primary);
  const delayQueues = stores.kinds.map(({ delayQueue }) => delayQueue);
  measureBacklog(registry, { lag: () => source.lag(), delayQueues, primary });
  measureFill(registry, transport);
  const onTruth = watchTruth(context, { registry, kinds: stores.kinds });
  startSampler(context, { registry, stores, transport, onTruth });
  startIdleSweep(context, registry, stores);
  await serveMetrics(context, { registry, checks: consumerChecks(stores, source), port: METRICS_PORTS.consume });

  // Consume.
  const recovery = new LossRecovery({
    database: primary,
    positions: transport.positions,
    logger: context.logger,
    onLoss: lossCounter(registry),
    onNewEpoch,
  });
  startConsumer(context, { stores, source, deadLetters, recovery, observer });
}

interface ConsumerParts {
  readonly stores: Stores;
  readonly source: TaskSource;
  readonly deadLetters: DeadLetters;
  readonly recovery: LossRecovery;
  readonly observer: ConsumerObserver;
}

/** Starts the work: tasks from the transport, delayed work, and the recovery from lost tasks. */
function startConsumer(context: ProcessContext, parts: ConsumerParts): void {
  const { config, logger, resources, fail } = context;
  const { stores, source, deadLetters, recovery, observer } = parts;
  const { primary, kinds, delayQueue } = stores;
  const answers = answersAtOnce([() => primary.rows('SELECT 1', []), () => delayQueue.size()]);
  const consumer = new TaskConsumer({
    source,
    worker: kinds.map(({ kind, steps }) => new TaskWorker({ kind, steps, pageSize: FOLLOWERS_A_PAGE, ...observer })),
    deadLetters,
    onLoss: (loss) => recovery.found(loss),
    logger,
    answers,
    onBatch: observer.onBatch,
  });
  const delayedWorkers = kinds.map(
    (parts) => new DelayedWorker({ ...parts, logger, answers, deadLetters, ...observer }),
  );
  inBackground(context, (stopping) => watchSettings(context, primary, stopping));
  inBackground(context, (stopping) => recovery.run(stopping));
  for (const worker of delayedWorkers) inBackground(context, (stopping) => worker.run(stopping));
  const running = consumer.run().catch((error: unknown) => {
    fail(error, error instanceof SourceStalled ? STALLED_GRACE_MS : undefined);
  });
  resources.defer(async () => {
    await consumer.stop(config.shutdownTimeoutMs / 2);
    await running;
  });
  logger.info({ transport: config.transport, topic: config.topic, group: config.kafkaGroup }, 'consuming');
}

/** Dropping idle indexes is never urgent. */
const IDLE_SWEEP_LEASE = { ttlMs: 30_000, retryMs: 10_000 };

/** Drops indexes that nobody reads, in one consumer at a time; not at all if RECENCY_IDLE_DAYS is 0. */
function startIdleSweep(context: ProcessContext, registry: Registry, stores: Stores): void {
  const { config, logger, signal } = context;
  const { idleDays, keyPrefix } = config;
  if (idleDays === 0) return;
  const counter = new Counter({
    name: 'recency_idle_indexes_dropped_total',
    help: 'Indexes dropped because nobody had read them for RECENCY_IDLE_DAYS.',
    registers: [registry],
  });
  const reapers = [...stores.kinds, ...stores.unused].map(
    ({ kind, index }) =>
      new IdleReaper({
        index,
        indexedUsers: () => indexedUsers(stores.redis, keyPrefix, kind),
        onDropped: (indexes) => counter.inc(indexes),
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

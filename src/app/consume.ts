import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/settings.ts';
import { DelayedWorker } from '../consumers/delayed-worker.ts';
import { LossRecovery } from '../consumers/loss-recovery.ts';
import { TaskConsumer } from '../consumers/task-consumer.ts';
import { TaskWorker } from '../consumers/task-worker.ts';
import { FOLLOWERS_A_PAGE } from '../index/fan-out.ts';
import { answersAtOnce } from '../index/store-fault.ts';
import { SourceStalled } from '../timing/stall-detector.ts';
import { BatchLost } from '../transport/task-source.ts';
import { inBackground } from './background.ts';
import { consumerChecks } from './checks.ts';
import { consumerMetrics, measureBacklog } from './consumer-metrics.ts';
import { epochCounter, lossCounter, measureSuspension } from './epoch-metrics.ts';
import { startIdleSweep } from './idle-sweep.ts';
import { doIndexesExist } from './index-stores.ts';
import { openLogger } from './logger.ts';
import { openStores } from './open-stores.ts';
import { openTransport, watchTransport } from './open-transport.ts';
import { droppedLettersCounter, measureFill } from './outbox-metrics.ts';
import { openRegistry, serveMetrics } from './registry.ts';
import { type ProcessContext, runProcess } from './run-process.ts';
import { startSampler, watchTruth } from './sampler.ts';
import { watchSettings } from './settings-watch.ts';
import { agreeOnSettings } from './shared-settings.ts';

/** For closing what does not hang, when a handler does, ms. */
const STALLED_GRACE_MS = 2_000;

/** Runs a consumer until a signal ends it. @throws StartError */
export async function consume(config: Config): Promise<void> {
  await runProcess({ config, logger: openLogger(config, 'consume') }, startConsume);
}

async function startConsume(context: ProcessContext): Promise<void> {
  const { config, logger, resources, signal, fail } = context;
  const registry = openRegistry('consume');
  const onNewEpoch = epochCounter(registry);
  const stores = await openStores(context, { name: 'consume', onNewEpoch });
  const { primary, redis, steps, patient, delayed, delayQueue, rechecks } = stores;
  const transport = openTransport(context, 'consume');
  await transport.untilAnswers(signal);
  await watchTransport(context, transport, { primary, onNewEpoch });
  await agreeOnSettings(primary, config);
  const dropped = droppedLettersCounter(registry);
  const deadLetters = resources.adopt(transport.openDeadLetters(primary, dropped), (opened) => opened.close());
  const source = transport.openSource({ primary, doIndexesExist: () => doIndexesExist(redis, config) });

  const observer = consumerMetrics(registry);
  measureSuspension(registry, primary);
  measureBacklog(registry, { lag: () => source.lag(), delayQueue, primary });
  measureFill(registry, transport);
  const onTruth = watchTruth(context, { registry, primary });
  startSampler(context, { registry, stores, transport, onTruth });
  startIdleSweep(context, registry, stores);
  await serveMetrics(context, { registry, checks: consumerChecks(stores, source), port: METRICS_PORTS.consume });

  const { positions } = transport;
  const onLossFound = lossCounter(registry);
  const recovery = new LossRecovery({ database: primary, positions, logger, onLoss: onLossFound, onNewEpoch });
  const onLoss = recovery.found.bind(recovery);
  const ending = new AbortController();
  const worker = endingWorker(new TaskWorker({ steps, pageSize: FOLLOWERS_A_PAGE, ...observer }), ending.signal);
  const answers = answersAtOnce([() => primary.rows('SELECT 1', []), () => delayQueue.size()]);
  const { onBatch } = observer;
  const consumer = new TaskConsumer({ source, worker, deadLetters, onLoss, logger, answers, onBatch });
  const delayedWorker = new DelayedWorker({
    ...{ steps, patient, delayed, rechecks, logger, answers, deadLetters },
    ...observer,
  });
  inBackground(context, (stopping) => watchSettings(context, primary, stopping));
  inBackground(context, (stopping) => recovery.run(stopping));
  inBackground(context, (stopping) => delayedWorker.run(stopping));
  const running = consumer.run().catch((error: unknown) => {
    fail(error, error instanceof SourceStalled ? STALLED_GRACE_MS : undefined);
  });
  resources.defer(async () => {
    const timer = setTimeout(() => ending.abort(), config.shutdownTimeoutMs / 2);
    await consumer.stop();
    await running;
    clearTimeout(timer);
  });
  logger.info({ transport: config.transport, topic: config.topic, group: config.kafkaGroup }, 'consuming');
}

/** A large fan-out may take longer than there is time for: then it is given back between two steps, and its cursor stays. */
function endingWorker(worker: TaskWorker, ending: AbortSignal): Pick<TaskWorker, 'work'> {
  return {
    work: (plan, lease) => {
      const renew = async () => {
        if (ending.aborted) throw new BatchLost('this process ends; another one goes on');
        await lease?.renew();
      };
      return worker.work(plan, { renew });
    },
  };
}

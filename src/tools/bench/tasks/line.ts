import { openTransport } from '../../../app/transport.ts';
import { type DrainBarrier, EVERYBODY, type RaiseBarrier } from '../../../index/drain-barrier.ts';
import { chunks } from '../../../timing/batches.ts';
import { createKafka } from '../../../transport/kafka/client.ts';
import { kafkaBarrier } from '../../../transport/kafka/drain-barrier.ts';
import { KafkaTaskPublisher } from '../../../transport/kafka/publisher.ts';
import { DEFAULT_PARTITIONS, TopicAdmin } from '../../../transport/kafka/topic-admin.ts';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import { modulePath, RECENCY, type ServiceProcess } from '../../harness/processes/process-group.ts';
import { untilPassed } from '../../harness/stores.ts';
import type { Ground } from '../bench.ts';

export interface TaskLine {
  readonly publish: (tasks: readonly OutgoingTask[]) => Promise<void>;
  readonly barrier: RaiseBarrier;
  readonly consumers: readonly ServiceProcess[];
}

const BARE_CONSUMER = modulePath(import.meta.url, './bare-consumer');

const TASKS_A_CALL = 500;

/**
 * Publishes the tasks while the consumers are stopped, and then continues these.
 * @returns seconds until all tasks are applied and acknowledged
 */
export async function drain(line: TaskLine, tasks: readonly OutgoingTask[], signal: AbortSignal): Promise<number> {
  for (const consumer of line.consumers) consumer.signal('SIGSTOP');
  const barrier = await publishAll(line, tasks);
  const from = performance.now();
  for (const consumer of line.consumers) consumer.signal('SIGCONT');
  await untilPassed(barrier, signal);
  return (performance.now() - from) / 1000;
}

/** Waits until the consumers have processed some tasks, and so have joined their group. */
export async function prime(line: TaskLine, tasks: readonly OutgoingTask[], signal: AbortSignal): Promise<void> {
  await untilPassed(await publishAll(line, tasks), signal);
}

async function publishAll({ publish, barrier }: TaskLine, tasks: readonly OutgoingTask[]): Promise<DrainBarrier> {
  for (const some of chunks(tasks, TASKS_A_CALL)) await publish(some);
  return await barrier([EVERYBODY]);
}

export async function recencyLine(ground: Ground, consumers: number): Promise<TaskLine> {
  const { namespace, processGroup, resources, signal, stores } = ground;
  const { logger } = stores.jobs;
  const opened = openTransport({ config: namespace.config, logger, resources, primary: stores.primary }, 'bench');
  await opened.untilReady(signal);
  const publisher = resources.adopt(opened.openPublisher(), (open) => open.close());
  const names = Array.from({ length: consumers }, (_, i) => `${namespace.transport} consumer ${i + 1}`);
  return {
    publish: (tasks) => publisher.publish(tasks),
    barrier: opened.barrier,
    consumers: names.map((name) => processGroup.start({ name, module: RECENCY, args: ['consume'] })),
  };
}

/** Bare kafkajs consumers on their own topic with as many partitions. */
export async function bareLine(
  { namespace, processGroup, resources, stores }: Ground,
  consumers: number,
): Promise<TaskLine> {
  const { kafkaBrokers: brokers, connectTimeoutMs, kafkaTimeoutMs: deadlineMs } = namespace.config;
  const [topic, group] = [`${namespace.config.topic}.bare`, `${namespace.config.kafkaGroup}.bare`];
  const { logger } = stores.jobs;
  const kafka = { brokers, clientId: 'recency-bench', connectTimeoutMs, requestTimeoutMs: deadlineMs, logger };
  const admin = resources.adopt(new TopicAdmin(createKafka(kafka), topic), (open) => open.close());
  await admin.ensureTopics(DEFAULT_PARTITIONS);
  const publisher = resources.adopt(new KafkaTaskPublisher({ kafka, topic, deadlineMs }), (open) => open.close());
  const names = Array.from({ length: consumers }, (_, i) => `bare consumer ${i + 1}`);
  return {
    publish: (tasks) => publisher.publish(tasks),
    barrier: kafkaBarrier(
      () => admin.offsets(group),
      () => admin.ends(),
    ),
    consumers: names.map((name) => processGroup.start({ name, module: BARE_CONSUMER, args: [topic, group] })),
  };
}

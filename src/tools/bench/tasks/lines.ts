import { openTransport } from '../../../app/transport.ts';
import { openKafka } from '../../../transport/kafka/client.ts';
import { kafkaBarrier } from '../../../transport/kafka/drain-barrier.ts';
import { KafkaTaskPublisher } from '../../../transport/kafka/publisher.ts';
import { DEFAULT_PARTITIONS, TopicAdmin } from '../../../transport/kafka/topic-admin.ts';
import type { Ground } from '../ground.ts';
import type { Line } from './line.ts';

/** Recency's own consumers. */
export async function recencyLine(ground: Ground, consumers: number): Promise<Line> {
  const { place, fleet, resources, signal, stores } = ground;
  const { logger } = stores.jobs;
  const opened = openTransport({ config: place.config, logger, resources }, 'bench');
  await opened.untilAnswers(signal);
  const publisher = resources.adopt(opened.openPublisher(stores.primary), (open) => open.close());
  const names = Array.from({ length: consumers }, (_, i) => `${place.transport} consumer ${i + 1}`);
  return {
    publish: (tasks) => publisher.publish(tasks),
    barrier: opened.barrier,
    consumers: names.map((name) => fleet.start({ name, module: '../../../cli/main', args: ['consume'] })),
  };
}

/** Bare kafkajs consumers on a topic of their own, with as many partitions. */
export async function bareLine({ place, fleet, resources, stores }: Ground, consumers: number): Promise<Line> {
  const { kafkaBrokers: brokers, connectTimeoutMs, kafkaTimeoutMs: deadlineMs } = place.config;
  const [topic, group] = [`${place.config.topic}.bare`, `${place.config.kafkaGroup}.bare`];
  const { logger } = stores.jobs;
  const kafka = { brokers, clientId: 'recency-bench', connectTimeoutMs, requestTimeoutMs: deadlineMs, logger };
  const admin = resources.adopt(new TopicAdmin(openKafka(kafka), topic), (open) => open.close());
  await admin.ensureTopics(DEFAULT_PARTITIONS);
  const publisher = resources.adopt(new KafkaTaskPublisher({ kafka, topic, deadlineMs }), (open) => open.close());
  const names = Array.from({ length: consumers }, (_, i) => `bare consumer ${i + 1}`);
  return {
    publish: (tasks) => publisher.publish(tasks),
    barrier: kafkaBarrier(
      () => admin.offsets(group),
      () => admin.ends(),
    ),
    consumers: names.map((name) =>
      fleet.start({ name, module: '../../bench/tasks/bare-consumer', args: [topic, group] }),
    ),
  };
}

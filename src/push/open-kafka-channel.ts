import { agreementOn } from '../app/agreed-transport.ts';
import { kafkaLocation, requireSameCluster } from '../app/kafka-location.ts';
import { kafkaSettings } from '../app/kafka-transport.ts';
import type { ProcessContext } from '../app/run-process.ts';
import type { Located } from '../app/shared-settings.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import { createKafka } from '../transport/kafka/client.ts';
import { OneCluster } from '../transport/kafka/one-cluster.ts';
import { KafkaProducer } from '../transport/kafka/producer.ts';
import { DEFAULT_PARTITIONS, TopicAdmin } from '../transport/kafka/topic-admin.ts';
import { KafkaChannel } from './kafka-channel.ts';

interface OpenedChannel {
  readonly channel: KafkaChannel;
  /** For `watchSettings`, which ends a process that is led to another cluster. */
  readonly kafka: Located;
}

/**
 * Opens the channel, which connects when there is something to send. It sends to one cluster alone; where the tasks are on Kafka, to the one
 * that they are on: notifications that went elsewhere would be confirmed, and nobody would take them.
 */
export function openKafkaChannel(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  primary: Database,
): OpenedChannel {
  const { activityTopic: topic, kafkaTimeoutMs: deadlineMs } = config;
  const cluster = new OneCluster();
  const settings = { ...kafkaSettings(config, 'notify', logger), cluster };
  const admin = resources.adopt(new TopicAdmin(createKafka(settings), topic, false), (opened) => opened.close());
  const topics = [{ topic, numPartitions: DEFAULT_PARTITIONS }];
  const producer = new KafkaProducer({ kafka: settings, topics, deadlineMs });
  const kafka = { location: () => locationOf(config, admin, cluster) };
  const channel = new KafkaChannel(topic, agreedProducer(producer, agreementOn(kafka, config, primary)));
  return { channel: resources.adopt(channel, (opened) => opened.close()), kafka };
}

async function locationOf(config: Config, admin: TopicAdmin, cluster: OneCluster): Promise<Map<string, string>> {
  if (config.transport === 'kafka') return await kafkaLocation(admin, cluster);
  requireSameCluster(cluster);
  return new Map();
}

type Producer = Pick<KafkaProducer, 'send' | 'close'>;

/** Sends only while the settings are those that all processes share, and confirms only what was sent meanwhile. */
function agreedProducer(producer: Producer, agree: ReturnType<typeof agreementOn>): Producer {
  let isLocated = false;
  const admit = async () => {
    await (isLocated ? agree.lately() : agree.now());
    isLocated = true;
  };
  return {
    send: async (topic, messages) => {
      await admit();
      try {
        return await producer.send(topic, messages);
      } finally {
        await agree.lately();
      }
    },
    close: () => producer.close(),
  };
}

import { type Broker, type Cluster, type Kafka, PartitionAssigners } from 'kafkajs';

/** One request, and not through kafkajs's own search, which hides the reason. */
interface CoordinatorAsking {
  findGroupCoordinator(group: { groupId: string; coordinatorType: 0 }): Promise<unknown>;
}

/**
 * Asks a broker for the coordinator of a group. When none is found, kafkajs says only that, also when the reason is that
 * the group may not be described; this throws what the broker said. As for the reader of dead letters, kafkajs hands its
 * cluster to the assigner of a consumer that never runs.
 * @throws what kafkajs throws
 */
export async function askForCoordinator(kafka: Kafka, topic: string, groupId: string): Promise<void> {
  let cluster: Cluster | undefined;
  const consumer = kafka.consumer({
    ...{ groupId, allowAutoTopicCreation: false },
    partitionAssigners: [
      (config) => {
        cluster = config.cluster;
        return PartitionAssigners.roundRobin(config);
      },
    ],
  });
  try {
    await consumer.connect();
    await cluster?.addMultipleTargetTopics([topic]); // it knows no broker before
    const broker = (await cluster?.findControllerBroker()) as (Broker & CoordinatorAsking) | undefined;
    await broker?.findGroupCoordinator({ groupId, coordinatorType: 0 });
  } finally {
    await consumer.disconnect();
  }
}

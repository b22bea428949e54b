import { StartError } from '../config/start-error.ts';
import { isPassing, KafkaUnavailable } from '../transport/kafka/errors.ts';
import type { OneCluster } from '../transport/kafka/one-cluster.ts';
import type { TopicAdmin } from '../transport/kafka/topic-admin.ts';

/**
 * Which cluster of Kafka this process works on, for comparison with the others' (see shared-settings.ts). Not the addresses: they may differ
 * from host to host. Asks each time: a process that sends nothing else would not notice.
 * @throws StartError if it has changed; KafkaUnavailable, what kafkajs throws
 */
export async function kafkaLocation(
  admin: Pick<TopicAdmin, 'answers'>,
  cluster: OneCluster,
): Promise<Map<string, string>> {
  const [asked] = await Promise.allSettled([admin.answers()]);
  const location = knownLocation(cluster);
  if (location !== undefined) return location;
  if (asked.status === 'fulfilled')
    throw new Error('kafkajs has connected to a broker that was not asked for its cluster');
  if (!isPassing(asked.reason)) throw asked.reason;
  const { message } = asked.reason as Error;
  throw new KafkaUnavailable(`Kafka does not say which cluster it is: ${message}`, { cause: asked.reason });
}

/** The same without asking; undefined: no broker has answered yet. @throws StartError */
export function knownLocation(cluster: OneCluster): Map<string, string> | undefined {
  requireSameCluster(cluster);
  return cluster.id === undefined ? undefined : new Map([['KAFKA_BROKERS:cluster', `cluster ${cluster.id}`]]);
}

/** @throws StartError once a connection has led to another cluster */
export function requireSameCluster({ other }: Pick<OneCluster, 'other'>): void {
  if (other !== undefined) throw new StartError(`${other.message}. ${other.remedy}`, { cause: other });
}

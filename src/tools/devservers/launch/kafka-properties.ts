import { randomBytes } from 'node:crypto';

/**
 * Settings of a single broker for tests: small internal topics, groups that begin without a wait, and a short session,
 * because a broker that was killed is not let in again before its old session has run out.
 */
export const KAFKA_PROPERTIES = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '4',
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
  'group.initial.rebalance.delay.ms': '0',
} as const;

/** The same as the image's environment: `node.id` is `KAFKA_NODE_ID`. */
export function kafkaEnvironment(properties: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([key, value]) => [`KAFKA_${key.toUpperCase().replaceAll('.', '_')}`, value]));
}

/** 16 random bytes as Kafka writes them. A leading hyphen would look like an option to its tool. */
export function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}

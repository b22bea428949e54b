import { Kafka, logLevel } from 'kafkajs';
import { PROBE_TIMEOUT, type Probe } from './probe.ts';

/** Asks the broker for its cluster. Throws when it does not answer in time, or has no controller yet. */
export async function probeKafka(broker: string, version: string): Promise<Probe> {
  const kafka = new Kafka({
    clientId: 'recency-stack',
    brokers: [broker],
    connectionTimeout: PROBE_TIMEOUT,
    requestTimeout: PROBE_TIMEOUT,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers, controller, clusterId } = await admin.describeCluster();
    if (brokers.length === 0 || controller === null) throw new Error('the broker has not joined its cluster yet');
    return { product: 'Kafka', version, identity: clusterId };
  } finally {
    await admin.disconnect();
  }
}

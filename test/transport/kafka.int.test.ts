import { describe } from 'vitest';
import { freshTopic, hasKafka, kafkaBrokers } from '../support/servers.ts';
import { describeTransport } from './conformance.ts';
import { KAFKA_SESSION_MS, type Transport } from './place.ts';
import { describeTakeover } from './takeover.ts';

describe.runIf(hasKafka())('Kafka', () => {
  const kafka: Transport = {
    freshPlace: async () => ({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic({ partitions: 3 }) }),
    holdMs: KAFKA_SESSION_MS,
    histories: 2,
  };
  describeTransport('Kafka', kafka);
  describeTakeover('Kafka', kafka);
});

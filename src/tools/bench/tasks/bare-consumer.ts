/**
 * The least that a consumer with kafkajs can do: it parses each message and commits each batch. It has the topic and the
 * group as arguments, and ends on SIGTERM.
 */
import process from 'node:process';
import { runProcess } from '../../../app/run-process.ts';
import { loadConfig } from '../../../config/config.ts';
import { openLogger } from '../../../tracing/logger.ts';
import { createKafka } from '../../../transport/kafka/client.ts';

const [, , topic = '', groupId = ''] = process.argv;

const config = loadConfig();
const logger = openLogger(config, 'bare');
await runProcess({ config, logger }, async ({ resources }) => {
  const { connectTimeoutMs, kafkaTimeoutMs: requestTimeoutMs, kafkaBrokers: brokers } = config;
  const kafka = createKafka({ brokers, clientId: 'recency-bare', connectTimeoutMs, requestTimeoutMs, logger });
  const consumer = resources.adopt(kafka.consumer({ groupId }), (opened) => opened.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) JSON.parse(String(value));
    },
  });
});

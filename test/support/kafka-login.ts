/**
 * Logs in to a Kafka broker with SASL as a process of Recency does, and fails. Arguments: broker, mechanism, user,
 * password. It logs at every level.
 */
import process from 'node:process';
import { openLogger } from '../../src/tracing/logger.ts';
import { createKafka } from '../../src/transport/kafka/client.ts';

const [broker = '', mechanism = 'plain', username = '', password = ''] = process.argv.slice(2);
const logger = openLogger({ logLevel: 'trace' }, 'login');
const sasl = { mechanism: mechanism as 'plain', username, password };
const settings = { brokers: [broker], clientId: 'login', connectTimeoutMs: 5_000, requestTimeoutMs: 5_000, logger };
const admin = createKafka({ ...settings, security: { sasl } }).admin();
await admin.connect().catch((error: unknown) => logger.error({ reason: error, sasl }, 'refused'));
await admin.disconnect();

import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs';
import type { Logger } from 'pino';
import './fetch-response.ts';
import './kafkajs-patches.ts';
import type { OneCluster } from './one-cluster.ts';

/** How to reach the brokers. */
export interface KafkaSettings {
  /** `host:port` each. One that answers is enough. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Timeout for a connection, ms. */
  readonly connectTimeoutMs: number;
  /** Timeout for a request, ms. */
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
  /** TLS and SASL, if the brokers require them. */
  readonly security?: Pick<KafkaConfig, 'ssl' | 'sasl'>;
  /** The one that all clients with it work on. Left out: a client may work on any. */
  readonly cluster?: OneCluster;
}

/** Few and quick, because every caller retries in a loop of its own. Also, kafkajs has different defaults in tests. */
export const RETRY = { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 } as const;

/** Creates a client. Use a separate one for each source and publisher: kafkajs shares offsets among a client's consumers. */
export function createKafka(settings: KafkaSettings): Kafka {
  return new Kafka({
    brokers: [...settings.brokers],
    clientId: settings.clientId,
    connectionTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: RETRY,
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => write(settings.logger, entry),
    ...settings.security,
    ...(settings.cluster ? { socketFactory: settings.cluster.socketFactory() } : {}),
  });
}

/** These namespaces log every attempt. What fails in the end is thrown as an error anyway. */
const CHATTY = new Set(['Connection', 'BrokerPool']);

/** The fields of kafkajs's log entries that we log. Others may hold requests and responses, including credentials. */
const DETAILS = [
  ...[
    'broker',
    'clientId',
    'groupId',
    'memberId',
    'leaderId',
    'topic',
    'partition',
    'offset',
    'error',
    'correlationId',
  ],
  ...['apiName', 'apiKey', 'apiVersion', 'size', 'retryCount', 'retryTime', 'duration', 'isLeader', 'groupProtocol'],
] as const;

/** Logs one level lower than kafkajs does: it logs errors that it then recovers from, and a warning for each rebalance. */
function write(logger: Logger, { level, namespace, log }: LogEntry): void {
  const detail = Object.fromEntries(DETAILS.filter((name) => name in log).map((name) => [name, log[name]]));
  const text = `kafkajs ${namespace}: ${log.message}`;
  if (CHATTY.has(namespace) || level === logLevel.INFO) logger.debug(detail, text);
  else if (level === logLevel.WARN) logger.info(detail, text);
  else logger.warn(detail, text);
}

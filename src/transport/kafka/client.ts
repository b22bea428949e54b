import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs';
import type { Logger } from 'pino';
import './fetch-response.ts';
import './kafkajs-patches.ts';

/** How to reach the brokers. */
export interface KafkaSettings {
  /** `host:port` each; one that answers is enough. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** ms that a connection may take to come up. */
  readonly connectTimeoutMs: number;
  /** ms that one request may take. */
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
  /** TLS and SASL, where the brokers want them. */
  readonly security?: Pick<KafkaConfig, 'ssl' | 'sasl'>;
}

/** Few and quick: whoever calls has a loop of its own that goes on for ever. Also, kafkajs has other defaults in tests. */
export const RETRY = { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 } as const;

/** A client for one source, one publisher, …: kafkajs shares offsets among the consumers of one client. */
export function openKafka(settings: KafkaSettings): Kafka {
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
  });
}

/** These log every attempt; what fails in the end reaches us as an error of its own. */
const CHATTY = new Set(['Connection', 'BrokerPool']);

/** What is logged of what kafkajs says; the rest may be requests and responses, those that log in among them. */
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

/** kafkajs calls errors what it then fixes itself, and a warning comes with each rebalance. */
function write(logger: Logger, { level, namespace, log }: LogEntry): void {
  const detail = Object.fromEntries(DETAILS.filter((name) => name in log).map((name) => [name, log[name]]));
  const text = `kafkajs ${namespace}: ${log.message}`;
  if (CHATTY.has(namespace) || level === logLevel.INFO) logger.debug(detail, text);
  else if (level === logLevel.WARN) logger.info(detail, text);
  else logger.warn(detail, text);
}

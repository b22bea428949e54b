import type { Config } from '../config/config.ts';
import { readTls, type TlsFault, type TlsSettings, tlsFaultOf, tlsSentence } from '../config/tls.ts';
import type { MysqlTls } from '../mysql/tls.ts';
import type { RedisConnectionOptions } from '../redis/connection.ts';
import type { KafkaSettings } from '../transport/kafka/client.ts';
import { oauthTokens } from '../transport/kafka/oauth-token.ts';
import { StartError } from './start-error.ts';

/** TLS and sign-in of each kind of connection, as the settings want them. */

/** Of the primary and the replica; undefined: in plain text. */
export function mysqlTls({
  mysqlTls: mode,
  mysqlTlsCa: ca,
  mysqlTlsCert: cert,
  mysqlTlsKey: key,
}: Config): MysqlTls | undefined {
  if (mode === 'off') return undefined;
  return { verify: mode === 'on', ...readTls({ ca, cert, key }) };
}

/** Of the Redis of the indexes and that of the tasks. */
export function redisSecurity(config: Config): Required<Pick<RedisConnectionOptions, 'tls' | 'sentinel'>> {
  const { redisTlsCa: ca, redisTlsCert: cert, redisTlsKey: key } = config;
  return {
    tls: readTls({ ca, cert, key }),
    sentinel: { username: config.redisSentinelUser, password: config.redisSentinelPassword },
  };
}

/** Of every broker. One function gives all connections of a process their tokens, so that they share one. */
export function kafkaSecurity(config: Config): NonNullable<KafkaSettings['security']> {
  const { kafkaTlsCa: ca, kafkaTlsCert: cert, kafkaTlsKey: key } = config;
  const sasl = saslOf(config);
  return {
    ...(config.kafkaTls === 'on' ? { ssl: readTls({ ca, cert, key }) } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

type Sasl = NonNullable<KafkaSettings['security']>['sasl'];

function saslOf(config: Config): Sasl {
  const { kafkaSasl: mechanism, kafkaUser: username = '', kafkaPassword: password = '' } = config;
  if (mechanism === 'off') return undefined;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password } as NonNullable<Sasl>;
  const { kafkaOauthTokenFile: file, kafkaOauthTokenCommand: command = '' } = config;
  return { mechanism, oauthBearerProvider: oauthTokens(file === undefined ? { command } : { file }) };
}

const names = (kind: string, tls: string): TlsSettings => ({
  ca: `RECENCY_${kind}_TLS_CA`,
  cert: `RECENCY_${kind}_TLS_CERT`,
  tls,
});

/** @param setting that of the address, by which TLS is asked for of Redis */
const SETTINGS: Readonly<Record<'MySQL' | 'Redis' | 'Kafka', (setting: string) => TlsSettings>> = {
  MySQL: () => names('MYSQL', 'RECENCY_MYSQL_TLS'),
  Redis: (setting) => names('REDIS', setting),
  Kafka: () => names('KAFKA', 'RECENCY_KAFKA_TLS'),
};

/**
 * A certificate that one of both sides does not accept is not waited for.
 * @param setting that of the address
 * @returns the error to end a start with, naming the setting and the reason; undefined: TLS is not what is wrong
 */
export function tlsStartError(
  error: unknown,
  { kind, address, setting }: { kind: 'MySQL' | 'Redis' | 'Kafka'; address: string; setting: string },
): StartError | undefined {
  const fault: TlsFault | undefined = tlsFaultOf(error);
  if (fault === undefined) return undefined;
  return new StartError(tlsSentence(fault, `${kind} at ${address}`, SETTINGS[kind](setting)), { cause: error });
}

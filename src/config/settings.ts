import type { z } from 'zod';
import { KIND_NAMES } from '../contracts/kind.ts';
import { accessTokens } from './access-tokens.ts';
import { INDEX_SETTINGS } from './index-settings.ts';
import { API_PORT, METRICS_PORTS } from './readiness-url.ts';
import {
  bitNames,
  brokers,
  matching,
  mysqlUrl,
  oneOf,
  redisUrls,
  setting,
  someOf,
  timeoutMs,
  trustedProxies,
  whole,
} from './setting-kinds.ts';
import { certificateFile, keyFile, readableFile } from './tls.ts';

/** The prefix of every name in the environment. */
export const PREFIX = 'RECENCY_';

const text = matching(/^[^\r\n]{1,4000}$/, 'one line');

const name = matching(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 letters, digits, dots, dashes or underscores');

const metricsPortSays = `/metrics, /livez and /readyz of consume (default ${METRICS_PORTS.consume}, on loopback), relay (${METRICS_PORTS.relay}), notify (${METRICS_PORTS.notify}) and capture (${METRICS_PORTS.capture}); if set: on HOST; 0: none`;

/** Every setting, by its name without the prefix. */
export const SETTINGS = {
  MYSQL_URL: setting(mysqlUrl, 'mysql://root@127.0.0.1:3306/recency', 'the primary', 'url'),
  MYSQL_REPLICA_URL: setting(mysqlUrl, undefined, 'a replica that the API reads; its answers are not exact', 'url'),
  MYSQL_REPLICA_WAIT_MS: setting(
    whole(0, 60_000),
    '500',
    'how long a read whose Recency-Fresh names a GTID set waits for the replica, at most half of MYSQL_TIMEOUT_MS; then the primary answers',
  ),
  MYSQL_TLS: setting(
    oneOf('off', 'on', 'unverified'),
    'off',
    'on: TLS with the certificate and host name of the primary and the replica verified; unverified: encrypted only',
  ),
  MYSQL_TLS_CA: setting(
    certificateFile,
    undefined,
    'file with the CA that signed the certificates; default: the CAs that Node trusts',
  ),
  MYSQL_TLS_CERT: setting(certificateFile, undefined, 'file with a client certificate'),
  MYSQL_TLS_KEY: setting(keyFile, undefined, 'file with the key of the client certificate'),
  MYSQL_CONNECTIONS: setting(whole(2, 1000), '10', 'maximum connections per process'),
  BULK_CONNECTIONS: setting(
    whole(1, 1000),
    '4',
    'maximum connections to MySQL of a consumer for large audiences, apart from MYSQL_CONNECTIONS',
  ),
  MYSQL_QUEUE: setting(
    whole(0, 100_000),
    '10000',
    'maximum callers waiting for a connection; fewer if they would wait longer than MYSQL_TIMEOUT_MS',
  ),
  MYSQL_TIMEOUT_MS: setting(timeoutMs(), '5000', 'timeout of one statement, and of getting a connection'),
  MYSQL_BUILD_TIMEOUT_MS: setting(
    timeoutMs(150_000), // below the lease of a slow build
    '60000',
    'timeout of reading all contacts of one user in the background, where MYSQL_TIMEOUT_MS is too short; 150000 at most',
  ),
  REDIS_URL: setting(
    redisUrls,
    'redis://127.0.0.1:6379',
    'one server, several addresses of a cluster, or redis+sentinel://host:port,host:port/NAME; rediss… with TLS',
    'url',
  ),
  REDIS_TLS_CA: setting(
    certificateFile,
    undefined,
    'with rediss…, also in STREAMS_URL: file with the CA; default: the CAs that Node trusts',
  ),
  REDIS_TLS_CERT: setting(certificateFile, undefined, 'file with a client certificate'),
  REDIS_TLS_KEY: setting(keyFile, undefined, 'file with the key of the client certificate'),
  REDIS_SENTINEL_USER: setting(text, undefined, 'user of the Sentinels, if they have their own'),
  REDIS_SENTINEL_PASSWORD: setting(text, undefined, 'password of the Sentinels, if they have one', 'hidden'),
  REDIS_TIMEOUT_MS: setting(timeoutMs(), '1000', 'timeout of one command'),
  STREAMS_URL: setting(
    redisUrls,
    undefined,
    'with TRANSPORT streams: a separate Redis for the tasks; default: REDIS_URL',
    'url',
  ),
  CONNECT_TIMEOUT_MS: setting(timeoutMs(), '5000', 'timeout of opening one connection'),
  TRANSPORT: setting(oneOf('kafka', 'streams'), 'streams', 'what carries the tasks'),
  KAFKA_BROKERS: setting(brokers, '127.0.0.1:9092', 'with TRANSPORT kafka'),
  KAFKA_TLS: setting(oneOf('off', 'on'), 'off', 'on: TLS with the certificate and host name of each broker verified'),
  KAFKA_TLS_CA: setting(
    certificateFile,
    undefined,
    'file with the CA that signed the certificates; default: the CAs that Node trusts',
  ),
  KAFKA_TLS_CERT: setting(certificateFile, undefined, 'file with a client certificate'),
  KAFKA_TLS_KEY: setting(keyFile, undefined, 'file with the key of the client certificate'),
  KAFKA_SASL: setting(
    oneOf('off', 'plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'),
    'off',
    'how this process authenticates: off, plain, scram-sha-256, scram-sha-512, oauthbearer',
  ),
  KAFKA_USER: setting(text, undefined, 'with KAFKA_SASL plain or scram'),
  KAFKA_PASSWORD: setting(text, undefined, 'with KAFKA_SASL plain or scram', 'hidden'),
  KAFKA_OAUTH_TOKEN_FILE: setting(readableFile, undefined, 'with KAFKA_SASL oauthbearer: a file with the token'),
  KAFKA_OAUTH_TOKEN_COMMAND: setting(
    text,
    undefined,
    'with KAFKA_SASL oauthbearer: a shell command that prints the token',
    'hidden',
  ),
  KAFKA_GROUP: setting(name, 'recency', 'the consumer group, on either transport'),
  KAFKA_TIMEOUT_MS: setting(timeoutMs(), '10000', 'timeout of one request to a broker'),
  TOPIC: setting(name, 'recency.tasks', 'topic of the tasks; dead letters go to this name with .dlq appended'),
  ACTIVITY_TOPIC: setting(name, 'recency.activity', 'topic of the notifications of watches with the channel kafka'),
  WEBHOOK_ALLOW_PRIVATE: setting(
    oneOf('false', 'true'),
    'false',
    'true: webhooks may go to private, loopback and link-local addresses, and may use http',
  ),
  WATCHES_PER_USER: setting(whole(1, 100_000), '100', 'watches that one user may have'),
  STREAM_MAX_LENGTH: setting(
    whole(1_000, 100_000_000),
    '200000',
    'maximum tasks in the stream; more wait in the outbox',
  ),
  DEAD_LETTERS_MAX: setting(
    whole(1, 1_000_000),
    '2000',
    'maximum dead letters that a stream keeps; the oldest are removed first',
  ),
  TAKEOVER_MS: setting(
    whole(6_000, 300_000),
    '20000',
    'after a consumer is silent for this long, its tasks go to other consumers',
  ),
  KEY_PREFIX: setting(name, 'recency', 'prefix of every key in Redis'),
  RELATIONS: setting(
    bitNames,
    undefined,
    'names of bits of the column bits of recency_contacts, as in bell:0,close:1; relation=bell then filters by the first. The same for all processes',
  ),
  SEPARATE_IDS: setting(
    oneOf('true', 'false'),
    'false',
    'true: contacts are no users, and their ids are ids of other things; the same for all processes',
  ),
  KINDS: setting(
    someOf(KIND_NAMES),
    'contacts',
    `what users follow, each with an index of its own: one or more of ${KIND_NAMES.join(', ')}, separated by commas`,
  ),
  ...INDEX_SETTINGS,
  OUTBOX_KEEP_HOURS: setting(whole(1, 8760), '24', 'published rows of the outbox are deleted after this'),
  CAPTURE_MAPPING: setting(
    text,
    undefined,
    'file with the mapping that `recency capture` goes by; doctor checks it; default of the command: capture.yaml',
  ),
  CAPTURE_TOPIC_PREFIX: setting(
    matching(/^[A-Za-z0-9._-]{1,100}$/, '1 to 100 letters, digits, dots, dashes or underscores'),
    undefined,
    'topic.prefix of the Debezium connector, for `recency capture --from debezium`; its topics are read from KAFKA_BROKERS',
  ),
  SAMPLE_RATE: setting(whole(0, 100), '5', 'users per second whose consistency the consumers sample; 0: none'),
  HOST: setting(matching(/^[A-Za-z0-9._:-]{1,253}$/, 'a host name or an address'), '127.0.0.1', 'address to listen on'),
  PORT: setting(whole(0, 65_535), String(API_PORT), 'port of the API; 0: any free port'),
  METRICS_PORT: setting(whole(0, 65_535), undefined, metricsPortSays),
  TOKENS: setting(accessTokens, undefined, 'token:scope[,scope] …; scopes read, write, admin', 'hidden'),
  CONSOLE: setting(
    oneOf('on', 'off'),
    'on',
    'the pages at /console of serve, for tokens with the scope admin; off: there are none',
  ),
  RATE_LIMIT: setting(whole(0, 1_000_000), '0', 'requests per second from one address; 0: no limit'),
  OPEN_STREAMS: setting(
    whole(0, 1_000_000),
    '10000',
    'maximum streams of one API process (Server-Sent Events); each takes about 30 kB; 0: none',
  ),
  TRUST_PROXY: setting(
    trustedProxies,
    undefined,
    'number of proxies in front of the API, or their networks (10.0.0.0/8,…): clients are identified by X-Forwarded-For',
  ),
  REQUEST_TIMEOUT_MS: setting(
    timeoutMs(),
    '10000',
    'deadline of one request of the API, everything that it waits for included',
  ),
  PLAIN_CONCURRENCY: setting(
    whole(1, 999),
    '2',
    'concurrent heavy queries per process: plain answers, builds, checks; fewer than MYSQL_CONNECTIONS',
  ),
  PLAIN_QUEUE: setting(
    whole(0, 100_000),
    '1000',
    'maximum heavy queries waiting; fewer if they would wait longer than a request may',
  ),
  START_TIMEOUT_MS: setting(
    timeoutMs(),
    '15000',
    'how long a start waits for MySQL, Redis and the brokers; serve waits as long as it takes',
  ),
  SHUTDOWN_TIMEOUT_MS: setting(timeoutMs(60_000), '10000', 'from a signal to the end of the process'),
  DRAIN_MS: setting(
    whole(0, 60_000),
    '5000',
    'how long the API goes on answering after SIGTERM, with /readyz 503, at most half of SHUTDOWN_TIMEOUT_MS; 0: not at all',
  ),
  LOG_LEVEL: setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info', 'what is logged'),
} as const;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function isSecret(setting: SettingName): boolean {
  return 'secret' in SETTINGS[setting];
}

type SettingValue<N extends SettingName> = z.infer<(typeof SETTINGS)[N]['schema']>;
type Given<N extends SettingName> = (typeof SETTINGS)[N]['fallback'] extends string
  ? SettingValue<N>
  : SettingValue<N> | undefined;

type SettingValues = { readonly [N in SettingName]: Given<N> };

/** `MYSQL_URL` → `mysqlUrl`. */
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

/**
 * The settings in force, validated and frozen, each under its name in camel case. Times are in ms unless the name says
 * otherwise.
 */
export type Config = { readonly [N in SettingName as CamelCase<N>]: SettingValues[N] } & {
  /** Those that are not left to their defaults. */
  readonly given: readonly SettingName[];
};

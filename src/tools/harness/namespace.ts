import { randomBytes } from 'node:crypto';
import { type Config, loadConfig } from '../../config/config.ts';
import { childEnvironment } from '../../config/environment.ts';
import type { SettingName } from '../../config/settings.ts';
import type { ServerSet } from '../devservers/devservers.ts';

export type TransportName = 'kafka' | 'streams';

/** Appears in the names of what is created. */
export type Purpose = 'demo' | 'bench' | 'soak';

/** Where a demonstration or benchmark works: its own database, keys and topic, even on servers that others use. */
export interface Namespace {
  readonly transport: TransportName;
  /** For all its processes. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  readonly config: Config;
}

/** Generous, because everything starts at once on a small machine; but a dead consumer is replaced soon. */
const PATIENCE = {
  TAKEOVER_MS: '6000',
  MYSQL_TIMEOUT_MS: '15000',
  REDIS_TIMEOUT_MS: '5000',
  START_TIMEOUT_MS: '60000',
};

export interface NamespaceOptions {
  readonly purpose: Purpose;
  readonly transport: TransportName;
  readonly settings?: Namespace['settings'];
}

type Addresses = Pick<ServerSet, 'mysqlUrl' | 'redisUrl' | 'kafkaBrokers'>;

export function namespaceOn({ mysqlUrl, redisUrl, kafkaBrokers }: Addresses, options: NamespaceOptions): Namespace {
  const { purpose, transport } = options;
  const name = `recency_${purpose}_${randomBytes(4).toString('hex')}`;
  const database = new URL(mysqlUrl);
  database.pathname = `/${name}`;
  const settings = {
    ...PATIENCE,
    MYSQL_URL: database.href,
    REDIS_URL: redisUrl,
    KEY_PREFIX: name,
    TRANSPORT: transport,
    TOPIC: name,
    ACTIVITY_TOPIC: `${name}.activity`,
    KAFKA_GROUP: name,
    METRICS_PORT: '0', // many processes on one machine
    DRAIN_MS: '0', // and nothing balances requests
    ...(kafkaBrokers === null ? {} : { KAFKA_BROKERS: kafkaBrokers }),
    ...options.settings,
  };
  return { transport, settings, config: loadConfig(childEnvironment(settings)) };
}

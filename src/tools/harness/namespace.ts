import { randomBytes } from 'node:crypto';
import { type Config, loadConfig } from '../../config/config.ts';
import { childEnvironment } from '../../config/environment.ts';
import type { SettingName } from '../../config/settings.ts';
import type { ServerSet } from '../devservers/devservers.ts';

export type Transport = 'kafka' | 'streams';

/** What it is all made for; shown in the names of what is made. */
export type Purpose = 'demo' | 'bench' | 'soak';

/** Where a demonstration or benchmark works: a database, keys and a topic of its own, also on servers that others use. */
export interface Namespace {
  readonly transport: Transport;
  /** Of its every process. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  readonly config: Config;
}

/** Room for what happens when everything starts at once on a small machine; a dead consumer is not waited for long. */
const PATIENCE = {
  TAKEOVER_MS: '6000',
  MYSQL_TIMEOUT_MS: '15000',
  REDIS_TIMEOUT_MS: '5000',
  START_TIMEOUT_MS: '60000',
};

export interface NamespaceOptions {
  readonly purpose: Purpose;
  readonly transport: Transport;
  /** Other settings than the usual ones. */
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
    KAFKA_GROUP: name,
    METRICS_PORT: '0', // many processes on one machine
    ...(transport === 'kafka' && kafkaBrokers !== null ? { KAFKA_BROKERS: kafkaBrokers } : {}),
    ...options.settings,
  };
  return { transport, settings, config: loadConfig(childEnvironment(settings)) };
}

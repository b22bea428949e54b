import { randomBytes } from 'node:crypto';
import { childEnvironment } from '../config/child-environment.ts';
import { type Config, loadConfig } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';
import type { StackParts } from '../stack/stack.ts';

export type Transport = 'kafka' | 'streams';

/** Where the demonstration works: a database, keys and a topic of its own, also on servers that others use. */
export interface Place {
  readonly transport: Transport;
  /** Of the demonstration's every process. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  readonly config: Config;
}

/** Room for what happens when everything starts at once on a small machine; a dead consumer is not waited for long. */
const PATIENCE = {
  TAKEOVER_MS: '6000',
  MYSQL_TIMEOUT_MS: '20000',
  REDIS_TIMEOUT_MS: '5000',
  START_TIMEOUT_MS: '60000',
};

export function placeOn({ mysqlUrl, redisUrl, kafkaBrokers }: StackParts, transport: Transport): Place {
  const name = `recency_demo_${randomBytes(4).toString('hex')}`;
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
    ...(transport === 'kafka' && kafkaBrokers !== null ? { KAFKA_BROKERS: kafkaBrokers } : {}),
  };
  return { transport, settings, config: loadConfig(childEnvironment(settings)) };
}

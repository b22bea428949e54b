import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import type { Settings } from './cli.ts';
import { freshName, freshPrefix, hasKafka, kafkaBrokers, redisUrl } from './servers.ts';
import { migratedDatabase } from './stores.ts';

/** Indexes of everybody, for good: most tests are about indexes, of sites with few contacts. */
export const EVERYBODY_INDEXED: Settings = { INDEX_ABOVE: '0', KEEP: '1000000' };

/** Settings with a fresh, migrated database, and key prefix and topic of their own. */
export async function serviceSettings(
  transport: 'kafka' | 'streams' = 'streams',
  kinds: readonly Kind[] = [CONTACTS],
): Promise<Settings & { MYSQL_URL: string }> {
  const MYSQL_URL = await migratedDatabase(kinds);
  const KEY_PREFIX = freshPrefix();
  const TOPIC = transport === 'kafka' ? freshName() : KEY_PREFIX;
  return {
    MYSQL_URL,
    REDIS_URL: redisUrl(),
    KEY_PREFIX,
    KINDS: kinds.map(({ name }) => name).join(','),
    TRANSPORT: transport,
    TOPIC,
    KAFKA_GROUP: TOPIC,
    ...(hasKafka() ? { KAFKA_BROKERS: kafkaBrokers().join(',') } : {}),
    ...EVERYBODY_INDEXED,
    PORT: '0',
    METRICS_PORT: '0',
  };
}

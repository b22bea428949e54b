import type { Database } from './database.ts';

const REMEMBER = 'INSERT IGNORE INTO recency_settings (name, value) VALUES (?, ?)';

/**
 * Remembers that a consumer group has begun to consume.
 * @param group its transport, topic and name
 * @returns whether it had not before
 * @throws DatabaseUnavailable
 */
export async function rememberGroup(database: Database, group: string): Promise<boolean> {
  const { affectedRows } = await database.write(REMEMBER, [`group:${group}`, 'has begun']);
  return affectedRows > 0;
}

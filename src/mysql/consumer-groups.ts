import type { Database } from './database.ts';

const REMEMBER = 'INSERT IGNORE INTO recency_settings (name, value) VALUES (?, ?)';
const READ = 'SELECT value FROM recency_settings WHERE name = ?';
const WRITE = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';

/**
 * Remembers that a consumer group has begun to consume.
 * @param group its transport, topic and name
 * @returns whether this is its first time
 * @throws DatabaseUnavailable
 */
export async function rememberGroup(database: Database, group: string): Promise<boolean> {
  const { affectedRows } = await database.write(REMEMBER, [`group:${group}`, 'has begun']);
  return affectedRows > 0;
}

/**
 * How far a consumer group has come in a stream. Kept outside the Redis that has both, because an older copy of that
 * Redis would not know that it is older.
 */
export function streamCheckpoint(database: Database, stream: string, group: string) {
  const name = `stream:${stream}:${group}`;
  return {
    /** Undefined: nothing was consumed yet. @throws DatabaseUnavailable */
    async load(): Promise<string | undefined> {
      const [row] = await database.rows(READ, [name]);
      return row === undefined ? undefined : String(row[0]);
    },
    /** @throws DatabaseUnavailable */
    async save(entry: string): Promise<void> {
      await database.write(WRITE, [name, entry]);
    },
  };
}

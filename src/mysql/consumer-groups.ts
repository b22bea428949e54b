import type { Database } from './database.ts';

const ADD = 'INSERT IGNORE INTO recency_settings (name, value) VALUES (?, ?)';
const READ = 'SELECT value FROM recency_settings WHERE name = ?';
const WRITE = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';

/**
 * Whether a consumer group has ever consumed.
 * @param group its transport, topic and name
 */
export function groupHistory(database: Database, group: string) {
  const name = `group:${group}`;
  return {
    /** @throws DatabaseUnavailable */
    async hasStarted(): Promise<boolean> {
      return (await database.rows(READ, [name])).length > 0;
    },
    /** @throws DatabaseUnavailable */
    async recordStart(): Promise<void> {
      await database.write(ADD, [name, 'has begun']);
    },
  };
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

import type { Database } from './database.ts';

const READ = 'SELECT value FROM recency_settings WHERE name = ?';
const WRITE = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';

/**
 * How far a consumer group has come in a stream, kept outside of the Redis that has both: an older copy of that Redis
 * would not know that it is older.
 */
export function streamMarkIn(database: Database, stream: string, group: string) {
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

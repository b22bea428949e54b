import type { RowDataPacket } from 'mysql2/promise';
import type { Database } from './database.ts';

/** Settings by name, as the processes of this database work with them. */
export type RememberedSettings = ReadonlyMap<string, string>;

const MARK = 'setting:';
const READ = `SELECT name, value FROM recency_settings WHERE name LIKE '${MARK}%'`;
const WRITE = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';

/** @throws DatabaseUnavailable */
export async function readRememberedSettings(database: Database): Promise<RememberedSettings> {
  const rows = await database.rows(READ, []);
  return new Map(rows.map(([name, value]) => [String(name).slice(MARK.length), String(value)]));
}

/**
 * Remembers those settings that `choose` returns, out of what is remembered now; no two processes at once.
 * @throws DatabaseUnavailable, and what `choose` throws
 */
export async function rememberSettings(
  database: Database,
  choose: (remembered: RememberedSettings) => RememberedSettings,
): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.query('SELECT token FROM recency_epoch FOR UPDATE');
    const [rows] = await connection.query<RowDataPacket[]>(READ);
    const remembered = new Map(rows.map(({ name, value }) => [String(name).slice(MARK.length), String(value)]));
    for (const [name, value] of choose(remembered)) await connection.execute(WRITE, [MARK + name, value]);
  });
}

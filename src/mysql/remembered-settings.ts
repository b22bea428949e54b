import type { RowDataPacket } from 'mysql2/promise';
import type { Database } from './database.ts';

/** The settings that the processes of this database share, by name. */
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
 * Saves the settings that `choose` returns, given those saved now. Only one process at a time.
 * @throws DatabaseUnavailable, errors of `choose`
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

/** Names and values that processes leave for each other (`recency_settings`). */
import { createHash } from 'node:crypto';
import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Database } from './database.ts';
import { lockEpoch } from './epoch.ts';

/** SQL: one of them. */
export const SETTING = {
  read: 'SELECT value FROM recency_settings WHERE name = ?',
  add: 'INSERT IGNORE INTO recency_settings (name, value) VALUES (?, ?)',
  write: 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)',
  remove: 'DELETE FROM recency_settings WHERE name = ?',
};

/**
 * Whether a consumer group has ever consumed.
 * @param group its transport, topic and name
 */
export function groupHistory(database: Database, group: string) {
  const name = groupName(group);
  return {
    /** @throws DatabaseUnavailable */
    async hasStarted(): Promise<boolean> {
      return (await database.rows(SETTING.read, [name])).length > 0;
    },
    /** @throws DatabaseUnavailable */
    async recordStart(): Promise<void> {
      await database.write(SETTING.add, [name, 'has begun']);
    },
  };
}

/** The length of the column: INSERT IGNORE would cut a longer name, which would never be found. */
const MOST_LETTERS = 191;

function groupName(group: string): string {
  const name = `group:${group}`;
  return name.length <= MOST_LETTERS ? name : `group:${createHash('sha256').update(group).digest('hex')}`;
}

/** The settings that the processes of this database share, by name. */
export type RememberedSettings = ReadonlyMap<string, string>;

const MARK = 'setting:';
const READ_MARKED = `SELECT name, value FROM recency_settings WHERE name LIKE '${MARK}%'`;

/** @throws DatabaseUnavailable */
export async function readRememberedSettings(database: Database): Promise<RememberedSettings> {
  const rows = await database.rows(READ_MARKED, []);
  return new Map(rows.map(([name, value]) => [String(name).slice(MARK.length), String(value)]));
}

/**
 * Saves the settings that `choose` returns, given those saved now. Only one process at a time.
 * @param also done in the same transaction
 * @throws DatabaseUnavailable, EpochMissing, errors of `choose` and `also`
 */
export async function rememberSettings(
  database: Database,
  choose: (remembered: RememberedSettings) => RememberedSettings,
  also: (connection: PoolConnection) => Promise<unknown> = async () => {},
): Promise<void> {
  await database.transaction(async (connection) => {
    await lockEpoch(connection);
    const [rows] = await connection.query<RowDataPacket[]>(READ_MARKED);
    const remembered = new Map(rows.map(({ name, value }) => [String(name).slice(MARK.length), String(value)]));
    for (const [name, value] of choose(remembered)) await connection.execute(SETTING.write, [MARK + name, value]);
    await also(connection);
  });
}

/** A setting whose value here is not the remembered one. */
export interface DifferingSetting {
  readonly name: string;
  readonly here: string;
  readonly remembered: string;
}

/** Those of these settings that are remembered with another value, in their order. */
export function differing(settings: ReadonlyMap<string, string>, remembered: RememberedSettings): DifferingSetting[] {
  return [...settings].flatMap(([name, here]) => {
    const other = remembered.get(name);
    return other === undefined || other === here ? [] : [{ name, here, remembered: other }];
  });
}

import type { Database } from './database.ts';
import { SETTING } from './settings.ts';

/** How far a stream had come. */
export interface StreamPoint {
  /** The name of its history: a consumer that finds a loss begins another one. */
  readonly origin: string;
  /** How many entries had ever been added. */
  readonly added: number;
  /** The last one's id. */
  readonly last: string;
}

/** The point up to which tasks count as published, kept outside the stream's Redis. Its methods throw DatabaseUnavailable. */
export interface StreamRecord {
  /** Undefined: nothing is on record. */
  read(): Promise<StreamPoint | undefined>;
  /** @returns false: something other than `known` is on record, and stays */
  replace(known: StreamPoint | undefined, next: StreamPoint): Promise<boolean>;
}

// Needs no right to UPDATE, which accounts of version 0.1.0 do not have on this table.
const REPLACE = `
  REPLACE INTO recency_settings (name, value)
  SELECT name, ? FROM recency_settings WHERE name = ? AND value = ? FOR UPDATE`;

const FORGET = "DELETE FROM recency_settings WHERE name LIKE 'published:%' OR name LIKE 'group:streams:%'";

/**
 * How far a stream has come: a row of `recency_settings`.
 * @param stream its key
 */
export function streamRecord(database: Database, stream: string): StreamRecord {
  const name = `published:${stream}`;
  return {
    async read() {
      const [row] = await database.rows(SETTING.read, [name]);
      return row === undefined ? undefined : parsed(String(row[0]));
    },
    async replace(known, next) {
      const { affectedRows } =
        known === undefined
          ? await database.write(SETTING.add, [name, written(next)])
          : await database.write(REPLACE, [written(next), name, written(known)]);
      return affectedRows > 0;
    },
  };
}

/**
 * Forgets how far any stream has come, and that it had consumers: tasks go elsewhere from now on. Begin an epoch afterwards.
 * @throws DatabaseUnavailable
 */
export async function forgetStreams(database: Database): Promise<void> {
  await database.write(FORGET, []);
}

function written({ origin, added, last }: StreamPoint): string {
  return `${origin} ${added} ${last}`;
}

function parsed(value: string): StreamPoint {
  const [origin = '', added = '', last = ''] = value.split(' ');
  return { origin, added: Number(added), last };
}

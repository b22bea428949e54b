/** How far changes are captured (`recency_capture`), the fence, and where the binary log ends now. */
import { compareVersions, mysqlProductOf } from '../contracts/server-versions.ts';
import type { Database } from './database.ts';
import { quoted } from './inspect-schema.ts';
import { type Fence, NOT_STALE, StaleFence } from './leases.ts';

/** The table whose row capture writes itself, and reads back from the log. */
export const CAPTURE_TABLE = 'recency_capture';

export interface SavedCapture {
  /** The identity of the server that the position belongs to. */
  readonly server: string;
  /** The source's own text. */
  readonly position: string;
  /** The nonce of the write that comes by first when reading begins at the position; empty: none is known. */
  readonly proof: string;
  /** The mapping by which it was captured; empty: an earlier version has not said. */
  readonly mapping: string;
  /** The number of the newest write to this row that has come back, everything before it published; 0: none yet. */
  readonly published: number;
  /** How often this row was written, at least. */
  readonly writes: number;
}

const READ = `SELECT server, position, proof, mapping, published, fences FROM ${CAPTURE_TABLE} WHERE source = ?`;

/** @returns undefined: nothing was captured from this source yet @throws DatabaseUnavailable */
export async function readCapture(database: Database, source: string): Promise<SavedCapture | undefined> {
  const [row] = await database.rows(READ, [source]);
  if (row === undefined) return undefined;
  const [server, position, proof, mapping, published, writes] = row;
  const place = { server: String(server), position: String(position), proof: String(proof) };
  return { ...place, mapping: String(mapping), published: Number(published), writes: Number(writes) };
}

const CREATE = `INSERT IGNORE INTO ${CAPTURE_TABLE} (source, server, position, saved_at) VALUES (?, '', '', 0)`;

const SAVE = `
  UPDATE ${CAPTURE_TABLE}
  SET server = ?, position = ?, proof = ?, mapping = ?, nonce = ?, published = ?, saved_at = ?, fences = fences + 1
  WHERE source = ? AND fences >= ? AND ${NOT_STALE}`;

/** What a write of the row is. */
interface CaptureWrite {
  /** Of this write: no other has the same. */
  readonly nonce: string;
  /** Ms since 1970 UTC. */
  readonly at: number;
}

/**
 * Saves how far the changes are published, and is a fence as well: everything that is before this write in the binary log
 * is visible once it resolves (../capture/capture.ts).
 * @returns false: nothing was saved, because the row has been written less often than this process knows: it was deleted or restored, and
 *   counts its writes anew. `published`, from the count before, would pass for a later write that has come back
 * @throws StaleFence when another process has got the lease since; DatabaseUnavailable
 */
export async function saveCapture(
  database: Database,
  source: string,
  { server, position, proof, mapping, published, writes }: SavedCapture,
  { lease, token }: Fence,
  { nonce, at }: CaptureWrite,
): Promise<boolean> {
  const least = Math.max(published, writes);
  const values = [server, position, proof, mapping, nonce, published, at, source, least, lease, token];
  const save = async () => (await database.write(SAVE, values)).affectedRows > 0;
  if (await save()) return true;
  await database.write(CREATE, [source]);
  if (await save()) return true;
  if ((await readWrites(database, source)) < least) return false;
  throw new StaleFence({ lease, token });
}

const NEWEST = `SELECT source, fences FROM ${CAPTURE_TABLE} ORDER BY saved_at DESC LIMIT 1`;

/**
 * The source that is captured, or was last, and the number of the newest write to its row.
 * @returns undefined: nothing was ever captured @throws DatabaseUnavailable
 */
export async function readFence(database: Database): Promise<{ source: string; fence: number } | undefined> {
  const [row] = await database.rows(NEWEST, []);
  return row && { source: String(row[0]), fence: Number(row[1]) };
}

const WRITES = `SELECT fences FROM ${CAPTURE_TABLE} WHERE source = ?`;

/** The number of the newest write to the source's row; 0: there is none. @throws DatabaseUnavailable */
export async function readWrites(database: Database, source: string): Promise<number> {
  const [row] = await database.rows(WRITES, [source]);
  return Number(row?.[0] ?? 0);
}

const PUBLISHED = `SELECT published FROM ${CAPTURE_TABLE} WHERE source = ?`;

/**
 * Whether a write later than this one has come back: everything that was committed when this one was the newest is published.
 * @returns undefined: the source is captured no longer
 * @throws DatabaseUnavailable
 */
export async function isCapturedPast(database: Database, source: string, fence: number): Promise<boolean | undefined> {
  const [row] = await database.rows(PUBLISHED, [source]);
  return row && Number(row[0]) > fence;
}

const GTIDS = {
  MariaDB: 'SELECT VERSION(), @@global.gtid_binlog_pos, NULL',
  MySQL: "SELECT VERSION(), @@global.gtid_executed, IF(@@global.gtid_mode = 'ON', NULL, @@global.gtid_mode)",
};

/** The end of the binary log: which transactions are in it, or a file and an offset where there are no GTIDs. */
export type LogEnd = { readonly gtids: string } | { readonly file: string; readonly offset: number };

/** @throws DatabaseUnavailable, an error of the server when the account lacks the privilege */
export async function readLogEnd(database: Database): Promise<LogEnd> {
  const [[version = ''] = []] = await database.rows('SELECT VERSION()', []);
  const product = mysqlProductOf(String(version));
  const [row = []] = await database.rows(GTIDS[product], []);
  if (row[2] === null) return { gtids: String(row[1]).replaceAll(/\s/g, '') };
  const statement = compareVersions(String(version), '8.2') >= 0 ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS';
  const [status = []] = await database.rows(statement, []);
  return { file: String(status[0]), offset: Number(status[1]) };
}

/** Placeholders of a statement: a power of two, so that its texts are few. */
const MOST_VALUES = 512;

/** `column` of the rows of another table whose `key` is one of these values; each is an id, or each is any text or any bytes. */
export async function lookUp(
  database: Database,
  { schema, table, key, column }: { schema: string; table: string; key: string; column: string },
  values: readonly (string | Buffer)[],
  areIds: boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < values.length; from += MOST_VALUES) {
    const some = values.slice(from, from + MOST_VALUES);
    const places = 2 ** Math.ceil(Math.log2(some.length));
    const padded = Array.from({ length: places }, (_, i) => some[Math.min(i, some.length - 1)] ?? '');
    const mark = (value: string | Buffer) =>
      Buffer.isBuffer(value) ? 'UNHEX(?)' : areIds ? 'CAST(? AS UNSIGNED)' : '?';
    const marks = padded.map(mark).join(', ');
    const where = `${quoted(key)} IN (${marks})`;
    const text = `SELECT ${quoted(column)} FROM ${quoted(schema)}.${quoted(table)} WHERE ${where}`;
    const parameters = padded.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value));
    const rows = await database.rows(text, parameters);
    found.push(...rows.flatMap(([id]) => (id === null || id === undefined ? [] : [String(id)])));
  }
  return found;
}

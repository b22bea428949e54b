import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Database, Value } from './database.ts';
import { EpochMissing } from './pairs.ts';

/** The epoch in force. Indexes of any other one are cold. */
export interface EpochRow {
  readonly token: string;
  /** Why it began, for people. */
  readonly why: string;
  /** ms since 1970 UTC. */
  readonly bumpedAt: number;
}

/** A server whose identity says whether what was written to it is still there. */
export interface ServerIdentity {
  readonly identity: string;
  /** Where or what it is, for people. */
  readonly description: string;
}

/**
 * - `known`: all of these were seen before
 * - `first`: none was recorded before; they are now
 * - `new_epoch`: a server is another one than before, so what was written may be lost: a new epoch has begun
 */
export type Recorded = 'known' | 'first' | 'new_epoch';

const READ = 'SELECT token, why, bumped_at FROM recency_epoch';
const LOCK = 'SELECT token FROM recency_epoch FOR UPDATE';
const BUMP = 'UPDATE recency_epoch SET token = ?, why = ?, bumped_at = ?';

/** Where identities are kept: of the Redis masters, or of the MySQL server. */
interface Register {
  readonly read: string;
  readonly clear: string;
  readonly add: string;
}

const REDIS_MASTERS: Register = {
  read: 'SELECT run_id AS identity FROM recency_redis_masters',
  clear: 'DELETE FROM recency_redis_masters',
  add: 'INSERT INTO recency_redis_masters (run_id, address, first_seen_at) VALUES (?, ?, ?)',
};

const MYSQL_SERVERS: Register = {
  read: 'SELECT identity FROM recency_mysql_servers',
  clear: 'DELETE FROM recency_mysql_servers',
  add: 'INSERT INTO recency_mysql_servers (identity, version, first_seen_at) VALUES (?, ?, ?)',
};

/** @throws EpochMissing, DatabaseUnavailable */
export async function readEpoch(database: Database): Promise<EpochRow> {
  const [row] = await database.rows(READ, []);
  if (row === undefined) throw new EpochMissing();
  return { token: String(row[0]), why: String(row[1]), bumpedAt: Number(row[2]) };
}

/** Makes every index cold. @throws EpochMissing, DatabaseUnavailable */
export async function writeEpoch(database: Database, epoch: EpochRow): Promise<void> {
  await database.transaction((connection) => bump(connection, epoch));
}

/**
 * Compares the Redis masters in use with those recorded. An unknown one begins the epoch given, and from then on those
 * now in use are the known ones: a master that comes back later is unknown again, because it missed what was written since.
 * @throws EpochMissing, DatabaseUnavailable
 */
export function recordRedisMasters(
  database: Database,
  masters: readonly ServerIdentity[],
  next: EpochRow,
): Promise<Recorded> {
  return record(database, REDIS_MASTERS, masters, next);
}

/** The same for the MySQL server. @throws EpochMissing, DatabaseUnavailable */
export function recordMysqlServer(database: Database, server: ServerIdentity, next: EpochRow): Promise<Recorded> {
  return record(database, MYSQL_SERVERS, [server], next);
}

async function record(
  database: Database,
  register: Register,
  servers: readonly ServerIdentity[],
  next: EpochRow,
): Promise<Recorded> {
  if (
    isAllIn(
      servers,
      (await database.rows(register.read, [])).map(([identity]) => identity),
    )
  )
    return 'known';
  return await database.transaction(async (connection) => {
    await lock(connection);
    const [rows] = await connection.query<RowDataPacket[]>(register.read);
    const recorded = rows.map((row) => String(row.identity));
    if (isAllIn(servers, recorded)) return 'known'; // another process was first
    if (recorded.length > 0) await bump(connection, next);
    await connection.query(register.clear);
    for (const { identity, description } of servers) {
      await connection.execute(register.add, [identity, description.slice(0, 255), next.bumpedAt]);
    }
    return recorded.length > 0 ? 'new_epoch' : 'first';
  });
}

function isAllIn(servers: readonly ServerIdentity[], recorded: readonly (Value | undefined)[]): boolean {
  return servers.every(({ identity }) => recorded.includes(identity));
}

/** One process at a time decides, so that one loss is one new epoch. */
async function lock(connection: PoolConnection): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(LOCK);
  if (rows.length === 0) throw new EpochMissing();
}

/** The same within a transaction of the caller's. @throws EpochMissing */
export async function bump(connection: PoolConnection, { token, why, bumpedAt }: EpochRow): Promise<void> {
  await lock(connection);
  await connection.execute(BUMP, [token, why.slice(0, 255), bumpedAt]);
}

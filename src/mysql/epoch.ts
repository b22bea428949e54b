import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Database, Value } from './database.ts';
import { isSuspended, suspendedToken } from './pairs.ts';
import { EpochMissing } from './server-identity.ts';

/** The epoch in force. Indexes of any other one are cold. Whether it is suspended is in its token (`isSuspended`). */
export interface EpochRow {
  readonly token: string;
  /** Why it began, or was suspended, for people. */
  readonly why: string;
  /** When it began, or was suspended: ms since 1970 UTC. */
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
 * - `suspended`: the same, while the epoch is suspended: no index is trusted, and a new epoch begins when that ends
 */
export type Recorded = 'known' | 'first' | 'new_epoch' | 'suspended';

const READ = 'SELECT token, why, bumped_at FROM recency_epoch';
const LOCK = 'SELECT token FROM recency_epoch FOR UPDATE';
const BEGIN = 'UPDATE recency_epoch SET token = ?, why = ?, bumped_at = ?';
const RENEW = 'UPDATE recency_epoch SET token = ?';
const FORGET_LOSSES = "DELETE FROM recency_settings WHERE name LIKE 'loss:%'";

/** What a Redis is for: it holds the indexes, it carries the tasks, or both. */
export type RedisRole = 'index' | 'streams';

/** Where the identities of the Redis masters of one role are kept. */
interface Register {
  readonly read: string;
  readonly clear: string;
  readonly add: string;
  /** The values of `add`. @param now ms since 1970 UTC */
  readonly row: (server: ServerIdentity, now: number) => (string | number)[];
  /** What was recorded of the same server by a process of before `replid` was. */
  readonly formerly?: (identity: string) => string;
}

const REDIS_MASTER: Pick<Register, 'row' | 'formerly'> = {
  row: ({ identity, description }, now) => [...identity.split('/'), description.slice(0, 255), now],
  formerly: (identity) => identity.replace(/\/.*/, '/'),
};

// One table for both roles: those that carry the tasks are marked. The identity of a master is `<run_id>/<master_replid>`.
const REDIS_MASTERS: Readonly<Record<RedisRole, Register>> = {
  index: {
    ...REDIS_MASTER,
    read: "SELECT CONCAT(run_id, '/', replid) AS identity FROM recency_redis_masters WHERE run_id NOT LIKE 'streams:%'",
    clear: "DELETE FROM recency_redis_masters WHERE run_id NOT LIKE 'streams:%'",
    add: 'INSERT INTO recency_redis_masters (run_id, replid, address, first_seen_at) VALUES (?, ?, ?, ?)',
  },
  streams: {
    ...REDIS_MASTER,
    read: "SELECT CONCAT(SUBSTRING(run_id, 9), '/', replid) AS identity FROM recency_redis_masters WHERE run_id LIKE 'streams:%'",
    clear: "DELETE FROM recency_redis_masters WHERE run_id LIKE 'streams:%'",
    add: "INSERT INTO recency_redis_masters (run_id, replid, address, first_seen_at) VALUES (CONCAT('streams:', ?), ?, ?, ?)",
  },
};

/** @throws EpochMissing, DatabaseUnavailable */
export async function readEpoch(database: Database): Promise<EpochRow> {
  const [row] = await database.rows(READ, []);
  if (row === undefined) throw new EpochMissing();
  return { token: String(row[0]), why: String(row[1]), bumpedAt: Number(row[2]) };
}

/** Makes every index cold, and ends a suspension. @throws EpochMissing, DatabaseUnavailable */
export async function writeEpoch(database: Database, epoch: EpochRow): Promise<void> {
  await database.transaction(async (connection) => {
    await lockEpoch(connection);
    await beginEpoch(connection, epoch);
  });
}

/**
 * Makes every index cold. A suspended epoch stays suspended: what it waits for is still to be caught up with.
 * @throws EpochMissing, DatabaseUnavailable
 */
export function renewEpoch(database: Database, epoch: EpochRow): Promise<'new_epoch' | 'suspended'> {
  return database.transaction((connection) => bump(connection, epoch));
}

/**
 * Compares the Redis masters in use with those recorded for these roles. An unknown one begins the epoch given, once for all
 * roles, and from then on those now in use are the known ones: a master that comes back later is unknown again, because it
 * missed what was written since.
 * @throws EpochMissing, DatabaseUnavailable
 */
export function recordRedisMasters(
  database: Database,
  masters: readonly ServerIdentity[],
  roles: readonly RedisRole[],
  next: EpochRow,
): Promise<Recorded> {
  const registers = roles.map((role) => REDIS_MASTERS[role]);
  return record(database, registers, masters, next);
}

async function record(
  database: Database,
  registers: readonly Register[],
  servers: readonly ServerIdentity[],
  next: EpochRow,
): Promise<Recorded> {
  if (await areKnown(database, registers, servers)) return 'known';
  return await database.transaction(async (connection) => {
    await lockEpoch(connection);
    let outcome: Recorded = 'known'; // another process may have been first
    for (const register of registers) {
      const one = await recordIn(connection, register, servers, next.bumpedAt);
      if (one === 'new_epoch' || outcome === 'known') outcome = one;
    }
    return outcome === 'new_epoch' ? await bump(connection, next) : outcome;
  });
}

async function areKnown(
  database: Database,
  registers: readonly Register[],
  servers: readonly ServerIdentity[],
): Promise<boolean> {
  for (const { read } of registers) {
    const recorded = (await database.rows(read, [])).map(([identity]) => identity);
    if (!isAllIn(servers, recorded)) return false;
  }
  return true;
}

async function recordIn(
  connection: PoolConnection,
  { read, clear, add, row, formerly }: Register,
  servers: readonly ServerIdentity[],
  now: number,
): Promise<Recorded> {
  const [rows] = await connection.query<RowDataPacket[]>(read);
  const recorded = rows.map((found) => String(found.identity));
  if (isAllIn(servers, recorded)) return 'known';
  await connection.query(clear);
  for (const server of servers) await connection.execute(add, row(server, now));
  if (recorded.length === 0) return 'first';
  const isKnown = ({ identity }: ServerIdentity) =>
    recorded.includes(identity) || (formerly !== undefined && recorded.includes(formerly(identity)));
  return servers.every(isKnown) ? 'known' : 'new_epoch';
}

function isAllIn(servers: readonly ServerIdentity[], recorded: readonly (Value | undefined)[]): boolean {
  return servers.every(({ identity }) => recorded.includes(identity));
}

/**
 * Only one process decides at a time, so that one loss is one new epoch.
 * @returns the token in force
 * @throws EpochMissing
 */
export async function lockEpoch(connection: PoolConnection): Promise<string> {
  const [[row]] = await connection.query<RowDataPacket[]>(LOCK);
  if (row === undefined) throw new EpochMissing();
  return String(row.token);
}

/**
 * Makes every index cold, within a transaction of the caller's. A suspended epoch stays suspended, under another token: the
 * losses that suspended it are still to be caught up with.
 * @throws EpochMissing
 */
export async function bump(connection: PoolConnection, epoch: EpochRow): Promise<'new_epoch' | 'suspended'> {
  if (isSuspended(await lockEpoch(connection))) {
    await connection.execute(RENEW, [suspendedToken(epoch.token)]);
    return 'suspended';
  }
  await beginEpoch(connection, epoch);
  return 'new_epoch';
}

/** Begins the epoch, whatever was known to be lost. Under the lock of the caller's transaction. */
export async function beginEpoch(connection: PoolConnection, { token, why, bumpedAt }: EpochRow): Promise<void> {
  await connection.query(FORGET_LOSSES);
  await connection.execute(BEGIN, [token, why.slice(0, 255), bumpedAt]);
}

import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { bump, type EpochRow, lockEpoch, type Recorded } from './epoch.ts';

/** What a Redis is for: it holds the indexes, carries the tasks, or both. */
export type RedisRole = 'index' | 'streams';

/** A Redis master in use. */
interface MasterIdentity {
  /** `<run_id>/<master_replid>`: says whether what was written to it is still there. */
  readonly identity: string;
  /** Its address, for people. */
  readonly description: string;
}

/** Statements on the masters of one role. */
interface Statements {
  readonly read: string;
  readonly clear: string;
  readonly add: string;
}

// One table for both roles: a mark tells the masters that carry the tasks apart.
const STATEMENTS: Readonly<Record<RedisRole, Statements>> = {
  index: {
    read: "SELECT CONCAT(run_id, '/', replid) AS identity FROM recency_redis_masters WHERE run_id NOT LIKE 'streams:%'",
    clear: "DELETE FROM recency_redis_masters WHERE run_id NOT LIKE 'streams:%'",
    add: 'INSERT INTO recency_redis_masters (run_id, replid, address, first_seen_at) VALUES (?, ?, ?, ?)',
  },
  streams: {
    read: "SELECT CONCAT(SUBSTRING(run_id, 9), '/', replid) AS identity FROM recency_redis_masters WHERE run_id LIKE 'streams:%'",
    clear: "DELETE FROM recency_redis_masters WHERE run_id LIKE 'streams:%'",
    add: "INSERT INTO recency_redis_masters (run_id, replid, address, first_seen_at) VALUES (CONCAT('streams:', ?), ?, ?, ?)",
  },
};

/**
 * Compares the Redis masters in use with those on record for these roles. An unknown one begins the epoch given, once
 * for all roles, and the masters now in use replace those on record: one that comes back later is unknown again,
 * because it missed what was written since.
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function recordRedisMasters(
  database: Database,
  masters: readonly MasterIdentity[],
  roles: readonly RedisRole[],
  next: EpochRow,
): Promise<Recorded> {
  if (await areKnown(database, masters, roles)) return 'known';
  return await database.transaction(async (connection) => {
    await lockEpoch(connection);
    let outcome: Recorded = 'known'; // another process may have been first
    for (const role of roles) {
      const one = await recordIn(connection, STATEMENTS[role], masters, next.bumpedAt);
      if (one === 'new_epoch' || outcome === 'known') outcome = one;
    }
    // The first ones begin an epoch, too: this may be a copy of the database that was taken before there were any.
    if (outcome === 'known' || (await bump(connection, next)) === 'new_epoch') return outcome;
    return 'suspended';
  });
}

async function areKnown(database: Database, masters: readonly MasterIdentity[], roles: readonly RedisRole[]) {
  for (const role of roles) {
    const recorded = (await database.rows(STATEMENTS[role].read, [])).map(([identity]) => identity);
    if (!isAllIn(masters, recorded)) return false;
  }
  return true;
}

/** @param now ms since 1970 UTC */
async function recordIn(
  connection: PoolConnection,
  { read, clear, add }: Statements,
  masters: readonly MasterIdentity[],
  now: number,
): Promise<Recorded> {
  const [rows] = await connection.query<RowDataPacket[]>(read);
  const recorded = rows.map((found) => String(found.identity));
  if (isAllIn(masters, recorded)) return 'known';
  await connection.query(clear);
  for (const { identity, description } of masters) {
    await connection.execute(add, [...identity.split('/'), description.slice(0, 255), now]);
  }
  if (recorded.length === 0) return 'first';
  const isKnown = ({ identity }: MasterIdentity) =>
    recorded.includes(identity) || recorded.includes(withoutReplid(identity));
  return masters.every(isKnown) ? 'known' : 'new_epoch';
}

/** The identity of the same master as older versions recorded it. */
function withoutReplid(identity: string): string {
  return identity.replace(/\/.*/, '/');
}

function isAllIn(masters: readonly MasterIdentity[], recorded: readonly (ColumnValue | undefined)[]): boolean {
  return masters.every(({ identity }) => recorded.includes(identity));
}

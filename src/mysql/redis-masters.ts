/**
 * The Redis masters on record: those whose contents count.
 *
 * One row for each role, which is replaced and never deleted: each of a pair of MySQL masters may have recorded the same Redis
 * while they were apart, and replication stops at a row that is there already, or gone.
 */
import { createHash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { bump, lockEpoch, type NextEpoch, type Recorded } from './epoch.ts';
import { SETTING } from './settings.ts';

/** What a Redis is for: it holds the indexes, carries the tasks, or both. */
export type RedisRole = 'index' | 'streams';

const nameOf = (role: RedisRole) => `redis:${role}`;

/** Characters of a digest: a row holds 64 KiB, and a cluster has up to a thousand masters. */
const DIGEST_LENGTH = 16;

function digestOf(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, DIGEST_LENGTH);
}

/**
 * Compares the Redis masters in use with those on record for these roles. An unknown one begins the epoch given, once
 * for all roles, and the masters now in use replace those on record: one that comes back later is unknown again,
 * because it missed what was written since.
 * @param identities of the masters in use, each `<run_id>/<master_replid>`: whether what was written to it is still there
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function recordRedisMasters(
  database: Database,
  identities: readonly string[],
  roles: readonly RedisRole[],
  next: NextEpoch,
): Promise<Recorded> {
  const inUse = identities.map(digestOf);
  if (await areKnown(database, inUse, roles)) return 'known';
  return await database.transaction(async (connection) => {
    await lockEpoch(connection);
    let outcome: Recorded = 'known'; // another process may have been first
    for (const role of roles) {
      const one = await recordIn(connection, role, inUse);
      if (one === 'new_epoch' || outcome === 'known') outcome = one;
    }
    // The first ones begin an epoch, too: this may be a copy of the database that was taken before there were any.
    if (outcome === 'known' || (await bump(connection, next)) === 'new_epoch') return outcome;
    return 'suspended';
  });
}

async function areKnown(database: Database, inUse: readonly string[], roles: readonly RedisRole[]): Promise<boolean> {
  for (const role of roles) {
    const [[value] = []] = await database.rows(SETTING.read, [nameOf(role)]);
    if (!isAllIn(inUse, mastersIn(value))) return false;
  }
  return true;
}

async function recordIn(connection: Connection, role: RedisRole, inUse: readonly string[]): Promise<Recorded> {
  const [[row]] = await connection.execute<RowDataPacket[]>(SETTING.read, [nameOf(role)]);
  const recorded = mastersIn(row?.value);
  if (isAllIn(inUse, recorded)) return 'known';
  await connection.execute(SETTING.write, [nameOf(role), JSON.stringify(inUse)]);
  return recorded === undefined ? 'first' : 'new_epoch';
}

/** Undefined: none is on record. */
function mastersIn(value: ColumnValue | undefined): readonly string[] | undefined {
  return value === undefined || value === null ? undefined : (JSON.parse(String(value)) as string[]);
}

function isAllIn(inUse: readonly string[], recorded: readonly string[] | undefined): boolean {
  return recorded !== undefined && inUse.every((digest) => recorded.includes(digest));
}

/**
 * The Redis masters on record, and the id under which the indexes there belong to this MySQL: those whose contents count.
 *
 * One row for each role, which is replaced and never deleted: each of a pair of MySQL masters may have recorded the same Redis
 * while they were apart, and replication stops at a row that is there already, or gone.
 */
import { createHash } from 'node:crypto';
import type { Connection, PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { bump, EPOCH, lockEpoch, type NextEpoch, type Recorded, readOwn } from './epoch.ts';
import { serverOn } from './epoch-token.ts';
import { DatabaseNotPrimary } from './faults.ts';
import { isAnyReplaced, isPresent, type ReplacedServers, readReplaced, writeReplaced } from './replaced-servers.ts';
import { SETTING } from './settings.ts';

/** What a Redis is for: it holds the indexes, carries the tasks, or both. */
export type RedisRole = 'index' | 'streams';

/** Of the names of the rows. */
const MARK = 'redis:';

const nameOf = (role: RedisRole) => MARK + role;

/** Of the row with the id of the ownership (see ../index/ownership.ts). */
const OWNERSHIP = `${MARK}ownership`;

/** Of the row with those that were replaced. */
const replacedName = (role: RedisRole) => `${nameOf(role)}:replaced`;

/** Characters of a digest: a row holds 64 KiB, and a cluster has up to a thousand masters. */
const DIGEST_LENGTH = 16;

function digestOf(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, DIGEST_LENGTH);
}

/** The outcome of a comparison. */
export interface ComparedRecord {
  readonly recorded: Recorded | 'in_turns';
  /** The token of the epoch in which they are on record. Whenever others take their place, another epoch begins. */
  readonly epoch: string;
}

/** What a process uses. */
export interface RedisInUse {
  /** Of the masters, each `<run_id>/<master_replid>`: whether what was written to it is still there. */
  readonly identities: readonly string[];
  readonly roles: readonly RedisRole[];
  /** Under which its indexes belong to this MySQL; undefined: it has none, it only carries tasks. */
  readonly ownership: ClaimedOwnership | undefined;
}

export interface ClaimedOwnership {
  readonly id: string;
  /** The epoch that was in force, which names the server that it was claimed for. */
  readonly epoch: string;
}

/**
 * Compares the Redis in use with what is on record for its roles. An unknown master, or another ownership, begins the epoch given,
 * once for all roles, and replaces what is on record: a master that comes back later is unknown again,
 * because it missed what was written since.
 * @returns `in_turns`: one was replaced, and what replaced it is still in use; nothing is recorded
 * @throws DatabaseNotPrimary, also when this is another server than the ownership was claimed for; EpochMissing, DatabaseUnavailable
 */
export async function recordRedisMasters(
  database: Database,
  { identities, roles, ownership }: RedisInUse,
  next: NextEpoch,
): Promise<ComparedRecord> {
  const inUse = { masters: identities.map(digestOf), roles, ownership };
  const epoch = await epochOnRecord(database, inUse);
  if (epoch !== undefined) return { recorded: 'known', epoch };
  return await database.transaction(async (connection) => {
    if (!isServerOf(ownership, await lockEpoch(connection))) throw new DatabaseNotPrimary(ELSEWHERE);
    const recorded = await recordIn(connection, inUse, next);
    return { recorded, epoch: await lockEpoch(connection) };
  });
}

const KNOWN = `
  SELECT s.name, s.value, ${EPOCH}
  FROM recency_epoch AS e LEFT JOIN recency_settings AS s ON s.name LIKE '${MARK}%'`;

/** The same, with digests. */
interface InUse extends Pick<RedisInUse, 'roles' | 'ownership'> {
  readonly masters: readonly string[];
}

/** @returns the epoch in which all of it is on record, and no other was lately; undefined: this must be looked into */
async function epochOnRecord(database: Database, { masters, roles, ownership }: InUse): Promise<string | undefined> {
  const { rows, epoch } = await readOwn(database, KNOWN, []);
  const values = new Map(rows.map(([name, value]) => [name, value]));
  const isKnown = (role: RedisRole) =>
    isAllIn(masters, mastersIn(values.get(nameOf(role)))) && !isAnyReplaced(values.get(replacedName(role)));
  const isSame = isServerOf(ownership, epoch) && isRecorded(ownership, values.get(OWNERSHIP));
  return roles.every(isKnown) && isSame ? epoch : undefined;
}

/** How the Redis that a process would use stands to what is on record, for one role. */
export interface RedisStanding {
  /** `unknown`: its first use begins an epoch; `none`: none is on record; `replaced`: it is refused, what replaced it is in use. */
  readonly state: 'on_record' | 'unknown' | 'none' | 'replaced';
  /** When one that was replaced was last on record or refused, ms since 1970 UTC; undefined: not for ten minutes. */
  readonly replacedSeenAt: number | undefined;
}

/**
 * Records nothing.
 * @param identities as in {@link RedisInUse}
 * @param now ms since 1970 UTC
 * @throws DatabaseUnavailable
 */
export async function readRedisStanding(
  database: Database,
  identities: readonly string[],
  role: RedisRole,
  now: number,
): Promise<RedisStanding> {
  const inUse = identities.map(digestOf);
  const record = await database.transaction((connection) => readRecord(connection, role, now));
  const seenAt = Object.values(record.before.replaced);
  const replacedSeenAt = seenAt.length === 0 ? undefined : Math.max(...seenAt);
  if (record.masters === undefined) return { state: 'none', replacedSeenAt };
  if (takesTurns(inUse, record, now)) return { state: 'replaced', replacedSeenAt };
  return { state: isAllIn(inUse, record.masters) ? 'on_record' : 'unknown', replacedSeenAt };
}

/** Those on record for one role. */
interface RecordedMasters {
  readonly role: RedisRole;
  /** Undefined: none. */
  readonly masters: readonly string[] | undefined;
  readonly before: ReplacedServers;
}

async function recordIn(
  connection: PoolConnection,
  { masters: inUse, roles, ownership }: InUse,
  next: NextEpoch,
): Promise<Recorded | 'in_turns'> {
  const now = next.bumpedAt;
  const records = await Promise.all(roles.map((role) => readRecord(connection, role, now)));
  if (records.some((record) => takesTurns(inUse, record, now))) {
    for (const record of records) await keepRefusing(connection, inUse, record, now);
    return 'in_turns';
  }
  for (const record of records) await replace(connection, inUse, record, now);
  const others = records.filter(({ masters }) => !isAllIn(inUse, masters));
  const belonged = await recordOwnership(connection, ownership);
  if (others.length === 0 && belonged === 'known') return 'known'; // another process was first
  // The first ones begin an epoch, too: this may be a copy of the database that was taken before there were any.
  const why = others.length === 0 ? OTHER_OWNERSHIP : next.why;
  if ((await bump(connection, { ...next, why })) === 'suspended') return 'suspended';
  const areFirst = others.every(({ masters }) => masters === undefined);
  return areFirst && belonged !== 'other' ? 'first' : 'new_epoch';
}

const OTHER_OWNERSHIP =
  'another MySQL server than the indexes in Redis belonged to, or Redis holds other keys than before';

async function recordOwnership(
  connection: Connection,
  ownership: ClaimedOwnership | undefined,
): Promise<'known' | 'first' | 'other'> {
  if (ownership === undefined) return 'known';
  const [[row]] = await connection.execute<RowDataPacket[]>(SETTING.read, [OWNERSHIP]);
  if (isRecorded(ownership, row?.value)) return 'known';
  await connection.execute(SETTING.write, [OWNERSHIP, ownership.id]);
  return row === undefined ? 'first' : 'other';
}

function isRecorded(ownership: ClaimedOwnership | undefined, recorded: ColumnValue | undefined): boolean {
  return ownership === undefined || ownership.id === String(recorded);
}

const ELSEWHERE = 'MySQL is another server than the one that has claimed the indexes in Redis';

/** Is this the server that the ownership was claimed for? Its connections may lead elsewhere by now. */
function isServerOf(ownership: ClaimedOwnership | undefined, token: string): boolean {
  return ownership === undefined || serverOn(ownership.epoch) === serverOn(token);
}

async function readRecord(connection: Connection, role: RedisRole, now: number): Promise<RecordedMasters> {
  const [[row]] = await connection.execute<RowDataPacket[]>(SETTING.read, [nameOf(role)]);
  return { role, masters: mastersIn(row?.value), before: await readReplaced(connection, replacedName(role), now) };
}

/** Masters of a cluster take no turns with those that are in use beside them, even if one was away when the record was written. */
function takesTurns(inUse: readonly string[], { masters = [], before }: RecordedMasters, now: number): boolean {
  if (!isPresent(before, now) || inUse.some((digest) => masters.includes(digest))) return false;
  return inUse.some((digest) => digest in before.replaced);
}

/** Remembers those that are refused for as long as they are in use. */
async function keepRefusing(
  connection: Connection,
  inUse: readonly string[],
  { role, before: { seenAt, replaced } }: RecordedMasters,
  now: number,
): Promise<void> {
  const refused = Object.fromEntries(inUse.filter((digest) => digest in replaced).map((digest) => [digest, now]));
  await writeReplaced(connection, replacedName(role), { seenAt, replaced: { ...replaced, ...refused } });
}

async function replace(
  connection: Connection,
  inUse: readonly string[],
  { role, masters, before: { replaced } }: RecordedMasters,
  now: number,
): Promise<void> {
  const isKnown = isAllIn(inUse, masters);
  const gone = isKnown || masters === undefined ? [] : masters.filter((digest) => !inUse.includes(digest));
  const others = Object.entries(replaced).filter(([digest]) => isKnown || !inUse.includes(digest));
  await writeReplaced(connection, replacedName(role), {
    seenAt: now,
    replaced: Object.fromEntries([...others, ...gone.map((digest) => [digest, now])]),
  });
  if (!isKnown) await connection.execute(SETTING.write, [nameOf(role), JSON.stringify(inUse)]);
}

/** Undefined: none is on record. */
function mastersIn(value: ColumnValue | undefined): readonly string[] | undefined {
  return value === undefined || value === null ? undefined : (JSON.parse(String(value)) as string[]);
}

function isAllIn(inUse: readonly string[], recorded: readonly string[] | undefined): boolean {
  return recorded !== undefined && inUse.every((digest) => recorded.includes(digest));
}

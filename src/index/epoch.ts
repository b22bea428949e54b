/**
 * The epoch: a random token in MySQL. A new one makes every index cold at once. It begins whenever an index or MySQL may hold
 * less than was written: a Redis that restarted from an older file or failed over to a lagging replica, a MySQL that was
 * restored or failed over, or lost tasks. Each of these leaves indexes that look right and are not.
 */
import type { Database } from '../mysql/database.ts';
import { nextEpoch, type Recorded, readEpoch, renewEpoch, writeEpoch } from '../mysql/epoch.ts';
import { type EpochState, type KnownLoss, type LossProgress, noteProgress, suspendEpoch } from '../mysql/losses.ts';
import { type RedisInUse, recordRedisMasters } from '../mysql/redis-masters.ts';
import { recordServer } from '../mysql/server-record.ts';
import { type RedisMaster, RedisNotOnRecord } from '../redis/masters.ts';
import type { Epoch } from './contact-index.ts';

/** Begins a new epoch, even if the current one is suspended. @param why for people @throws EpochMissing, DatabaseUnavailable */
export async function bumpEpoch(database: Database, why: string): Promise<Epoch> {
  return await writeEpoch(database, nextEpoch(why));
}

/** The same, except that a suspended epoch stays suspended. @throws EpochMissing, DatabaseUnavailable */
export async function bumpKeepingSuspension(database: Database, why: string): Promise<Epoch> {
  await renewEpoch(database, nextEpoch(why));
  return (await readEpoch(database)).token;
}

/**
 * Suspends the epoch because tasks were lost at these places. From the commit on no process answers from an index or builds
 * one, until the consumers have caught up with everything that existed when the last loss was found (`noteCaughtUp`).
 * @param why for people
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function suspendForLoss(database: Database, places: readonly string[], why: string): Promise<void> {
  const next = nextEpoch(why);
  const losses = places.map((place): KnownLoss => ({ place, what: why, foundAt: next.bumpedAt, end: null }));
  await suspendEpoch(database, next, losses);
}

/**
 * Records the progress after losses, and begins a new epoch when the consumers have caught up with all of them.
 * @param state as it was read before the progress was determined
 * @returns whether a new epoch has begun
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function noteCaughtUp(
  database: Database,
  { epoch }: EpochState,
  progress: LossProgress,
): Promise<boolean> {
  return (await noteProgress(database, epoch.token, progress, nextEpoch(epoch.why))) === 'new_epoch';
}

/**
 * Checks that MySQL is the server it was. If not, commits may be lost, and a new epoch begins.
 * @throws DatabaseNotPrimary when it takes no writes, or several servers answer in turns; DatabaseUnavailable, EpochMissing
 */
export function checkMysqlServer(database: Database): Promise<Recorded> {
  return recordServer(database, ({ description }) => nextEpoch(`another MySQL server: ${description}`));
}

/**
 * Checks that every Redis master in use is one that MySQL knows, and its indexes are those that MySQL knows. If not, they may be old,
 * and a new epoch begins: the indexes may be older than their epoch says, and tasks on the streams may be lost.
 * Call it on every connection, before the first answer from an index.
 * @returns with the epoch in which they are on record
 * @throws RedisNotOnRecord when several are in use; DatabaseNotPrimary, DatabaseUnavailable, EpochMissing
 */
export async function checkRedisMasters(
  database: Database,
  masters: readonly RedisMaster[],
  { roles, ownership }: Pick<RedisInUse, 'roles' | 'ownership'>,
): Promise<{ readonly recorded: Recorded; readonly epoch: Epoch }> {
  const what = roles.includes('index') ? '' : ' of the streams';
  const names = masters.map(nameOf).join(', ');
  const next = nextEpoch(`another Redis master${what}: ${names}`);
  const inUse = { identities: masters.map(identityOf), roles, ownership };
  const { recorded, epoch } = await recordRedisMasters(database, inUse, next);
  if (recorded === 'in_turns') throw new RedisNotOnRecord(`Several Redis masters are in use: ${names} ${REPLACED}`);
  return { recorded, epoch };
}

/** Said of a master that is refused. */
export const REPLACED = 'was replaced as the one on record, and what replaced it is in use';

/** For people. */
function nameOf({ address, runId, slots }: RedisMaster): string {
  const unsettled = slots?.unsettled ?? [];
  return `${address} ${runId}${unsettled.length > 0 ? ` (unsettled slots: ${unsettled.join(' ')})` : ''}`;
}

/** Changes when the server restarts, is promoted after it was a replica, or has keys of slots that are another's (see unsettled-slots.ts). */
export function identityOf({ runId, replicationId, slots }: RedisMaster): string {
  return [runId, replicationId, ...(slots?.unsettled ?? [])].join('/');
}

import { randomBytes } from 'node:crypto';
import type { Database } from '../mysql/database.ts';
import { type EpochRow, type Recorded, readEpoch, renewEpoch, writeEpoch } from '../mysql/epoch.ts';
import { type EpochState, type KnownLoss, type LossProgress, noteProgress, suspendEpoch } from '../mysql/losses.ts';
import { type RedisRole, recordRedisMasters } from '../mysql/redis-masters.ts';
import { recordServer } from '../mysql/server-record.ts';
import type { RedisMaster } from '../redis/masters.ts';
import type { Epoch } from './contact-index.ts';

/**
 * A new epoch makes every index cold at once. It is due whenever what an index or MySQL holds may be less than what was
 * written: a Redis that restarted from an older file or was failed over to a replica that lagged, a MySQL that was
 * restored or failed over, and tasks that were lost. Each of them leaves indexes that look right and are not.
 */
function nextEpoch(why: string): EpochRow {
  return { token: randomBytes(8).toString('base64url'), why, bumpedAt: Date.now() };
}

/** Begins a new epoch, also where one is suspended. @param why for people @throws EpochMissing, DatabaseUnavailable */
export async function bumpEpoch(database: Database, why: string): Promise<Epoch> {
  const next = nextEpoch(why);
  await writeEpoch(database, next);
  return next.token;
}

/** The same, but for a suspended epoch, which stays suspended. @throws EpochMissing, DatabaseUnavailable */
export async function bumpKeepingSuspension(database: Database, why: string): Promise<Epoch> {
  await renewEpoch(database, nextEpoch(why));
  return (await readEpoch(database)).token;
}

/**
 * Tasks were lost at these places: from the commit on no process answers from an index or builds one, until the group
 * has caught up with all that was there when the last loss was found (`noteCaughtUp`).
 * @param why for people
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function suspendForLoss(database: Database, places: readonly string[], why: string): Promise<void> {
  const next = nextEpoch(why);
  const losses = places.map((place): KnownLoss => ({ place, what: why, foundAt: next.bumpedAt, end: null }));
  await suspendEpoch(database, next, losses);
}

/**
 * Notes what is known of the losses of a suspended epoch, and begins a new epoch when no loss is left to catch up with.
 * @param state as it was read before the progress was looked up
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
 * Is every Redis master in use one that MySQL knows? If not, its contents may be old, and a new epoch begins: for the indexes,
 * because they may be older than their epoch says; for the streams, because tasks on them may be lost.
 * Call it on every connection, before the first answer from an index.
 * @throws DatabaseUnavailable, EpochMissing
 */
export async function checkRedisMasters(
  database: Database,
  masters: readonly RedisMaster[],
  roles: readonly RedisRole[] = ['index'],
): Promise<Recorded> {
  const what = roles.includes('index') ? '' : ' of the streams';
  const why = `another Redis master${what}: ${masters.map(({ address, runId }) => `${address} ${runId}`).join(', ')}`;
  const servers = masters.map((master) => ({ identity: identityOf(master), description: master.address }));
  return await recordRedisMasters(database, servers, roles, nextEpoch(why));
}

function identityOf({ runId, replicationId }: RedisMaster): string {
  return `${runId}/${replicationId}`;
}

/** What all of these masters are together, as one text. */
export function identityOfAll(masters: readonly RedisMaster[]): string {
  return masters.map(identityOf).sort().join(' ');
}

/**
 * Is this MySQL the one it was? If not, commits may be lost, and a new epoch begins.
 * @throws DatabaseNotPrimary when it takes no writes, or several that do answer in turns; DatabaseUnavailable, EpochMissing
 */
export function checkMysqlServer(database: Database): Promise<Recorded> {
  return recordServer(database, ({ description }) => nextEpoch(`another MySQL server: ${description}`));
}

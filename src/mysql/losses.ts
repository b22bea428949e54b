/**
 * Known losses of tasks, and the suspension of the epoch until the consumers have caught up.
 *
 * A consumer that has fallen behind the retention finds one loss after another. An index that is built in between may
 * miss what the next loss takes, so the first loss suspends the epoch: its token becomes one that no index can have.
 * Each partition or stream with a loss is recorded, with the position that its consumers must reach. When the last of
 * them has, one new epoch begins. All of this is decided under the lock of the epoch's row.
 */
import { createHash } from 'node:crypto';
import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Database } from './database.ts';
import { beginEpoch, EpochMissing, type EpochRow, lockEpoch, type NextEpoch, suspend } from './epoch.ts';
import { isSuspended, serverOn } from './epoch-token.ts';
import { SETTING } from './settings.ts';

export interface KnownLoss {
  /** The unique name of the partition or stream. */
  readonly place: string;
  /** What was lost, for people. */
  readonly what: string;
  /** When it was last found: ms since 1970 UTC. */
  readonly foundAt: number;
  /** The position that the consumers must reach; null: not looked up yet. */
  readonly end: string | null;
}

export interface EpochState {
  readonly epoch: EpochRow;
  readonly suspended: boolean;
  /** Ordered by place; empty unless the epoch is suspended. */
  readonly losses: readonly KnownLoss[];
}

/** New findings about the known losses. */
export interface LossProgress {
  /** By place. */
  readonly ends: ReadonlyMap<string, string>;
  /** Places whose consumers have caught up. */
  readonly passed: readonly string[];
}

const READ = `
  SELECT e.token, e.why, e.bumped_at, loss.value
  FROM recency_epoch AS e LEFT JOIN recency_settings AS loss ON loss.name LIKE 'loss:%'`;

const LOSSES = "SELECT name, value FROM recency_settings WHERE name LIKE 'loss:%'";

/** The epoch and its losses, in one snapshot. @throws EpochMissing, DatabaseUnavailable */
export async function readEpochState(database: Database): Promise<EpochState> {
  const rows = await database.rows(READ, []);
  const [first] = rows;
  if (first === undefined) throw new EpochMissing();
  const epoch = { token: String(first[0]), why: String(first[1]), bumpedAt: Number(first[2]) };
  const losses = rows.filter((row) => row[3] !== null).map((row) => JSON.parse(String(row[3])) as KnownLoss);
  return { epoch, suspended: isSuspended(epoch.token), losses: losses.toSorted(byPlace) };
}

/**
 * Makes every index untrusted, and records where tasks were lost. If the epoch is suspended already, only its token
 * changes.
 * @param next nonce, reason and time of the suspension
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function suspendEpoch(database: Database, next: NextEpoch, losses: readonly KnownLoss[]): Promise<void> {
  await database.transaction(async (connection) => {
    await suspend(connection, next);
    for (const loss of losses) await note(connection, loss);
  });
}

/**
 * Records how far the consumers have come. When they have caught up with every loss, the epoch given begins.
 * @param seen the token under which the progress was made; it does not count after a loss that was found since
 * @throws EpochMissing, DatabaseUnavailable
 */
export async function noteProgress(
  database: Database,
  seen: string,
  { ends, passed }: LossProgress,
  next: NextEpoch,
): Promise<'suspended' | 'new_epoch' | 'outdated'> {
  return await database.transaction(async (connection) => {
    if ((await lockEpoch(connection)) !== seen) return 'outdated';
    const [rows] = await connection.query<RowDataPacket[]>(LOSSES);
    const losses = rows.map(({ value }) => JSON.parse(String(value)) as KnownLoss);
    const left = losses.filter(({ place }) => !passed.includes(place));
    if (left.length === 0) {
      await beginEpoch(connection, serverOn(seen), next);
      return 'new_epoch';
    }
    for (const place of passed) await connection.execute(SETTING.remove, [nameOf(place)]);
    for (const loss of left) {
      const end = ends.get(loss.place);
      if (end !== undefined) await note(connection, { ...loss, end });
    }
    return 'suspended';
  });
}

async function note(connection: PoolConnection, loss: KnownLoss): Promise<void> {
  const text = JSON.stringify({ ...loss, what: loss.what.slice(0, LONGEST_WHAT) });
  await connection.execute(SETTING.write, [nameOf(loss.place), text]);
}

/** Characters. A description may name every partition of a topic, and a row holds 64 KiB. */
const LONGEST_WHAT = 1_000;

/** A digest, because a place's name may be longer than the column. */
function nameOf(place: string): string {
  return `loss:${createHash('sha256').update(place).digest('base64url')}`;
}

function byPlace(a: KnownLoss, b: KnownLoss): number {
  return a.place < b.place ? -1 : 1;
}

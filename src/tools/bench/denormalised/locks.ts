import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../../../contracts/id.ts';
import { fanOut } from '../../denormalised/fan-out.ts';
import { refreshPairs } from '../../denormalised/pairs.ts';
import { quantile } from '../../harness/latency.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import { changeRelationship } from '../../reference-site/relationships.ts';
import { type ReportRow, rounded } from '../report.ts';
import type { MeasuredPools } from './photos.ts';
import { countedBetween, readCounts } from './server.ts';
import type { OwnerWithFollowers } from './site.ts';

export interface LocksSize {
  /** Of one load. */
  readonly seconds: number;
  /** Changes of contacts at once, each one after the other. */
  readonly lanes: number;
  /** Between two changes of a lane, ms. */
  readonly restMs: number;
}

export interface LocksRow extends ReportRow {
  readonly part: 'locks';
  /** Whether uploads are written for all followers meanwhile, one after the other. */
  readonly load: 'quiet' | 'busy';
  readonly changes: number;
  /** From the beginning of the site's transaction to its commit. */
  readonly commit_p99_ms: number;
  /** From then until the pair's rows are right. */
  readonly row_p50_ms: number;
  readonly row_p99_ms: number;
  readonly fan_outs: number;
  readonly lock_waits: number;
  readonly lock_wait_ms: number;
  readonly deadlocks: number;
  readonly lock_timeouts: number;
}

/** Changes of what followers are to the owners, whose uploads are fanned out or not: the rows that both write are the same. */
export async function measureLocks(
  pools: MeasuredPools,
  owners: readonly OwnerWithFollowers[],
  size: LocksSize,
  signal: AbortSignal,
): Promise<LocksRow[]> {
  const rows: LocksRow[] = [];
  for (const load of ['quiet', 'busy'] as const) rows.push(await measureLoad(pools, owners, { ...size, load }, signal));
  return rows;
}

async function measureLoad(
  pools: MeasuredPools,
  owners: readonly OwnerWithFollowers[],
  { load, seconds, lanes, restMs }: LocksSize & Pick<LocksRow, 'load'>,
  signal: AbortSignal,
): Promise<LocksRow> {
  const before = await readCounts(pools.site);
  const end = performance.now() + seconds * 1000;
  const isOver = () => signal.aborted || performance.now() >= end;
  const [commits, refreshes]: [number[], number[]] = [[], []];
  const change = async (lane: number) => {
    for (let turn = lane; !isOver(); turn += lanes) {
      const times = await changeOne(pools, pairAt(owners, turn), turn);
      commits.push(times.commitMs);
      refreshes.push(times.refreshMs);
      await pause(restMs);
    }
  };
  const changing = Promise.all(Array.from({ length: lanes }, (_, lane) => change(lane)));
  const [fan_outs] = await Promise.all([load === 'busy' ? fanOutUntil(pools, owners, isOver) : 0, changing]);
  signal.throwIfAborted();
  const counts = countedBetween(before, await readCounts(pools.site));
  const ms = (times: readonly number[], q: number) => rounded(quantile(times, q), 3);
  return {
    ...{ part: 'locks', load, changes: commits.length, commit_p99_ms: ms(commits, 0.99) },
    ...{ row_p50_ms: ms(refreshes, 0.5), row_p99_ms: ms(refreshes, 0.99), fan_outs },
    ...{ lock_waits: counts.lockWaits, lock_wait_ms: counts.lockWaitMs },
    ...{ deadlocks: counts.deadlocks, lock_timeouts: counts.lockTimeouts },
  };
}

interface OwnerAndFollower {
  readonly owner: Id;
  readonly follower: Id;
}

/** Prime, so that the followers come in no order. */
const STEP = 7_919;

function pairAt(owners: readonly OwnerWithFollowers[], turn: number): OwnerAndFollower {
  const { owner, followers } = owners[turn % owners.length] as OwnerWithFollowers;
  return { owner, follower: followers[(turn * STEP) % followers.length] ?? '' };
}

async function changeOne({ site, own }: MeasuredPools, { owner, follower }: OwnerAndFollower, turn: number) {
  const begun = performance.now();
  await changeRelationship(site, follower, owner, { friend: turn % 2 === 0, family: false });
  const committed = performance.now();
  await refreshPairs(own, [
    { user: follower, contact: owner },
    { user: owner, contact: follower },
  ]);
  return { commitMs: committed - begun, refreshMs: performance.now() - committed };
}

/** @returns how many */
async function fanOutUntil(
  { site, own }: MeasuredPools,
  owners: readonly OwnerWithFollowers[],
  isOver: () => boolean,
): Promise<number> {
  let done = 0;
  while (!isOver()) {
    const { owner } = owners[done % owners.length] as OwnerWithFollowers;
    await uploadPhoto(site, owner, 0, Date.now() + done);
    await fanOut(own, [owner]);
    done += 1;
  }
  return done;
}

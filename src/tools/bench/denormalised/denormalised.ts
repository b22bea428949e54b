import { openDenormalisedPool } from '../../denormalised/pool.ts';
import { denormalisedBytes } from '../../denormalised/table.ts';
import type { Bench, Ground } from '../bench.ts';
import { type Measurements, type ReportRow, rounded } from '../report.ts';
import { type LocksRow, type LocksSize, measureLocks } from './locks.ts';
import { measurePhotos, type PhotosRow } from './photos.ts';
import { openOwnPool, resizePool, startOwnServer } from './server.ts';
import { type DenormalisedSiteSize, gatherSite } from './site.ts';

export interface DenormalisedSize {
  readonly site: DenormalisedSiteSize;
  readonly locks: LocksSize;
  /** Owners whose photos are measured with each pool, and owners before them. */
  readonly measured: number;
  readonly warmUp: number;
}

/**
 * Measures what last uploads denormalised into MySQL cost beside the time of a fan-out: bytes, locks, and the same fan-out where the
 * table is ten times the buffer pool. On a server of its own, with a binary log.
 */
export const denormalised: Bench<DenormalisedSize> = {
  name: 'denormalised',
  summary:
    'what last uploads denormalised into MySQL cost: a table larger than memory, bytes, locks, photos taken back',
  transport: 'streams',
  full: {
    site: { users: 60_000, contacts: 40, owners: 40, followers: 5_000 },
    locks: { seconds: 20, lanes: 4, restMs: 5 },
    measured: 12,
    warmUp: 4,
  },
  quick: {
    site: { users: 300, contacts: 4, owners: 4, followers: 150 },
    locks: { seconds: 0.3, lanes: 2, restMs: 1 },
    measured: 1,
    warmUp: 0,
  },
  measure,
};

export interface BytesRow extends ReportRow {
  readonly part: 'bytes';
  readonly pairs: number;
  readonly table_bytes_per_pair: number;
  readonly index_bytes_per_pair: number;
  /** Of the logs, for each follower's row that an upload, a hidden or a deleted photo changes. */
  readonly binlog_bytes_per_follower: number;
  readonly redo_bytes_per_follower: number;
}

export type DenormalisedRow = PhotosRow | LocksRow | BytesRow;

const MB = 1024 ** 2;

async function measure(ground: Ground, size: DenormalisedSize): Promise<Measurements> {
  const { signal, progress, resources } = ground;
  const url = await startOwnServer(ground);
  const site = openOwnPool(url, resources);
  const own = resources.adopt(openDenormalisedPool(url), (pool) => pool.end());
  const pools = { site, own };
  progress(
    `${size.site.users} users with ${size.site.contacts} contacts, owners with ${size.site.followers} followers`,
  );
  const { owners, pairs } = await gatherSite(site, size.site, signal);
  const bytes = await denormalisedBytes(site);
  const warm = owners.slice(0, size.warmUp);
  const measured = owners.slice(size.warmUp, size.warmUp + size.measured);
  const others = owners.slice(size.warmUp + size.measured); // whose photos nothing else counts
  await measurePhotos(pools, warm, 'memory', signal);
  const inMemory = await measurePhotos(pools, measured, 'memory', signal);
  const locks = await measureLocks(pools, others, size.locks, signal);
  const poolBytes = await resizePool(site, (bytes.table + bytes.index) / 10);
  progress(`a table of ${Math.round((bytes.table + bytes.index) / MB)} MB, a pool of ${Math.round(poolBytes / MB)} MB`);
  await measurePhotos(pools, warm, 'tenth', signal);
  const inTenth = await measurePhotos(pools, measured, 'tenth', signal);
  const perFollower = (logged: number) => Math.round(logged / inMemory.updates);
  const rows: DenormalisedRow[] = [
    ...inMemory.rows.map((row) => withReads(row, inMemory)),
    ...inTenth.rows.map((row) => withReads(row, inTenth)),
    ...locks,
    {
      ...{ part: 'bytes', pairs },
      ...{
        table_bytes_per_pair: Math.round(bytes.table / pairs),
        index_bytes_per_pair: Math.round(bytes.index / pairs),
      },
      binlog_bytes_per_follower: perFollower(inMemory.counts.binlogBytes),
      redo_bytes_per_follower: perFollower(inMemory.counts.redoBytes),
    },
  ];
  return { rows, ratios: denormalisedRatios(rows) };
}

/** Adds the pages that were not in the pool, for each follower in the mean of all events. */
function withReads(row: PhotosRow, { counts, updates }: Awaited<ReturnType<typeof measurePhotos>>): PhotosRow {
  return { ...row, page_reads_per_follower: rounded(counts.pageReads / updates, 3) };
}

/** @throws Error when a part is missing */
export function denormalisedRatios(rows: readonly DenormalisedRow[]): Record<string, number> {
  const found = <Row extends DenormalisedRow>(is: (row: DenormalisedRow) => boolean): Row => {
    const row = rows.find(is);
    if (row === undefined) throw new Error('too little was measured');
    return row as Row;
  };
  const time = (pool: PhotosRow['pool'], event: PhotosRow['event']) =>
    found<PhotosRow>((row) => row.part === 'photos' && row.pool === pool && row.event === event).us_per_follower;
  const locks = (load: LocksRow['load']) => found<LocksRow>((row) => row.part === 'locks' && row.load === load);
  const bytes = found<BytesRow>(({ part }) => part === 'bytes');
  return {
    us_per_follower: time('memory', 'next_uploaded'),
    tenth_over_memory: rounded(time('tenth', 'next_uploaded') / time('memory', 'next_uploaded')),
    deleted_over_uploaded: rounded(time('memory', 'deleted') / time('memory', 'next_uploaded')),
    row_p99_over_quiet: rounded(locks('busy').row_p99_ms / locks('quiet').row_p99_ms),
    deadlocks: locks('busy').deadlocks,
    bytes_per_pair: bytes.table_bytes_per_pair + bytes.index_bytes_per_pair,
    binlog_bytes_per_follower: bytes.binlog_bytes_per_follower,
  };
}

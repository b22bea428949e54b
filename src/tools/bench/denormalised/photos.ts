import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { fanOut } from '../../denormalised/fan-out.ts';
import { quantile } from '../../harness/latency.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../reference-site/photos.ts';
import { type ReportRow, rounded } from '../report.ts';
import { countedBetween, readCounts, type ServerCounts } from './server.ts';
import type { OwnerWithFollowers } from './site.ts';

/** What happens to an owner's photos, in this order. Each changes every follower's row. */
const EVENTS = ['uploaded', 'next_uploaded', 'hidden', 'deleted'] as const;
type PhotoEvent = (typeof EVENTS)[number];

/** Only the owner sees it. */
const PRIVATE = 4;

export interface PhotosRow extends ReportRow {
  readonly part: 'photos';
  readonly pool: 'memory' | 'tenth';
  readonly event: PhotoEvent;
  readonly us_per_follower: number;
}

export interface MeasuredPools {
  /** Of the site. */
  readonly site: Pool;
  /** Of what writes the denormalised table. */
  readonly own: Pool;
}

/**
 * Takes every owner through all events. The table is compared with what it must hold after each.
 * @returns the medians by event, and what the server counted for all of them
 */
export async function measurePhotos(
  pools: MeasuredPools,
  owners: readonly OwnerWithFollowers[],
  pool: PhotosRow['pool'],
  signal: AbortSignal,
): Promise<{ readonly rows: PhotosRow[]; readonly counts: ServerCounts; readonly updates: number }> {
  const taken = new Map<PhotoEvent, number[]>(EVENTS.map((event) => [event, []]));
  const before = await readCounts(pools.site);
  for (const { owner, followers } of owners) {
    const life = lifeOf(pools.site, owner);
    for (const event of EVENTS) {
      signal.throwIfAborted();
      const newest = await life[event]();
      const from = performance.now();
      await fanOut(pools.own, [owner]);
      taken.get(event)?.push(((performance.now() - from) * 1000) / followers.length);
      await checkAll(pools.site, owner, followers.length, newest);
    }
  }
  const counts = countedBetween(before, await readCounts(pools.site));
  const rows = Array.from(taken, ([event, times]): PhotosRow => {
    return { part: 'photos', pool, event, us_per_follower: rounded(quantile(times, 0.5)) };
  });
  return { rows, counts, updates: owners.reduce((sum, { followers }) => sum + followers.length * EVENTS.length, 0) };
}

/** Two photos of an owner come; the second one is hidden and the first one deleted. @returns the newest that is left to see */
function lifeOf(site: Pool, owner: Id): Record<PhotoEvent, () => Promise<number>> {
  const photos: { readonly id: Id; readonly at: number }[] = [];
  const upload = async () => {
    const at = Math.max(Date.now(), (photos.at(-1)?.at ?? 0) + 1);
    photos.push({ id: await uploadPhoto(site, owner, 0, at), at });
    return at;
  };
  return {
    uploaded: upload,
    next_uploaded: upload,
    hidden: async () => {
      await changeVisibility(site, photos[1]?.id ?? '', PRIVATE);
      return photos[0]?.at ?? 0;
    },
    deleted: async () => {
      await deletePhoto(site, photos[0]?.id ?? '');
      return 0;
    },
  };
}

const RIGHT = 'SELECT COUNT(*) AS right_rows FROM denormalised_contacts WHERE contact_id = ? AND last_upload_at = ?';

/** @throws Error when work was left undone */
async function checkAll(site: Pool, owner: Id, followers: number, newest: number): Promise<void> {
  const [[row]] = await site.query<RowDataPacket[]>(RIGHT, [owner, newest]);
  if (Number(row?.right_rows) === followers) return;
  throw new Error(`only ${row?.right_rows} of ${followers} followers of ${owner} have ${newest}`);
}

/** Watches that are checked together: how much of them is read, and saved, at once. */
import type { Id } from '../contracts/id.ts';
import type { Watch } from '../contracts/watch.ts';
import type { ColumnValue, Database } from '../mysql/database.ts';
import { understoodWatchOf, WATCH_COLUMNS } from './watch-row.ts';
import { IS_GOING } from './watch-table.ts';

const SIZES = `
  SELECT w.id, w.user_id,
    LENGTH(w.told) + LENGTH(w.muted) + LENGTH(w.secrets) + COALESCE(LENGTH(w.outgoing), 0) + COALESCE(LENGTH(w.url), 0) AS bytes
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN recency_watches AS w ON w.user_id = asked.id
  WHERE ${IS_GOING}`;

/** A watch, and about how much there is to read of it. */
export interface WatchSize {
  readonly id: Id;
  readonly user: Id;
  readonly bytes: number;
}

/** The watches of these users that something may be delivered to. @param users each once @throws DatabaseUnavailable */
export async function readWatchSizes(database: Database, users: readonly Id[]): Promise<WatchSize[]> {
  return (await database.rows(SIZES, [JSON.stringify(users)])).map(sizeOf);
}

/** A watch whose row cannot be understood. */
interface UnreadableWatch extends Pick<WatchSize, 'id' | 'user'> {
  readonly error: unknown;
}

const SIZES_AND_SMALL = `
  SELECT given.id, given.user_id, given.bytes, ${WATCH_COLUMNS}
  FROM (${SIZES} LIMIT ?) AS given
  LEFT JOIN recency_watches AS w ON w.id = given.id AND given.bytes <= ?`;

/**
 * The same, and those themselves that take at most so many bytes each.
 * @param most watches that are looked for
 * @returns undefined: there are more
 * @throws DatabaseUnavailable
 */
async function readSmallWatches(
  database: Database,
  users: readonly Id[],
  { most, bytes }: { readonly most: number; readonly bytes: number },
): Promise<FoundWatches | undefined> {
  const rows = await database.rows(SIZES_AND_SMALL, [JSON.stringify(users), String(most + 1), bytes]);
  if (rows.length > most) return undefined;
  const [read, unread, unreadable]: [Watch[], WatchSize[], UnreadableWatch[]] = [[], [], []];
  for (const row of rows) {
    const size = sizeOf(row);
    try {
      if (row[SIZE_COLUMNS] === null) unread.push(size);
      else read.push(understoodWatchOf(row.slice(SIZE_COLUMNS)));
    } catch (error) {
      unreadable.push({ ...size, error });
    }
  }
  return { read, unread, unreadable };
}

const SIZE_COLUMNS = 3;

function sizeOf([id, user, bytes]: readonly ColumnValue[]): WatchSize {
  return { id: String(id), user: String(user), bytes: Number(bytes) };
}

const LARGEST_PACKET = 'SELECT @@max_allowed_packet';

/** The largest statement or row that the server takes, bytes. @throws DatabaseUnavailable */
export async function readLargestPacket(database: Database): Promise<number> {
  const [row] = await database.rows(LARGEST_PACKET, []);
  return Number(row?.[0]);
}

/** Watches that are checked together, at most. */
const WATCHES = 500;

/** What is read of watches that are checked together, at most: as objects it takes several times that, bytes. */
const BYTES = 2 * 1024 * 1024;

/** A statement about a page is no larger than this part of the largest that the server takes. */
const PART_OF_PACKET = 1 / 4;

/**
 * Cuts watches into pages, each small enough to be read and saved at once. One that is too large by itself is a page of its own.
 * @param largestPacket that the server takes, bytes
 */
export function pagesOf(watches: readonly WatchSize[], largestPacket: number): WatchSize[][] {
  const most = bytesOf(largestPacket);
  const pages: WatchSize[][] = [];
  let page: WatchSize[] = [];
  let size = 0;
  for (const watch of watches) {
    if (page.length === WATCHES || (page.length > 0 && size + watch.bytes > most)) {
      pages.push(page);
      [page, size] = [[], 0];
    }
    page.push(watch);
    size += watch.bytes;
  }
  return page.length > 0 ? [...pages, page] : pages;
}

/** Of a page, at most. */
function bytesOf(largestPacket: number): number {
  return Math.min(BYTES, largestPacket * PART_OF_PACKET);
}

/** The watches of users that something may be delivered to. */
export interface FoundWatches {
  /** Few and small enough to be checked together. */
  readonly read: readonly Watch[];
  /** The others: to be read page by page. */
  readonly unread: readonly WatchSize[];
  readonly unreadable: readonly UnreadableWatch[];
}

/**
 * As a rule all of them are read by one statement.
 * @param users each once
 * @param largestPacket as in {@link pagesOf}
 * @throws DatabaseUnavailable
 */
export async function findWatches(
  database: Database,
  users: readonly Id[],
  largestPacket: number,
): Promise<FoundWatches> {
  const bytes = Math.floor(bytesOf(largestPacket) / WATCHES);
  const found = await readSmallWatches(database, users, { most: WATCHES, bytes });
  return found ?? { read: [], unread: await readWatchSizes(database, users), unreadable: [] };
}

import type { Pool, PoolConnection } from 'mysql2/promise';
import type { Id } from '../contracts/id.ts';
import { insertContacts, insertPhotos, insertUsers, ROWS_AT_ONCE } from './bulk.ts';
import { type Edge, readEdges } from './edge-list.ts';
import { lockUsers, recomputeLastUploads } from './last-uploads.ts';
import { startNewEpoch } from './new-epoch.ts';
import { inTransaction } from './transaction.ts';

export interface ImportCounts {
  /** Edges read. */
  lines: number;
  /** New ones; users and contacts that were there are left as they are. */
  users: number;
  contacts: number;
  photos: number;
}

export interface ImportOptions {
  /** Called after each batch with the counts so far. */
  readonly onProgress?: (counts: Readonly<ImportCounts>) => void;
  /** Ends the import; nothing of it stays. */
  readonly signal?: AbortSignal;
}

/**
 * Imports a temporal edge list: the first src → dst makes dst a contact of src, every line is a public photo of src at
 * that time. A line from somebody to themselves is a photo only. It streams; it is one transaction, so that after an
 * error nothing stays; it leaves no tasks but a new epoch: backfill afterwards. A file imported twice is uploaded twice.
 * @throws SiteError unreadable_file, malformed_line
 */
export async function importEdges(pool: Pool, file: string, options: ImportOptions = {}): Promise<ImportCounts> {
  return await inTransaction(pool, async (connection) => {
    const counts: ImportCounts = { lines: 0, users: 0, contacts: 0, photos: 0 };
    let batch: Edge[] = [];
    for await (const edge of readEdges(file)) {
      if (batch.push(edge) < ROWS_AT_ONCE) continue;
      await importBatch(connection, batch, counts, options);
      batch = [];
    }
    if (batch.length > 0) await importBatch(connection, batch, counts, options);
    if (counts.lines > 0) await startNewEpoch(connection, 'an edge list was imported');
    return counts;
  });
}

async function importBatch(
  connection: PoolConnection,
  edges: readonly Edge[],
  counts: ImportCounts,
  { onProgress, signal }: ImportOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const sources = distinct(edges.map(({ source }) => source));
  const users = distinct(edges.flatMap(({ source, target }) => [source, target]));
  counts.users += await insertUsers(
    connection,
    users.map((id) => ({ id })),
  );
  await lockUsers(connection, sources);
  counts.contacts += await insertContacts(connection, contactsOf(edges));
  const photos = edges.map(({ source, at }) => ({ owner: source, audience: 0, uploadedAt: at }) as const);
  counts.photos += await insertPhotos(connection, photos);
  await recomputeLastUploads(connection, sources);
  counts.lines += edges.length;
  onProgress?.({ ...counts });
}

function contactsOf(edges: readonly Edge[]) {
  return edges
    .filter(({ source, target }) => source !== target)
    .map(({ source, target }) => ({ user: source, contact: target }));
}

const distinct = (ids: readonly Id[]): Id[] => [...new Set(ids)];

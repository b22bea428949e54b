import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { mysqlAddress, mysqlTls } from '../../app/open-mysql.ts';
import { withPrimary } from '../../app/stores.ts';
import type { Id } from '../../contracts/id.ts';
import { checkSchema } from '../../health/check-mysql.ts';
import { USUAL_SITE } from '../../site/site.ts';
import { type Edge, readEdges } from './edge-list.ts';
import { lockUsers, recomputeLastUploads, startNewEpoch } from './last-uploads.ts';
import { insertContacts, insertPhotos, insertUsers, type NewPhoto, ROWS_AT_ONCE } from './load-graph.ts';
import { inTransaction, openSitePool } from './transaction.ts';

export interface ImportCounts {
  lines: number;
  /** New ones; existing users and contacts stay as they are. */
  users: number;
  contacts: number;
  photos: number;
}

export interface ImportOptions {
  /** Called after each batch with the counts so far. */
  readonly onProgress?: (counts: Readonly<ImportCounts>) => void;
  /** Aborts the import; nothing of it remains. */
  readonly signal?: AbortSignal;
}

/**
 * Imports a temporal edge list: the first src → dst makes dst a contact of src, every line is a public photo of src at
 * that time. A line from somebody to themselves is a photo only. It streams; it is one transaction, so that after an
 * error nothing stays; it leaves no tasks but a new epoch: backfill afterwards.
 *
 * A file imported again adds nothing: a photo is known by its owner and its time, so of each owner and time as many are added as
 * the file has lines for them and there are not yet photos.
 * @throws SiteError unreadable_file, malformed_line
 */
export async function importEdges(pool: Pool, file: string, options: ImportOptions = {}): Promise<ImportCounts> {
  return await inTransaction(pool, async (connection) => {
    const counts: ImportCounts = { lines: 0, users: 0, contacts: 0, photos: 0 };
    for (const statement of [FORGET_LINES, REMEMBER_LINES]) await connection.query(statement);
    let batch: Edge[] = [];
    for await (const edge of readEdges(file)) {
      if (batch.push(edge) < ROWS_AT_ONCE) continue;
      await importBatch(connection, batch, counts, options);
      batch = [];
    }
    if (batch.length > 0) await importBatch(connection, batch, counts, options);
    await connection.query(FORGET_LINES);
    if (counts.users + counts.contacts + counts.photos > 0) {
      await startNewEpoch(connection, 'an edge list was imported');
    }
    return counts;
  });
}

// Of this connection alone. How many lines the file has had so far, by owner and time: the same may come again at its end.
const FORGET_LINES = 'DROP TEMPORARY TABLE IF EXISTS recency_imported_lines';
const REMEMBER_LINES = `
  CREATE TEMPORARY TABLE recency_imported_lines (
    owner_id BIGINT UNSIGNED NOT NULL, uploaded_at BIGINT NOT NULL, line_count BIGINT NOT NULL,
    PRIMARY KEY (owner_id, uploaded_at)
  ) ENGINE=InnoDB`;

const LINES = `
  JSON_TABLE(?, '$[*]' COLUMNS (
    owner_id BIGINT UNSIGNED PATH '$[0]' ERROR ON ERROR, uploaded_at BIGINT PATH '$[1]' ERROR ON ERROR)) AS it`;

const COUNT_LINES = `
  INSERT INTO recency_imported_lines (owner_id, uploaded_at, line_count)
  SELECT it.owner_id, it.uploaded_at, COUNT(*) FROM ${LINES} GROUP BY it.owner_id, it.uploaded_at
  ON DUPLICATE KEY UPDATE line_count = line_count + VALUES(line_count)`;

// A look-up for each audience, because an index that begins with owner and audience serves no other question.
const PHOTOS_THEN = [0, 1, 2, 3, 4].map(
  (audience) => `(SELECT COUNT(*) FROM photos AS p
                  WHERE p.owner_id = c.owner_id AND p.audience = ${audience} AND p.uploaded_at = c.uploaded_at)`,
);

const MISSING = `
  SELECT c.owner_id, c.uploaded_at, c.line_count - (${PHOTOS_THEN.join(' + ')}) AS missing
  FROM (SELECT DISTINCT it.owner_id, it.uploaded_at FROM ${LINES}) AS asked
  STRAIGHT_JOIN recency_imported_lines AS c ON c.owner_id = asked.owner_id AND c.uploaded_at = asked.uploaded_at`;

/** The photos of these lines that are not there yet, in the order of the lines. Their owners must be locked. */
async function newPhotosOf(connection: PoolConnection, edges: readonly Edge[]): Promise<NewPhoto[]> {
  const lines = JSON.stringify(edges.map(({ source, at }) => [source, at]));
  await connection.execute(COUNT_LINES, [lines]);
  const [rows] = await connection.execute<RowDataPacket[]>(MISSING, [lines]);
  const missing = new Map(rows.map((row) => [`${row.owner_id} ${row.uploaded_at}`, Number(row.missing)]));
  return edges.flatMap(({ source, at }) => {
    const left = missing.get(`${source} ${at}`) ?? 0;
    missing.set(`${source} ${at}`, left - 1);
    return left > 0 ? [{ owner: source, audience: 0, uploadedAt: at } as const] : [];
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
  counts.photos += await insertPhotos(connection, await newPhotosOf(connection, edges));
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

/** Imports a temporal edge list into the reference schema. @throws ConfigError, StartError, SiteError */
export async function importFile(file: string, options: ImportOptions): Promise<ImportCounts> {
  return await withPrimary(async ({ config, primary }) => {
    const { mysqlUrl } = config;
    await checkSchema(primary, mysqlAddress(mysqlUrl).user, USUAL_SITE);
    const pool = openSitePool(mysqlUrl, 1, mysqlTls(config));
    return await importEdges(pool, file, options).finally(() => pool.end());
  }, options.signal);
}

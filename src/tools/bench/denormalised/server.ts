import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { migrate } from '../../../mysql/migrate.ts';
import { startMysql } from '../../devservers/start-server.ts';
import { openSitePool } from '../../reference-site/transaction.ts';
import type { Ground } from '../bench.ts';

/** With a binary log, as a server with replicas has it. Small chunks, so that the pool can be small. */
const ARGUMENTS = [
  ...['--server-id=7', '--log-bin=binlog', '--binlog-format=ROW'],
  ...['--loose-innodb-buffer-pool-chunk-size=2M', '--loose-innodb-buffer-pool-instances=1'],
];

/** A server of the benchmark's own, with the reference site. It ends with the resources. @returns its address */
export async function startOwnServer({ install, resources }: Ground): Promise<string> {
  const server = resources.adopt(await startMysql({ install, args: ARGUMENTS }), (started) => started.remove());
  await migrate({ url: server.url });
  return server.url;
}

/** Of the site, on this server. */
export function openOwnPool(url: string, resources: AsyncDisposableStack): Pool {
  return resources.adopt(openSitePool(url), (pool) => pool.end());
}

/** What the server has counted since it began. */
export interface ServerCounts {
  readonly binlogBytes: number;
  readonly redoBytes: number;
  /** Pages that were not in the pool. */
  readonly pageReads: number;
  readonly lockWaits: number;
  readonly lockWaitMs: number;
  readonly deadlocks: number;
  readonly lockTimeouts: number;
}

const STATUS = `SHOW GLOBAL STATUS WHERE Variable_name IN
  ('Innodb_os_log_written', 'Innodb_buffer_pool_reads', 'Innodb_row_lock_waits', 'Innodb_row_lock_time')`;

const METRICS = `
  SELECT NAME AS name, COUNT AS value FROM information_schema.INNODB_METRICS
  WHERE NAME IN ('lock_deadlocks', 'lock_timeouts')`;

export async function readCounts(pool: Pool): Promise<ServerCounts> {
  const [logs] = await pool.query<RowDataPacket[]>('SHOW BINARY LOGS');
  const [status] = await pool.query<RowDataPacket[]>(STATUS);
  const [metrics] = await pool.query<RowDataPacket[]>(METRICS);
  const counted = new Map([
    ...status.map((row) => [String(row.Variable_name), Number(row.Value)] as const),
    ...metrics.map((row) => [String(row.name), Number(row.value)] as const),
  ]);
  const of = (name: string) => counted.get(name) ?? 0;
  return {
    binlogBytes: logs.reduce((sum, row) => sum + Number(row.File_size), 0),
    redoBytes: of('Innodb_os_log_written'),
    pageReads: of('Innodb_buffer_pool_reads'),
    lockWaits: of('Innodb_row_lock_waits'),
    lockWaitMs: of('Innodb_row_lock_time'),
    deadlocks: of('lock_deadlocks'),
    lockTimeouts: of('lock_timeouts'),
  };
}

export function countedBetween(before: ServerCounts, after: ServerCounts): ServerCounts {
  const names = Object.keys(before) as (keyof ServerCounts)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as ServerCounts;
}

/** The least that every server takes. */
const LEAST_POOL = 8 * 1024 ** 2;

const RESIZED_WITHIN_MS = 60_000;
const LOOK_MS = 100;

const POOL = `SELECT @@GLOBAL.innodb_buffer_pool_size AS size,
  (SELECT VARIABLE_VALUE FROM /*!80000 performance_schema.global_status */ /*M! information_schema.global_status */
   WHERE VARIABLE_NAME = 'Innodb_buffer_pool_bytes_data') AS data`;

/** Resizes the pool, and waits until no more than that is in it. @returns its size, bytes @throws Error when it stays larger */
export async function resizePool(pool: Pool, bytes: number): Promise<number> {
  const wanted = Math.max(LEAST_POOL, Math.ceil(bytes));
  await pool.query(`SET GLOBAL innodb_buffer_pool_size = ${wanted}`);
  const end = performance.now() + RESIZED_WITHIN_MS;
  for (;;) {
    const [[row]] = await pool.query<RowDataPacket[]>(POOL);
    const size = Number(row?.size);
    if (size < wanted * 1.5 && Number(row?.data) <= size) return size;
    if (performance.now() > end) throw new Error(`the pool has ${size} bytes, not ${wanted}`);
    await pause(LOOK_MS);
  }
}

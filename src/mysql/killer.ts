import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { type Deadline, withTimeout } from '../timing/deadline.ts';
import { DatabaseBusy } from './faults.ts';

/** Deadlines for ending a statement in the server, ms: for reaching the server, and for seeing the statement end. */
export const KILL_MS = 1_000;

/** Where a connection leads: KILL on another server would end an unrelated statement. */
const WHERE = "SELECT CONNECTION_ID(), CONCAT_WS(' ', @@hostname, @@port, @@server_id, @@datadir)";

interface ServerThread {
  /** The connection's id in the server. */
  readonly id: string;
  readonly server: string;
}

/**
 * Ends abandoned statements in the server: KILL QUERY, from its own connection, which is opened when first needed.
 * Closing the statement's connection is not enough: the server goes on until it has an answer.
 */
export class Killer {
  /** Has one connection. */
  readonly #pool: Pool;
  readonly #threads = new WeakMap<object, ServerThread>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Asks a new connection where it leads, before anything else is asked of it. */
  watch(connection: PoolConnection): void {
    const keep = (_error: unknown, rows: unknown) => {
      const [row] = Array.isArray(rows) ? (rows as unknown[][]) : [];
      if (row !== undefined) this.#threads.set(connection, { id: String(row[0]), server: String(row[1]) });
    };
    (connection as unknown as CallbackConnection).query({ sql: WHERE, rowsAsArray: true }, keep);
  }

  /**
   * Makes the server end what runs on a connection. A silent killer is half-open itself and is replaced.
   * @returns whether the server was told
   */
  async endOn(connection: object): Promise<boolean> {
    const thread = this.#threads.get(connection);
    for (let attempt = 0; thread !== undefined && attempt < 2; attempt++) {
      const killer = await take(this.#pool, KILL_MS).catch(() => undefined);
      if (killer === undefined) return false;
      const isTold = await within(KILL_MS, tellToEnd(killer, thread));
      if (isTold !== undefined) {
        killer.release();
        return isTold;
      }
      killer.destroy();
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** The connection that the pool's event passes. */
interface CallbackConnection {
  query(options: { sql: string; rowsAsArray: true }, done: (error: unknown, rows: unknown) => void): void;
}

/**
 * Takes a connection of the pool, which has one or room for one.
 * @throws DatabaseBusy after `ms`, DeadlineExceeded, what a deadline is cancelled with, errors of connecting
 */
export async function take(
  pool: Pool,
  ms: number,
  ...deadlines: readonly (Deadline | undefined)[]
): Promise<PoolConnection> {
  const wanted = pool.getConnection();
  try {
    return await withTimeout(wanted, ms, () => new DatabaseBusy(`MySQL: no connection within ${ms} ms`), ...deadlines);
  } catch (error) {
    wanted.then((connection) => connection.release()).catch(() => undefined); // too late: back to the pool
    throw error;
  }
}

/** Makes the server end a statement. Returns whether this is the server that runs it. */
async function tellToEnd(killer: PoolConnection, { id, server }: ServerThread): Promise<boolean> {
  const [rows] = await killer.query<RowDataPacket[][]>({ sql: WHERE, rowsAsArray: true });
  if (String(rows[0]?.[1]) !== server) return false;
  await killer.query(`KILL QUERY ${id}`).catch((error: unknown) => {
    // ER_NO_SUCH_THREAD: the server has noticed by itself that the connection broke.
    if ((error as { code?: unknown }).code !== 'ER_NO_SUCH_THREAD') throw error;
  });
  return true;
}

/** Undefined: it took longer, or failed. */
export async function within<T>(ms: number, something: Promise<T>): Promise<T | undefined> {
  return await withTimeout(something, ms, () => new Error('no answer')).catch(() => undefined);
}

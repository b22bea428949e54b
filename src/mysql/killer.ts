import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { type Deadline, withTimeout } from '../timing/deadline.ts';
import { DatabaseBusy } from './faults.ts';

/** For ending a statement in the server: to get there, and to see it ended, ms each. */
export const KILL_MS = 1_000;

/** Where a connection leads: KILL on another server would hit somebody else's statement. */
const WHERE = "SELECT CONNECTION_ID(), CONCAT_WS(' ', @@hostname, @@port, @@server_id, @@datadir)";

interface Place {
  /** Of the connection, in the server. */
  readonly id: string;
  readonly server: string;
}

/**
 * Ends statements in the server that nobody waits for any more: KILL QUERY, from a connection of its own, which is made when
 * it is first needed. Closing a statement's own connection would not do: the server goes on until it has an answer.
 */
export class Killer {
  /** Of one connection. */
  readonly #pool: Pool;
  readonly #places = new WeakMap<object, Place>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** A connection that was made just now: where it leads is asked first, and so known before anything else is asked. */
  watch(connection: PoolConnection): void {
    const keep = (_error: unknown, rows: unknown) => {
      const [row] = Array.isArray(rows) ? (rows as unknown[][]) : [];
      if (row !== undefined) this.#places.set(connection, { id: String(row[0]), server: String(row[1]) });
    };
    (connection as unknown as CallbackConnection).query({ sql: WHERE, rowsAsArray: true }, keep);
  }

  /**
   * Has the server end what runs on a connection. A killer that says nothing is half-open itself: then another one is made.
   * @returns whether the server was told
   */
  async endOn(connection: object): Promise<boolean> {
    const place = this.#places.get(connection);
    for (let attempt = 0; place !== undefined && attempt < 2; attempt++) {
      const killer = await take(this.#pool, KILL_MS, undefined).catch(() => undefined);
      if (killer === undefined) return false;
      const isTold = await within(KILL_MS, tellToEnd(killer, place));
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

/** What the pool's event brings. */
interface CallbackConnection {
  query(options: { sql: string; rowsAsArray: true }, done: (error: unknown, rows: unknown) => void): void;
}

/** A connection of the pool: it has one, or room for one. @throws DatabaseBusy, RequestCancelled, why none can be made */
export async function take(pool: Pool, ms: number, deadline: Deadline | undefined): Promise<PoolConnection> {
  const wanted = pool.getConnection();
  try {
    return await withTimeout(wanted, ms, () => new DatabaseBusy(`MySQL: no connection within ${ms} ms`), deadline);
  } catch (error) {
    wanted.then((connection) => connection.release()).catch(() => undefined); // came too late: back to the pool
    throw error;
  }
}

/** Has the server end a statement. Whether this is the server that works on it. */
async function tellToEnd(killer: PoolConnection, { id, server }: Place): Promise<boolean> {
  const [rows] = await killer.query<RowDataPacket[][]>({ sql: WHERE, rowsAsArray: true });
  if (String(rows[0]?.[1]) !== server) return false;
  await killer.query(`KILL QUERY ${id}`).catch((error: unknown) => {
    // Otherwise the server has noticed that the connection broke.
    if ((error as { code?: unknown }).code !== 'ER_NO_SUCH_THREAD') throw error;
  });
  return true;
}

/** undefined: it took longer, or went wrong. */
export async function within<T>(ms: number, something: Promise<T>): Promise<T | undefined> {
  return await withTimeout(something, ms, () => new Error('no answer')).catch(() => undefined);
}

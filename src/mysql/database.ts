import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import { Connections, type ConnectionsOptions, codeOf, DEADLINE } from './connections.ts';
import { retryingLostRaces } from './lost-race.ts';
import { DatabaseUnavailable } from './unavailable.ts';

export { DatabaseBusy, DatabaseUnavailable } from './unavailable.ts';

/** A value of a row. A BIGINT is a number where that is exact, otherwise decimal text. */
export type Value = string | number | null;

/** A value for one placeholder. Ids are strings; a number must be a safe integer. */
export type Parameter = string | number | null;

export type DatabaseOptions = ConnectionsOptions;

/** The connection broke or was closed by the server while idle; the same statement on another one may well work. */
const BROKEN = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNRESET',
  'EPIPE',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  DEADLINE,
]);

/** What mysql2 says, without a code, of a connection that broke just before. */
const CLOSED = /^Can't (add new command when connection is|write) in closed state$/;

const AWAY = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CONNECTION_KILLED',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
]);

/** Of what loses to others, in all: a lock may be waited for until the deadline each time. */
const ATTEMPTS = 10;

/**
 * One MySQL server. Every call has a deadline (see connections.ts).
 *
 * A statement that only reads is tried once more on another connection when its own broke, which also covers those that
 * `wait_timeout` closed while idle. What InnoDB rolled back in favour of others is done again. Statements are prepared, and
 * their texts are few and fixed, so prepared statements do not pile up.
 */
export class Database {
  readonly #connections: Connections;

  constructor(url: string, options: DatabaseOptions) {
    this.#connections = new Connections(url, options);
  }

  /**
   * Rows of a statement that only reads, each an array in the order of its columns.
   * @throws DatabaseUnavailable
   */
  async rows(statement: string, parameters: readonly Parameter[]): Promise<readonly (readonly Value[])[]> {
    try {
      return await this.#rowsOnce(statement, parameters);
    } catch (error) {
      if (!isBroken(error)) throw asUnavailable(error);
      return await this.#rowsOnce(statement, parameters).catch((again) => {
        throw asUnavailable(again);
      });
    }
  }

  /**
   * One writing statement. After a broken connection it is not tried again: it may have been done.
   * @throws DatabaseUnavailable
   */
  write(statement: string, parameters: readonly Parameter[]): Promise<ResultSetHeader> {
    return this.#writing(async (connection) => {
      const [result] = await connection.execute<ResultSetHeader>(statement, [...parameters]);
      return result;
    });
  }

  /**
   * Runs `work` in a transaction on one connection: committed when it resolves, rolled back when it rejects; and done again
   * when others were let go first. The deadline is for all of it.
   * @param isolation READ COMMITTED: locks the rows found, not the gaps between them, where others insert
   * @throws DatabaseUnavailable
   */
  transaction<T>(work: (connection: PoolConnection) => Promise<T>, isolation?: 'READ COMMITTED'): Promise<T> {
    return this.#writing(async (connection) => {
      if (isolation) await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
      await connection.beginTransaction();
      try {
        const result = await work(connection);
        await connection.commit();
        return result;
      } catch (error) {
        await connection.rollback().catch(() => connection.destroy()); // which rolls back as well
        throw error;
      }
    });
  }

  /** Called with every connection that is made: another server may be behind it. Returns what ends that. */
  onConnection(listener: () => void): () => void {
    return this.#connections.onNew(listener);
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #rowsOnce(statement: string, parameters: readonly Parameter[]): Promise<Value[][]> {
    return this.#connections.use(async (connection) => {
      const [rows] = await connection.execute({ sql: statement, rowsAsArray: true }, [...parameters]);
      return rows as unknown as Value[][];
    });
  }

  async #writing<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    try {
      return await retryingLostRaces(() => this.#connections.use(work), { attempts: ATTEMPTS });
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}

function isBroken(error: unknown): boolean {
  return BROKEN.has(codeOf(error)) || (error instanceof Error && CLOSED.test(error.message));
}

function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !(isBroken(error) || AWAY.has(codeOf(error)))) return error;
  return new DatabaseUnavailable(`MySQL is not available: ${(error as Error).message}`, { cause: error });
}

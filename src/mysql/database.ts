import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise';

/** A value for one placeholder. Ids are strings; a number must be a safe integer. */
export type Parameter = string | number | null;

export interface DatabaseOptions {
  /** Connections at the most. */
  readonly connections: number;
  /** Callers that may wait for a connection; one more is refused at once. */
  readonly queue: number;
  /** For each call that leaves the process, ms: connecting, waiting for a connection, and a statement. */
  readonly deadlineMs: number;
}

/** MySQL cannot be asked now: it is away, refuses, or did not answer in time. Nothing is wrong with the statement. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Every connection is in use and the queue for them is full. */
export class DatabaseBusy extends DatabaseUnavailable {}

/** The connection broke or was closed by the server while idle; the same statement on another one may well work. */
const BROKEN = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNRESET',
  'EPIPE',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'DEADLINE',
]);

const AWAY = new Set([
  ...BROKEN,
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

/**
 * A pool of connections on which every call has a deadline.
 *
 * A half-open connection may never call back (mysql2 waits for ever), so the deadline destroys it. A statement that
 * only reads is tried once more on another connection when its own broke, which also covers those that `wait_timeout`
 * closed while idle. Statements are prepared, and their texts are few and fixed, so prepared statements do not pile up.
 */
export class Database {
  readonly #pool: Pool;
  readonly #deadlineMs: number;

  constructor(url: string, options: DatabaseOptions) {
    this.#deadlineMs = options.deadlineMs;
    this.#pool = createPool({
      uri: url,
      connectionLimit: options.connections,
      maxIdle: options.connections,
      queueLimit: options.queue,
      connectTimeout: options.deadlineMs,
      supportBigNumbers: true,
      bigNumberStrings: true,
      timezone: 'Z',
      charset: 'utf8mb4',
      trace: false, // otherwise a stack is captured for every statement: 30 µs of the 200 that a narrowed query takes
    });
  }

  /**
   * Rows of a statement that only reads, each an array in the order of its columns. BIGINTs come as strings.
   * @throws DatabaseUnavailable
   */
  async rows(statement: string, parameters: readonly Parameter[]): Promise<readonly (readonly (string | null)[])[]> {
    try {
      return await this.#rowsOnce(statement, parameters);
    } catch (error) {
      if (!BROKEN.has(codeOf(error))) throw asUnavailable(error);
      return await this.#rowsOnce(statement, parameters).catch((again) => {
        throw asUnavailable(again);
      });
    }
  }

  /**
   * One writing statement. It is not tried again: it may have been done.
   * @throws DatabaseUnavailable
   */
  async write(statement: string, parameters: readonly Parameter[]): Promise<ResultSetHeader> {
    try {
      return await this.#use(async (connection) => {
        const [result] = await connection.execute<ResultSetHeader>(statement, [...parameters]);
        return result;
      });
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Runs `work` in a transaction on one connection: committed when it resolves, rolled back when it rejects.
   * The deadline is for all of it.
   * @param isolation READ COMMITTED: locks the rows found, not the gaps between them, where others insert
   * @throws DatabaseUnavailable
   */
  async transaction<T>(work: (connection: PoolConnection) => Promise<T>, isolation?: 'READ COMMITTED'): Promise<T> {
    try {
      return await this.#use(async (connection) => {
        if (isolation) await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
        await connection.beginTransaction();
        try {
          const result = await work(connection);
          await connection.commit();
          return result;
        } catch (error) {
          await connection.rollback();
          throw error;
        }
      });
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #rowsOnce(statement: string, parameters: readonly Parameter[]): Promise<(string | null)[][]> {
    return this.#use(async (connection) => {
      const [rows] = await connection.execute({ sql: statement, rowsAsArray: true }, [...parameters]);
      return rows as unknown as (string | null)[][];
    });
  }

  async #use<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    const connection = await this.#connection();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(deadline(`no answer within ${this.#deadlineMs} ms`)), this.#deadlineMs);
    });
    const running = work(connection);
    try {
      const result = await Promise.race([running, late]);
      connection.release();
      return result;
    } catch (error) {
      if (codeOf(error) === 'DEADLINE') {
        running.catch(() => undefined); // it ends with the connection, and its answer is not waited for
        connection.destroy();
      } else connection.release();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #connection(): Promise<PoolConnection> {
    const wanted = this.#pool.getConnection();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new DatabaseBusy(`MySQL: no connection was free within ${this.#deadlineMs} ms`)),
        this.#deadlineMs,
      );
    });
    try {
      return await Promise.race([wanted, late]);
    } catch (error) {
      wanted.then((connection) => connection.release()).catch(() => undefined); // came too late: back to the pool
      throw error instanceof Error && error.message === 'Queue limit reached.'
        ? new DatabaseBusy('MySQL: every connection is in use and the queue for them is full')
        : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function deadline(message: string): Error {
  return Object.assign(new Error(`MySQL: ${message}`), { code: 'DEADLINE' });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !AWAY.has(codeOf(error))) return error;
  return new DatabaseUnavailable(`MySQL is not available: ${(error as Error).message}`, { cause: error });
}

import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { type MysqlTls, tlsOptions } from './tls.ts';
import { DatabaseBusy } from './unavailable.ts';

export interface ConnectionsOptions {
  /** Connections at the most. */
  readonly connections: number;
  /** Callers that may wait for a connection; one more is refused at once. */
  readonly queue: number;
  /** For each call that leaves the process, ms: connecting, waiting for a connection, and a statement. */
  readonly deadlineMs: number;
  /** Undefined: in plain text. */
  readonly tls?: MysqlTls | undefined;
}

/** Of one connection: more than there are texts. mysql2 would make room for 16,000, half a megabyte a connection. */
const STATEMENTS = 100;

/** The code of the error when nothing came back in time. */
export const DEADLINE = 'DEADLINE';

/**
 * A pool of connections on which every call has a deadline.
 *
 * A half-open connection may never call back (mysql2 waits for ever), so the deadline destroys it. Those that were idle
 * for as long are probably no better: none of them is used again, so that one deadline is all that a broken path costs.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #deadlineMs: number;
  /** When each connection last answered, ms, monotonic. */
  readonly #heard = new WeakMap<object, number>();
  readonly #inUse = new Set<PoolConnection>();
  /** What was not heard since then is not to be used. */
  #distrustedBefore = Number.NEGATIVE_INFINITY;

  constructor(url: string, options: ConnectionsOptions) {
    this.#deadlineMs = options.deadlineMs;
    this.#pool = createPool({
      uri: url,
      ...tlsOptions(options.tls),
      connectionLimit: options.connections,
      maxIdle: options.connections,
      queueLimit: options.queue,
      maxPreparedStatements: STATEMENTS,
      connectTimeout: options.deadlineMs,
      supportBigNumbers: true,
      bigNumberStrings: false, // safe integers are numbers: mysql2 takes 1 µs to make a text of one
      timezone: 'Z',
      charset: 'utf8mb4',
      trace: false, // otherwise a stack is captured for every statement: 30 µs of the 200 that a narrowed query takes
    });
  }

  /**
   * Works with one connection, until the deadline.
   * @param extraMs later than that
   * @throws DatabaseBusy, what the work throws, an error with the code DEADLINE
   */
  async use<T>(work: (connection: PoolConnection) => Promise<T>, extraMs = 0): Promise<T> {
    const connection = await this.#trusted();
    const begun = performance.now();
    const running = work(connection);
    this.#inUse.add(connection);
    try {
      const late = () => deadline(`no answer within ${this.#deadlineMs + extraMs} ms`);
      const result = await this.#inTime(running, late, extraMs);
      this.#heard.set(connection.connection, performance.now());
      connection.release();
      return result;
    } catch (error) {
      if (codeOf(error) === DEADLINE) {
        running.catch(() => undefined); // it ends with the connection, and its answer is not waited for
        this.#distrustedBefore = begun;
        connection.destroy();
      } else connection.release();
      throw error;
    } finally {
      this.#inUse.delete(connection);
    }
  }

  /** Called with every connection that is made: another server may be behind it. Returns what ends that. */
  onNew(listener: () => void): () => void {
    this.#pool.on('connection', listener);
    return () => void this.#pool.off('connection', listener);
  }

  /** Waits for what is under way, not longer than the deadline: a half-open connection never says that it has ended. */
  async close(): Promise<void> {
    await this.#inTime(this.#pool.end(), () => deadline('not closed')).catch(() => undefined);
    for (const connection of this.#inUse) connection.destroy();
  }

  async #trusted(): Promise<PoolConnection> {
    for (;;) {
      const connection = await this.#next();
      const heard = this.#heard.get(connection.connection);
      if (heard === undefined || heard >= this.#distrustedBefore) return connection;
      connection.destroy();
    }
  }

  async #next(): Promise<PoolConnection> {
    const wanted = this.#pool.getConnection();
    const late = () => new DatabaseBusy(`MySQL: no connection was free within ${this.#deadlineMs} ms`);
    try {
      return await this.#inTime(wanted, late);
    } catch (error) {
      wanted.then((connection) => connection.release()).catch(() => undefined); // came too late: back to the pool
      throw error instanceof Error && error.message === 'Queue limit reached.'
        ? new DatabaseBusy('MySQL: every connection is in use and the queue for them is full')
        : error;
    }
  }

  async #inTime<T>(running: Promise<T>, error: () => Error, extraMs = 0): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(error()), this.#deadlineMs + extraMs);
    });
    try {
      return await Promise.race([running, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function deadline(message: string): Error {
  return Object.assign(new Error(`MySQL: ${message}`), { code: DEADLINE });
}

/** Of an error of MySQL or of its client; '': it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

import type { Pool, PoolConnection } from 'mysql2/promise';
import { Deadline, DeadlineExceeded, RequestCancelled, settledWithin, withTimeout } from '../timing/deadline.ts';
import { Limiter } from '../timing/limiter.ts';
import { codeOf, DatabaseBusy, DatabaseUnavailable, DEADLINE, mysqlFaultOf } from './faults.ts';
import { KILL_MS, Killer, take, within } from './killer.ts';
import { openPool } from './open-pool.ts';
import { setUpSession } from './session.ts';
import type { MysqlTls } from './tls.ts';

export interface ConnectionPoolOptions {
  /** The maximum number of connections. */
  readonly connections: number;
  /**
   * The maximum number of callers that wait for a connection. Fewer may where they would wait longer than the deadline.
   */
  readonly queue: number;
  /** The deadline of each call, ms: connecting, waiting for a connection, and a statement. */
  readonly deadlineMs: number;
  /** Undefined: no encryption. */
  readonly tls?: MysqlTls | undefined;
}

export interface UseOptions {
  /** Added to the deadline of every call, ms. */
  readonly extraMs?: number;
  /** The deadline of the request that this call is for. */
  readonly deadline?: Deadline | undefined;
  /** The work cannot be tried again on another connection: one that was idle is asked first whether it is alive. */
  readonly once?: boolean;
}

/**
 * The least time between two renewals of all connections, ms: a server that stays the wrong one must not cost a
 * connection at every call.
 */
const RENEWAL_MS = 1_000;

/**
 * How long after its deadline the server itself ends a statement, ms: when a KILL did not arrive, or the process has
 * ended.
 */
const BACKSTOP_MS = 1_000;

/**
 * - `idle`: the connection can be used again
 * - `silent`: the server was told to end the statement, but the connection stays silent: it is half-open
 * - `lost`: it broke, or the server could not be told
 */
type ConnectionState = 'idle' | 'silent' | 'lost';

/** A connection that answered this recently is taken to be alive, ms. */
const ALIVE_MS = 500;

/** A statement that ends by itself within this time needs no KILL, ms: most statements take less than one. */
const GRACE_MS = 20;

/**
 * A pool of connections on which every call has a deadline.
 *
 * A statement that misses it is also ended in the server (KILL QUERY, from a connection kept for that). Otherwise
 * abandoned statements pile up there and make the next ones late as well.
 *
 * A half-open connection may never call back (mysql2 waits for ever), so one that stays silent is destroyed.
 * Connections that were idle for as long as one that broke are probably broken too and are not used again: a broken path costs
 * one deadline only, and one more attempt succeeds where a firewall has forgotten them all.
 *
 * A new connection is used only after its session was set up (see session.ts).
 */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #killer: Killer;
  readonly #limiter: Limiter;
  readonly #deadlineMs: number;
  /** When each connection last answered, monotonic ms. */
  readonly #heard = new WeakMap<object, number>();
  /** When the session of each connection was set up, monotonic ms. */
  readonly #setUp = new WeakMap<object, number>();
  readonly #inUse = new Set<PoolConnection>();
  /** Cancelled when the pool is given up. */
  readonly #lifetime = new Deadline(Number.POSITIVE_INFINITY);
  /** Connections that have not answered since then are not used. */
  #distrustedBefore = Number.NEGATIVE_INFINITY;
  /** Connections that were opened before are not used. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, options: ConnectionPoolOptions) {
    const { connections, queue, deadlineMs, tls } = options;
    this.#deadlineMs = deadlineMs;
    const refusal = () => new DatabaseBusy('MySQL: every connection is in use, and none would be free in time');
    this.#limiter = new Limiter({ concurrency: connections, queue, waitMs: deadlineMs, refusal });
    this.#pool = openPool(url, { connections, connectTimeout: deadlineMs, tls });
    this.#killer = new Killer(openPool(url, { connections: 1, connectTimeout: Math.min(KILL_MS, deadlineMs), tls }));
    this.#pool.on('connection', (connection) => this.#killer.watch(connection));
  }

  /**
   * Runs work on one connection, until the deadline.
   * @throws DatabaseBusy, DeadlineExceeded, RequestCancelled, errors of the work, an error with the code DEADLINE
   */
  use<T>(work: (connection: PoolConnection) => Promise<T>, options: UseOptions = {}): Promise<T> {
    const { extraMs = 0, deadline, once = false } = options;
    return this.#limiter.run(
      async () => {
        const connection = await (once ? this.#alive(deadline) : this.#trusted(deadline));
        return await this.#workOn(connection, work(connection), this.#deadlineMs + extraMs, deadline);
      },
      { deadline },
    );
  }

  /** Callers that have a connection, and callers that wait for one. */
  get callers(): { readonly running: number; readonly queued: number } {
    return this.#limiter;
  }

  /**
   * Calls the listener for every new connection, which may lead to another server. Returns a function that stops it.
   */
  onNew(listener: () => void): () => void {
    this.#pool.on('connection', listener);
    return () => void this.#pool.off('connection', listener);
  }

  /**
   * Replaces every open connection before its next use, because it leads to the wrong server. At most once a second.
   * @returns whether it does so now
   */
  renew(): boolean {
    const now = performance.now();
    if (now - this.#renewedAt < RENEWAL_MS) return false;
    this.#renewedAt = now;
    return true;
  }

  /** Every call that waits, or comes later, fails at once. */
  giveUp(): void {
    this.#lifetime.cancel(new DatabaseUnavailable('MySQL is not waited for: this process ends'));
  }

  /** Waits for running calls, no longer than the deadline: a half-open connection never says that it has ended. */
  async close(): Promise<void> {
    const ended = Promise.all([this.#pool.end(), this.#killer.close()]);
    await settledWithin(ended, this.#deadlineMs, this.#lifetime);
    for (const connection of this.#inUse) connection.destroy();
  }

  /** Waits until a deadline, or until the pool is given up. @param what is missing then */
  #within<T>(ms: number, pending: Promise<T>, what: string, deadline: Deadline | undefined): Promise<T> {
    return withTimeout(pending, ms, () => late(`no ${what} within ${ms} ms`), deadline, this.#lifetime);
  }

  async #workOn<T>(
    connection: PoolConnection,
    running: Promise<T>,
    ms: number,
    deadline: Deadline | undefined,
  ): Promise<T> {
    const begun = performance.now();
    this.#inUse.add(connection);
    try {
      const result = await this.#within(ms, running, 'answer', deadline);
      this.#heard.set(connection.connection, performance.now());
      connection.release();
      return result;
    } catch (error) {
      const state = await this.#stateAfter(error, connection, running);
      if (state === 'idle') connection.release();
      else this.#lose(connection, begun);
      if (state === 'silent' && codeOf(error) === DEADLINE) throw Object.assign(error as Error, { isSilent: true });
      throw error;
    } finally {
      this.#inUse.delete(connection);
    }
  }

  /** In which state the work's error leaves the connection. What still runs on it is ended. */
  async #stateAfter(error: unknown, connection: PoolConnection, running: Promise<unknown>): Promise<ConnectionState> {
    if (this.#lifetime.isCancelled) return 'lost';
    if (isLate(error)) return await this.#endOn(connection, running);
    return mysqlFaultOf(error) === 'session' ? 'lost' : 'idle';
  }

  /** Ends in the server what runs on the connection, unless it ends by itself. */
  async #endOn(connection: PoolConnection, running: Promise<unknown>): Promise<ConnectionState> {
    const called = running.then(
      () => true,
      () => true,
    );
    let isIdle = await within(GRACE_MS, called);
    if (isIdle === undefined) {
      if (!(await this.#killer.endOn(connection.connection))) return 'lost';
      // A KILL that came just too late may hit the next command.
      const isWell = (error: unknown) => codeOf(error) === 'ER_QUERY_INTERRUPTED';
      isIdle = await within(
        KILL_MS,
        called.then(() => connection.query('DO 0')).then(() => true, isWell),
      );
    }
    if (isIdle) this.#heard.set(connection.connection, performance.now());
    return isIdle ? 'idle' : 'silent';
  }

  async #trusted(deadline: Deadline | undefined): Promise<PoolConnection> {
    for (;;) {
      const connection = await take(this.#pool, this.#deadlineMs, deadline, this.#lifetime);
      const key = connection.connection;
      const setUp = this.#setUp.get(key);
      if (setUp === undefined) return await this.#ready(connection, deadline);
      const heard = this.#heard.get(key) ?? setUp;
      if (heard >= this.#distrustedBefore && setUp >= this.#renewedAt) return connection;
      connection.destroy();
    }
  }

  /** A trusted connection that has just answered, or is new. */
  async #alive(deadline: Deadline | undefined): Promise<PoolConnection> {
    for (;;) {
      const connection = await this.#trusted(deadline);
      const heard = this.#heard.get(connection.connection);
      if (heard === undefined || performance.now() - heard < ALIVE_MS) return connection;
      if (await this.#answers(connection, deadline)) return connection;
    }
  }

  /** @throws DeadlineExceeded, RequestCancelled */
  async #answers(connection: PoolConnection, deadline: Deadline | undefined): Promise<boolean> {
    const begun = performance.now();
    this.#inUse.add(connection);
    try {
      await this.#within(this.#deadlineMs, connection.ping(), 'answer to a ping', deadline);
      this.#heard.set(connection.connection, performance.now());
      return true;
    } catch (error) {
      this.#lose(connection, begun);
      if (error instanceof DeadlineExceeded || error instanceof RequestCancelled) throw error;
      return false;
    } finally {
      this.#inUse.delete(connection);
    }
  }

  /** Those that have not answered since then are lost as well. */
  #lose(connection: PoolConnection, since: number): void {
    this.#distrustedBefore = Math.max(this.#distrustedBefore, since);
    connection.destroy();
  }

  /**
   * Sets up the session of a new connection. If that fails, the connection is closed and does not return to the pool.
   */
  async #ready(connection: PoolConnection, deadline: Deadline | undefined): Promise<PoolConnection> {
    const begun = performance.now();
    this.#inUse.add(connection);
    try {
      const settingUp = setUpSession(connection, { statementMs: this.#deadlineMs + BACKSTOP_MS });
      await this.#within(this.#deadlineMs, settingUp, 'session', deadline);
      this.#setUp.set(connection.connection, begun);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    } finally {
      this.#inUse.delete(connection);
    }
  }
}

function isLate(error: unknown): boolean {
  return codeOf(error) === DEADLINE || error instanceof DeadlineExceeded || error instanceof RequestCancelled;
}

/** Nothing came back in time, not even after the KILL: the connection broke. */
export function isSilence(error: unknown): boolean {
  return codeOf(error) === DEADLINE && (error as { isSilent?: boolean }).isSilent === true;
}

function late(message: string): Error {
  return Object.assign(new Error(`MySQL: ${message}`), { code: DEADLINE });
}

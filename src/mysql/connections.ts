import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { type Deadline, DeadlineExceeded, RequestCancelled, settledWithin, withTimeout } from '../timing/deadline.ts';
import { codeOf, DatabaseBusy, DEADLINE } from './faults.ts';
import { KILL_MS, Killer, take, within } from './killer.ts';
import { setUpSession } from './session.ts';
import { type MysqlTls, tlsOptions } from './tls.ts';
import { Turns } from './turns.ts';

export interface ConnectionsOptions {
  /** Connections at the most. */
  readonly connections: number;
  /** Callers that may wait for a connection at the most. Fewer may where they would wait longer than the deadline. */
  readonly queue: number;
  /** For each call that leaves the process, ms: connecting, waiting for a connection, and a statement. */
  readonly deadlineMs: number;
  /** Undefined: in plain text. */
  readonly tls?: MysqlTls | undefined;
}

export interface UseOptions {
  /** Later than the deadline of every call, ms. */
  readonly extraMs?: number;
  /** Of the request that this is for. */
  readonly deadline?: Deadline | undefined;
}

/** Of one connection: more than there are texts. mysql2 would make room for 16,000, half a megabyte a connection. */
const STATEMENTS = 100;

/** Between two renewals of all connections, ms: a server that stays as it is must not cost a connection for every call. */
const RENEWAL_MS = 1_000;

/**
 * Later than its deadline a statement is ended by the server itself, ms: where a KILL did not get there, or the process has
 * ended.
 */
const BACKSTOP_MS = 1_000;

/** What ends by itself within so many ms is not worth a KILL: most statements take less than one. */
const GRACE_MS = 20;

/**
 * A pool of connections on which every call has a deadline.
 *
 * What is not done by then is ended in the server, too (KILL QUERY, from a connection kept for that): otherwise
 * statements that nobody waits for pile up there, and make the next ones late as well.
 *
 * A half-open connection may never call back (mysql2 waits for ever), so one that still says nothing is destroyed. Those
 * that were idle for as long are probably no better: none of them is used again, so that one deadline is all that a
 * broken path costs.
 *
 * A new connection is used only after its session was set up (see session.ts).
 */
export class Connections {
  readonly #pool: Pool;
  readonly #killer: Killer;
  readonly #turns: Turns;
  readonly #deadlineMs: number;
  /** When each connection last answered, ms, monotonic. */
  readonly #heard = new WeakMap<object, number>();
  /** When the session of each connection was set up, ms, monotonic. */
  readonly #setUp = new WeakMap<object, number>();
  readonly #inUse = new Set<PoolConnection>();
  /** What was not heard since then is not to be used. */
  #distrustedBefore = Number.NEGATIVE_INFINITY;
  /** What was opened before is not to be used. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, options: ConnectionsOptions) {
    const { connections, queue, deadlineMs, tls } = options;
    this.#deadlineMs = deadlineMs;
    const refusal = () => new DatabaseBusy('MySQL: every connection is in use, and none would be free in time');
    this.#turns = new Turns({ concurrency: connections, queue, waitMs: deadlineMs, refusal });
    this.#pool = openPool(url, { connections, connectTimeout: deadlineMs, tls });
    this.#killer = new Killer(openPool(url, { connections: 1, connectTimeout: Math.min(KILL_MS, deadlineMs), tls }));
    this.#pool.on('connection', (connection) => this.#killer.watch(connection));
  }

  /**
   * Works with one connection, until the deadline.
   * @throws DatabaseBusy, DeadlineExceeded, RequestCancelled, what the work throws, an error with the code DEADLINE
   */
  async use<T>(work: (connection: PoolConnection) => Promise<T>, options: UseOptions = {}): Promise<T> {
    const { extraMs = 0, deadline } = options;
    return await this.#turns.run(
      async () => {
        const connection = await this.#trusted(deadline);
        const ms = this.#deadlineMs + extraMs;
        return await this.#workOn(connection, work(connection), Math.min(ms, deadline?.leftMs ?? ms), deadline);
      },
      { deadline },
    );
  }

  /** Called with every connection that is made: another server may be behind it. Returns what ends that. */
  onNew(listener: () => void): () => void {
    this.#pool.on('connection', listener);
    return () => void this.#pool.off('connection', listener);
  }

  /**
   * Has every connection that is open now replaced before its next use: the server behind it is not the right one any
   * more. At most once a second. @returns whether it does so now
   */
  renew(): boolean {
    const now = performance.now();
    if (now - this.#renewedAt < RENEWAL_MS) return false;
    this.#renewedAt = now;
    return true;
  }

  /** Waits for what is under way, not longer than the deadline: a half-open connection never says that it has ended. */
  async close(): Promise<void> {
    const ended = Promise.all([this.#pool.end(), this.#killer.close()]);
    await settledWithin(ended, this.#deadlineMs);
    for (const connection of this.#inUse) connection.destroy();
  }

  async #workOn<T>(
    connection: PoolConnection,
    running: Promise<T>,
    ms: number,
    deadline: Deadline | undefined,
  ): Promise<T> {
    const begun = performance.now();
    this.#inUse.add(connection);
    const isRequests = deadline !== undefined && deadline.leftMs <= ms;
    const onLate = () => (isRequests ? new DeadlineExceeded() : late(`no answer within ${ms} ms`));
    try {
      const result = await withTimeout(running, ms, onLate, deadline);
      this.#heard.set(connection.connection, performance.now());
      connection.release();
      return result;
    } catch (error) {
      const state = isLate(error) ? await this.#endOn(connection, running) : 'idle';
      if (state === 'idle') connection.release();
      else {
        this.#distrustedBefore = begun;
        connection.destroy();
      }
      if (state === 'silent' && codeOf(error) === DEADLINE) throw Object.assign(error as Error, { isSilent: true });
      throw error;
    } finally {
      this.#inUse.delete(connection);
    }
  }

  /**
   * Ends in the server what runs on the connection, unless it ends by itself just now.
   * - `idle`: the connection can be used again
   * - `silent`: the server was told, and the connection still says nothing: it is half-open
   * - `lost`: the server could not be told
   */
  async #endOn(connection: PoolConnection, running: Promise<unknown>): Promise<'idle' | 'silent' | 'lost'> {
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
      const ms = Math.min(this.#deadlineMs, deadline?.leftMs ?? this.#deadlineMs);
      const connection = await take(this.#pool, ms, deadline);
      const key = connection.connection;
      const setUp = this.#setUp.get(key);
      if (setUp === undefined) return await this.#ready(connection, ms, deadline);
      const heard = this.#heard.get(key) ?? setUp;
      if (heard >= this.#distrustedBefore && setUp >= this.#renewedAt) return connection;
      connection.destroy();
    }
  }

  /** A new connection whose session could not be set up is closed: nobody else may find it in the pool. */
  async #ready(connection: PoolConnection, ms: number, deadline: Deadline | undefined): Promise<PoolConnection> {
    const begun = performance.now();
    this.#inUse.add(connection);
    try {
      const settingUp = setUpSession(connection, { statementMs: this.#deadlineMs + BACKSTOP_MS });
      await withTimeout(settingUp, ms, () => late(`no session within ${ms} ms`), deadline);
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

interface PoolOptions {
  readonly connections: number;
  /** ms */
  readonly connectTimeout: number;
  readonly tls: MysqlTls | undefined;
}

function openPool(url: string, { connections, connectTimeout, tls }: PoolOptions): Pool {
  return createPool({
    uri: url,
    ...tlsOptions(tls),
    connectionLimit: connections,
    maxIdle: connections,
    maxPreparedStatements: STATEMENTS,
    connectTimeout,
    supportBigNumbers: true,
    bigNumberStrings: false, // safe integers are numbers: mysql2 takes 1 µs to make a text of one
    timezone: 'Z',
    charset: 'utf8mb4',
    trace: false, // otherwise a stack is captured for every statement: 30 µs of the 200 that a narrowed query takes
  });
}

function isLate(error: unknown): boolean {
  return codeOf(error) === DEADLINE || error instanceof DeadlineExceeded || error instanceof RequestCancelled;
}

/** Nothing came back in time, not even when the statement was ended: the connection broke. */
export function isSilence(error: unknown): boolean {
  return codeOf(error) === DEADLINE && (error as { isSilent?: boolean }).isSilent === true;
}

function late(message: string): Error {
  return Object.assign(new Error(`MySQL: ${message}`), { code: DEADLINE });
}

import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import type { Deadline } from '../timing/deadline.ts';
import { Connections, type ConnectionsOptions, isSilence, type UseOptions } from './connections.ts';
import {
  DatabaseUnavailable,
  HeavyQueriesBusy,
  isStatementTimeout,
  type MysqlFault,
  mysqlFaultOf,
  StatementTooSlow,
} from './faults.ts';
import { retryingLostRaces } from './lost-race.ts';
import { proofOf } from './session.ts';
import { Turns, type Urgency } from './turns.ts';

export {
  DatabaseBusy,
  DatabaseNotPrimary,
  DatabaseUnavailable,
  HeavyQueriesBusy,
  StatementTooSlow,
} from './faults.ts';

/** A value of a row. A BIGINT is a number where that is exact, otherwise decimal text. */
export type ColumnValue = string | number | null;

/** A value for one placeholder. Ids are strings; a number must be a safe integer. */
export type Parameter = string | number | null;

/** Of heavy queries: at once, and that may wait for their turn at the most. */
export interface HeavyBudget {
  readonly concurrency: number;
  readonly queue: number;
  /** For a turn, ms (the deadline of a call). */
  readonly waitMs?: number;
}

export interface DatabaseOptions extends ConnectionsOptions {
  /** It is a replica by design: its rows may lack the latest changes, and it need not be the server on record. */
  readonly isReplica?: boolean;
  /**
   * The budget of heavy queries: one for all of a process, or how many at once. There are always fewer of them than
   * connections, so that they never keep a small statement waiting (all but one).
   */
  readonly heavy?: Turns | HeavyBudget;
}

/** Who wants to read, and for how long. */
export interface ReadOptions {
  /** Of the request that this is for: what remains of it is all that the statement has, and to get a connection. */
  readonly deadline?: Deadline | undefined;
  /** What reads all of somebody's contacts waits for its turn in the budget; undefined: a small statement, which never does. */
  readonly heavy?: Urgency;
  /** The server ends the statement after so many ms, whatever the deadline of other calls is; the statement begins with SELECT. */
  readonly withinMs?: number | undefined;
}

/** Of what loses to others, in all: a lock may be waited for until the deadline each time. */
const ATTEMPTS = 10;

const ON_RECORD = 'SELECT token, (SELECT MAX(identity) FROM recency_mysql_servers) FROM recency_epoch';

/** Later than the server ends a statement its answer is waited for, ms. */
const ANSWER_MS = 1_000;

/**
 * One MySQL server. Every call has a deadline (see connections.ts).
 *
 * A statement that only reads is tried once more on another connection when its own broke, which also covers those that
 * `wait_timeout` closed while idle; never because it was too slow. What InnoDB rolled back in favour of others is done again. Statements are prepared, and
 * their texts are few and fixed, so prepared statements do not pile up.
 */
export class Database {
  /** The budget of heavy queries. */
  readonly heavy: Turns;
  /** See {@link DatabaseOptions}. */
  readonly isReplica: boolean;
  readonly #connections: Connections;
  readonly #deadlineMs: number;
  #record: { readonly token: string; readonly proof: string | undefined } | undefined;

  constructor(url: string, options: DatabaseOptions) {
    this.isReplica = options.isReplica ?? false;
    this.#connections = new Connections(url, options);
    this.#deadlineMs = options.deadlineMs;
    const { heavy = { concurrency: options.connections, queue: options.queue } } = options;
    this.heavy = heavy instanceof Turns ? heavy : turnsOf(heavy, options);
  }

  /**
   * Rows of a statement that only reads, each an array in the order of its columns.
   * @throws DatabaseUnavailable; StatementTooSlow when the server ended it; HeavyQueriesBusy, DeadlineExceeded,
   * RequestCancelled
   */
  async rows(
    statement: string,
    parameters: readonly Parameter[],
    { deadline, heavy, withinMs = 0 }: ReadOptions = {},
  ): Promise<readonly (readonly ColumnValue[])[]> {
    const sql = withinMs === 0 ? statement : endedAfter(withinMs, statement);
    const extraMs = withinMs === 0 ? 0 : Math.max(0, withinMs + ANSWER_MS - this.#deadlineMs);
    const read = () => this.#rows(sql, parameters, { extraMs, deadline });
    // What is given more time than others has somebody who does one such after the other, beside the budget.
    if (heavy === undefined || withinMs > this.#deadlineMs) return await read();
    return await this.heavy.run(read, { urgency: heavy, deadline });
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

  /**
   * The proof of the server that is on record under this token of an epoch (see session.ts), '' where none is on record;
   * undefined: the token is not in force any more. Asked once for each token: another server comes on record only together
   * with another token.
   * @throws DatabaseUnavailable
   */
  async proofUnder(token: string, deadline?: Deadline): Promise<string | undefined> {
    if (this.#record?.token === token) return this.#record.proof;
    // Not `rows`: a subclass that counts the caller's statements must not count this one.
    const [row] = await this.#rows(ON_RECORD, [], { deadline });
    if (row?.[0] !== token) return undefined;
    const proof = row[1] === null ? '' : proofOf(String(row[1]));
    if (proof !== '') this.#record = { token, proof }; // the first one comes on record under the token in force
    return proof;
  }

  /** Has every connection replaced before its next use, at most once a second. Returns whether it does so now. */
  renewConnections(): boolean {
    return this.#connections.renew();
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** One statement that only reads, on the connection that it was given. */
  protected async read(
    connection: PoolConnection,
    sql: string,
    parameters: readonly Parameter[],
  ): Promise<ColumnValue[][]> {
    const [rows] = await connection.execute({ sql, rowsAsArray: true }, [...parameters]);
    return rows as unknown as ColumnValue[][];
  }

  async #rows(sql: string, parameters: readonly Parameter[], options: UseOptions): Promise<ColumnValue[][]> {
    const once = () => this.#connections.use((connection) => this.read(connection, sql, parameters), options);
    try {
      return await once();
    } catch (error) {
      if (!isBroken(error)) throw asThrown(error);
      return await once().catch((again) => {
        throw asThrown(again);
      });
    }
  }

  async #writing<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    try {
      return await retryingLostRaces(() => this.#connections.use(work), { attempts: ATTEMPTS });
    } catch (error) {
      throw asThrown(error);
    }
  }
}

/**
 * Another connection may well do better: this one broke, was closed by the server while idle, or did not call back even
 * when the statement was ended. What was only too slow is not tried again: it would be too slow again.
 */
function isBroken(error: unknown): boolean {
  return mysqlFaultOf(error) === 'session' || isSilence(error);
}

function turnsOf({ concurrency, queue, waitMs }: HeavyBudget, { connections, deadlineMs }: ConnectionsOptions): Turns {
  const refusal = () =>
    new HeavyQueriesBusy('MySQL: heavy queries that wait already would make one more wait too long');
  return new Turns({
    concurrency: Math.max(1, Math.min(concurrency, connections - 1)),
    ...{ queue, waitMs: waitMs ?? deadlineMs, refusal },
  });
}

/**
 * The same statement with a limit that the server keeps, so that it does not work on what nobody waits for. MariaDB and MySQL
 * say it differently, and each takes what the other understands for a comment.
 */
function endedAfter(ms: number, statement: string): string {
  const limited = statement.replace(/^\s*SELECT\b/, `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(ms)}) */`);
  return `/*M! SET STATEMENT max_statement_time=${ms / 1000} FOR */ ${limited}`;
}

/** The faults that mean that MySQL cannot be asked now. */
const UNAVAILABLE = new Set<string>(['session', 'slow', 'away'] satisfies MysqlFault[]);

function asThrown(error: unknown): unknown {
  if (isStatementTimeout(error)) return new StatementTooSlow(`MySQL: ${(error as Error).message}`, { cause: error });
  if (error instanceof DatabaseUnavailable || !UNAVAILABLE.has(mysqlFaultOf(error) ?? '')) return error;
  return new DatabaseUnavailable(`MySQL is not available: ${(error as Error).message}`, { cause: error });
}

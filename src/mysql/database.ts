import type { PoolConnection, ResultSetHeader } from 'mysql2/promise';
import type { ColumnValue } from '../site/row.ts';
import type { Deadline } from '../timing/deadline.ts';
import { Limiter, type Urgency } from '../timing/limiter.ts';
import { ConnectionPool, type ConnectionPoolOptions, isSilence, type UseOptions } from './connections.ts';
import { EpochsSeen } from './epochs-seen.ts';
import { asThrown, HeavyQueriesBusy, mysqlFaultOf, retryDeadlocks } from './faults.ts';

export type { ColumnValue } from '../site/row.ts';
export {
  DatabaseBusy,
  DatabaseNotPrimary,
  DatabaseUnavailable,
  HeavyQueriesBusy,
  StatementTooSlow,
} from './faults.ts';

/** A value for one placeholder. Ids are strings; a number must be a safe integer. */
export type Parameter = string | number | null;

/** What an answer is read from: a whole {@link Database}, or a view of one. */
export type AnswerDatabase = Pick<Database, 'rows' | 'isReplica' | 'epochs' | 'renewConnections' | 'sawReadOnly'>;

/** How many heavy queries may run at once, and how many may wait. */
interface HeavyBudget {
  readonly concurrency: number;
  readonly queue: number;
  /** The longest wait, ms; default: the deadline of a call. */
  readonly waitMs?: number;
}

export interface DatabaseOptions extends ConnectionPoolOptions {
  /**
   * The primary whose replica this is, by design: its rows may lack the latest changes, and it need not be the server on record. Left
   * out: it is the primary.
   */
  readonly replicaOf?: Pick<Database, 'epochs'>;
  /**
   * The limit of heavy queries: a limiter that the process shares, or the numbers for a new one. Always fewer than the
   * connections (unless there is only one), so that heavy queries never keep a small statement waiting.
   */
  readonly heavy?: Limiter | HeavyBudget;
}

/** How a statement is read. */
export interface ReadOptions {
  /** The deadline of the request that this is for. It includes waiting for a connection. */
  readonly deadline?: Deadline | undefined;
  /**
   * A heavy query, such as one that reads all of a user's contacts, waits for the limit. Undefined: a small statement.
   */
  readonly heavy?: Urgency;
  /**
   * The server ends the statement after this time, ms, which may exceed the deadline of other calls. It begins with
   * SELECT.
   */
  readonly withinMs?: number | undefined;
  /** Runs before the statement, on the same connection and so on the same server. What it throws is thrown. */
  readonly first?: ((connection: PoolConnection) => Promise<void>) | undefined;
}

/** Attempts of a write that loses to other transactions. Each may wait for a lock until the deadline. */
const ATTEMPTS = 10;

/** How long to wait for an answer after the server has ended the statement, ms. */
const ANSWER_MS = 1_000;

/**
 * One MySQL server. Every call has a deadline (see connections.ts).
 *
 * A SELECT is tried once more on another connection when its own broke (also when `wait_timeout` closed it while idle),
 * but never because it was too slow. A transaction that InnoDB rolled back in favour of others is run again. Statements
 * are prepared, and their texts are few and fixed, so prepared statements do not pile up.
 */
export class Database {
  /** It is one by design: see {@link DatabaseOptions}. */
  readonly isReplica: boolean;
  /** What the rows of the primary have said. A replica shares that of its primary. */
  readonly epochs: EpochsSeen;
  /** The limit of heavy queries. */
  readonly heavy: Limiter;
  /** How many callers may wait for it, and how long, ms. */
  readonly patience: { readonly queue: number; readonly waitMs: number };
  readonly #connections: ConnectionPool;
  readonly #deadlineMs: number;
  #readOnly: { readonly proof: string; readonly at: number } | undefined;

  constructor(url: string, options: DatabaseOptions) {
    this.isReplica = options.replicaOf !== undefined;
    this.epochs = options.replicaOf?.epochs ?? new EpochsSeen();
    this.#connections = new ConnectionPool(url, options);
    this.#deadlineMs = options.deadlineMs;
    this.patience = { queue: options.queue, waitMs: options.deadlineMs };
    const { heavy = { concurrency: options.connections, queue: options.queue } } = options;
    this.heavy = heavy instanceof Limiter ? heavy : limiterOf(heavy, options);
  }

  /**
   * Rows of a SELECT, each an array in the order of its columns.
   * @throws DatabaseUnavailable, StatementTooSlow when the server ended it, HeavyQueriesBusy, DeadlineExceeded,
   * RequestCancelled
   */
  rows(
    statement: string,
    parameters: readonly Parameter[],
    { deadline, heavy, withinMs = 0, first }: ReadOptions = {},
  ): Promise<readonly (readonly ColumnValue[])[]> {
    const sql = withinMs === 0 ? statement : endedAfter(withinMs, statement);
    const extraMs = withinMs === 0 ? 0 : Math.max(0, withinMs + ANSWER_MS - this.#deadlineMs);
    const read = () => this.#rows(sql, parameters, { extraMs, deadline, first });
    // Statements that get extra time are run one after the other by their caller, outside the limit.
    if (heavy === undefined || withinMs > this.#deadlineMs) return read();
    return this.heavy.run(read, { urgency: heavy, deadline });
  }

  /**
   * One writing statement. It is not tried again after a broken connection, because it may have been done.
   * @throws DatabaseUnavailable
   */
  write(statement: string, parameters: readonly Parameter[]): Promise<ResultSetHeader> {
    return this.#writing(async (connection) => {
      const [result] = await connection.execute<ResultSetHeader>(statement, [...parameters]);
      return result;
    });
  }

  /**
   * Runs `work` in a transaction on one connection: commits when it resolves, rolls back when it rejects, and runs it
   * again after a deadlock or lock timeout. The deadline is for all of it.
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

  /** Callers that have a connection, and callers that wait for one. */
  get callers(): { readonly running: number; readonly queued: number } {
    return this.#connections.callers;
  }

  /**
   * Calls the listener for every new connection, which may lead to another server. Returns a function that stops it.
   */
  onConnection(listener: () => void): () => void {
    return this.#connections.onNew(listener);
  }

  /** To be told of rows of a server that takes no writes. @param proof of the server */
  sawReadOnly(proof: string): void {
    this.#readOnly = { proof, at: Date.now() };
  }

  /** When the server with this proof was last seen to take no writes, ms since 1970 UTC; undefined: another one was, or none. */
  readOnlyAt(proof: string): number | undefined {
    return this.#readOnly?.proof === proof ? this.#readOnly.at : undefined;
  }

  /** Replaces every connection before its next use, at most once a second. Returns whether it does so now. */
  renewConnections(): boolean {
    return this.#connections.renew();
  }

  /** Every call that waits, or comes later, fails at once. */
  giveUp(): void {
    this.#connections.giveUp();
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** Runs a SELECT on the connection. */
  protected async read(
    connection: PoolConnection,
    sql: string,
    parameters: readonly Parameter[],
  ): Promise<ColumnValue[][]> {
    const [rows] = await connection.execute({ sql, rowsAsArray: true }, [...parameters]);
    return rows as unknown as ColumnValue[][];
  }

  async #rows(
    sql: string,
    parameters: readonly Parameter[],
    { first, ...options }: UseOptions & Pick<ReadOptions, 'first'>,
  ): Promise<ColumnValue[][]> {
    const work = async (connection: PoolConnection) => {
      if (first !== undefined) await first(connection);
      return await this.read(connection, sql, parameters);
    };
    const once = () => this.#connections.use(work, options);
    try {
      return await once();
    } catch (error) {
      if (!isBroken(error)) throw asThrown(error, sql);
      return await once().catch((again) => {
        throw asThrown(again, sql);
      });
    }
  }

  async #writing<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    try {
      return await retryDeadlocks(() => this.#connections.use(work, { once: true }), { attempts: ATTEMPTS });
    } catch (error) {
      throw asThrown(error);
    }
  }
}

/**
 * Another connection may succeed: this one broke, was closed by the server while idle, or stayed silent even after the
 * KILL. A statement that was only slow is not tried again, because it would be slow again.
 */
function isBroken(error: unknown): boolean {
  return mysqlFaultOf(error) === 'session' || isSilence(error);
}

function limiterOf(
  { concurrency, queue, waitMs }: HeavyBudget,
  { connections, deadlineMs }: ConnectionPoolOptions,
): Limiter {
  const refusal = () =>
    new HeavyQueriesBusy('MySQL: the limit of heavy queries is reached, and one more would wait too long');
  return new Limiter({
    concurrency: Math.max(1, Math.min(concurrency, connections - 1)),
    ...{ queue, waitMs: waitMs ?? deadlineMs, refusal },
  });
}

const SELECT = 'SELECT';

/**
 * The statement with a time limit that the server enforces. MariaDB and MySQL write it differently, and each takes the
 * other's syntax for a comment.
 * @throws RangeError when it does not begin with SELECT, which is where MySQL reads the limit
 */
function endedAfter(ms: number, statement: string): string {
  const text = statement.trimStart();
  if (!text.startsWith(SELECT)) throw new RangeError(`only a SELECT has a time limit: ${text.slice(0, 40)}`);
  const limited = `${SELECT} /*+ MAX_EXECUTION_TIME(${Math.ceil(ms)}) */${text.slice(SELECT.length)}`;
  return `/*M! SET STATEMENT max_statement_time=${ms / 1000} FOR */ ${limited}`;
}

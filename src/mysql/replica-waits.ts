import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { GtidSet } from '../contracts/gtid.ts';
import { type Deadline, DeadlineExceeded, withinDeadline } from '../timing/deadline.ts';
import type { AnswerDatabase, Database } from './database.ts';
import { DatabaseBusy, DatabaseUnavailable, HeavyQueriesBusy, mysqlFaultOf } from './faults.ts';

/** The replica does not have the transactions yet, cannot say whether it has, or does not answer. */
export class ReplicaBehind extends Error {
  override readonly name = 'ReplicaBehind';
}

interface ReplicaWaitsOptions {
  /** The longest wait of one statement, ms; 0: none waits. */
  readonly waitMs: number;
  /** How many wait at once. Each holds a connection, so fewer than there are. */
  readonly atOnce: number;
  /** Called when the replica cannot say whether it has the transactions. */
  readonly onFault: (error: unknown) => void;
}

/**
 * SQL: 1 once the server has these transactions, 0 if it does not get them in time. MariaDB and MySQL have different
 * functions, and to MySQL a timeout of 0 means to wait for ever.
 */
const HAS_IN_TIME: Readonly<Record<GtidSet['product'], { readonly now: string; readonly wait: string }>> = {
  mysql: {
    now: 'SELECT GTID_SUBSET(?, @@global.gtid_executed)',
    wait: 'SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?) = 0',
  },
  mariadb: {
    now: 'SELECT MASTER_GTID_WAIT(?, 0) = 0',
    wait: 'SELECT MASTER_GTID_WAIT(?, ?) = 0',
  },
};

/** How much of what is left of the deadline a statement of the replica may take: the rest is for the primary. */
const SHARE = 0.75;

/** How long a replica that did not answer is not asked again, ms: while it hangs, it costs few requests their share. */
const AWAY_MS = 1_000;

/** Faults that are the question's, not the connection's: no such function, no GTIDs there. */
const CANNOT_SAY = new Set<string | undefined>(['setup', 'row', 'unknown']);

/**
 * Reads a replica only after it has applied the transactions that a reader names.
 *
 * Every statement waits on its own connection, which usually costs one question: behind a load balancer the next
 * connection may lead to another replica, which is further behind.
 */
export class ReplicaWaits {
  readonly counts = { reached: 0, behind: 0, busy: 0, fault: 0, away: 0 };
  readonly #replica: Database;
  readonly #options: ReplicaWaitsOptions;
  #waiting = 0;
  /** Monotonic, ms. */
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(replica: Database, options: ReplicaWaitsOptions) {
    this.#replica = replica;
    this.#options = options;
  }

  /**
   * The replica, as a database whose statements first wait until it has these transactions. A statement throws
   * {@link ReplicaBehind} when that takes longer than the wait may, or than half of what is left of the deadline; when
   * too many are waiting; or when the replica does not answer within three quarters of what is left.
   */
  after(gtids: GtidSet, deadline?: Deadline): AnswerDatabase {
    const replica = this.#replica;
    const first = (connection: PoolConnection) => this.#reach(connection, gtids, deadline);
    return {
      isReplica: replica.isReplica,
      rows: (statement, parameters, options) =>
        this.#whileThere(options?.deadline, (part) =>
          replica.rows(statement, parameters, { ...options, deadline: part, first }),
        ),
      epochs: replica.epochs,
      renewConnections: () => replica.renewConnections(),
      sawReadOnly: (proof) => replica.sawReadOnly(proof),
    };
  }

  /** @throws ReplicaBehind when the replica does not answer, what `ask` throws otherwise */
  async #whileThere<T>(deadline: Deadline | undefined, ask: (part: Deadline | undefined) => Promise<T>): Promise<T> {
    if (performance.now() < this.#awayUntil) this.#refuse('away');
    const part = deadline?.within(deadline.leftMs * SHARE);
    try {
      return await withinDeadline(part, ask(part)); // ending a statement on a silent server takes a second more
    } catch (thrown) {
      const error = inQueue(thrown);
      if (!isAway(error)) throw error;
      deadline?.check(); // it is the request that is over
      if (error instanceof DatabaseBusy) this.#refuse('busy', error);
      this.#awayUntil = performance.now() + AWAY_MS;
      return this.#refuse('away', error);
    }
  }

  async #reach(connection: PoolConnection, { product, text }: GtidSet, deadline: Deadline | undefined): Promise<void> {
    const { now, wait } = HAS_IN_TIME[product];
    const { waitMs, atOnce } = this.#options;
    if (await this.#says(connection, now, [text])) return this.#count('reached');
    const ms = Math.min(waitMs, (deadline?.leftMs ?? waitMs * 2) / 2);
    if (ms < 1) this.#refuse('behind');
    if (this.#waiting >= atOnce) this.#refuse('busy');
    this.#waiting += 1;
    const reached = await this.#says(connection, wait, [text, ms / 1_000]).finally(() => {
      this.#waiting -= 1;
    });
    if (!reached) this.#refuse('behind');
    this.#count('reached');
  }

  async #says(connection: PoolConnection, question: string, parameters: (string | number)[]): Promise<boolean> {
    try {
      const [rows] = await connection.execute<RowDataPacket[][]>({ sql: question, rowsAsArray: true }, parameters);
      return Number(rows[0]?.[0]) === 1;
    } catch (error) {
      if (!CANNOT_SAY.has(mysqlFaultOf(error))) throw error;
      this.#options.onFault(error);
      return this.#refuse('fault', error);
    }
  }

  #count(outcome: keyof ReplicaWaits['counts']): void {
    this.counts[outcome] += 1;
  }

  #refuse(outcome: Exclude<keyof ReplicaWaits['counts'], 'reached'>, cause?: unknown): never {
    this.#count(outcome);
    throw new ReplicaBehind('the replica does not have the transactions', { cause });
  }
}

/** A part of the request's time that ended in a queue of this process says as much as a refusal to wait there. */
function inQueue(error: unknown): unknown {
  return error instanceof DeadlineExceeded && error.cause instanceof DatabaseBusy ? error.cause : error;
}

/** The limit of heavy queries is this process's own: it says nothing of the replica. */
function isAway(error: unknown): boolean {
  if (error instanceof HeavyQueriesBusy) return false;
  return error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded;
}

/**
 * Which MySQL server a statement's rows come from, said by the statement itself.
 *
 * A connection does not stay with the server that Recency knows: the primary is demoted under it, a failover leads the next
 * one to a server that lost commits, a proxy gives each statement to another server. So every statement whose rows matter
 * returns, with the epoch's token, whether it ran on the server that is on record (`recency_mysql_servers`, read in the
 * same snapshot) and whether that server takes writes. Rows of any other server count as rows of another epoch.
 *
 * Before the first comparison there is no record, and every server that takes writes will do.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Database, Parameter, Value } from './database.ts';
import { SERVER, SERVER_RUN } from './session.ts';
import { DatabaseNotPrimary } from './unavailable.ts';

type Rows = readonly (readonly Value[])[];

/** Is there no session set up by Recency, or one on another server? 0. No user variable inside the subquery: it is read once. */
const ON_RECORD = `IFNULL((SELECT MAX(identity) FROM recency_mysql_servers) IN (${SERVER}, ${SERVER_RUN}), ${SERVER} IS NOT NULL)`;

const STATE = `CONCAT(${ON_RECORD}, @@global.read_only, @@global.innodb_read_only)`;

/** SQL for the first two columns of a statement `FROM recency_epoch AS e`: see `readOwn` and `readAnswer`. */
export const EPOCH = `e.token, ${STATE}`;

/**
 * - `primary`: the server on record, which takes writes
 * - `replica`: takes no writes, so it may lack the latest ones
 * - `unknown`: takes writes, and is not the one on record: it may lack what that one had committed
 */
type Server = 'primary' | 'replica' | 'unknown';

/** MariaDB says ON and OFF, and newer ones have more words for on. */
function serverOf(state: Value | undefined): Server {
  const [, onRecord, readOnly] = /^([01])(.+)$/.exec(String(state)) ?? [];
  if (readOnly === undefined) return 'unknown';
  if (!/^(?:0|OFF){2}$/.test(readOnly)) return 'replica';
  return onRecord === '1' ? 'primary' : 'unknown';
}

export interface EpochRows {
  /** Of the same snapshot. Of an unknown server it is one that no index can have. */
  readonly epoch: string;
  /** Without the columns of `EPOCH`. */
  readonly rows: readonly (readonly Value[])[];
}

/**
 * What an index is written from, or a decision is made by: rows of the primary on record, and of no other server.
 * @param statement selects `EPOCH` first, and always has a row
 * @throws DatabaseNotPrimary, EpochMissing, DatabaseUnavailable, StatementTooSlow
 */
export async function readOwn(
  database: Database,
  statement: string,
  parameters: readonly Parameter[],
  withinMs?: number,
): Promise<EpochRows> {
  for (let isAgain = false; ; isAgain = true) {
    const rows = await database.rows(statement, parameters, withinMs);
    const server = serverOf(rowOf(rows)[1]);
    if (server === 'primary') return { epoch: String(rowOf(rows)[0]), rows: bare(rows) };
    // Perhaps only this connection is left over from before a failover.
    if (!database.renewConnections() || isAgain) throw new DatabaseNotPrimary(NOT_PRIMARY[server]);
  }
}

const NOT_PRIMARY: Readonly<Record<Exclude<Server, 'primary'>, string>> = {
  replica: 'MySQL takes no writes here (read_only): RECENCY_MYSQL_URL must lead to the primary',
  unknown: 'MySQL is another server than the one on record, and has not been compared with it yet',
};

export interface AnswerRows extends EpochRows {
  /** The rows may lack the latest changes. */
  readonly isReplica: boolean;
}

/**
 * What a reader is shown: any server may answer. The rows of one that takes no writes are those of a replica.
 * @param statement as for `readOwn`
 * @throws EpochMissing, DatabaseUnavailable, StatementTooSlow
 */
export async function readAnswer(
  database: Database,
  statement: string,
  parameters: readonly Parameter[],
): Promise<AnswerRows> {
  const rows = await database.rows(statement, parameters);
  const token = String(rowOf(rows)[0]);
  if (database.isReplica) return { epoch: token, rows: bare(rows), isReplica: true };
  const server = serverOf(rowOf(rows)[1]);
  if (server !== 'primary') database.renewConnections();
  return { epoch: server === 'unknown' ? UNKNOWN + token : token, rows: bare(rows), isReplica: server === 'replica' };
}

const UNKNOWN = '?';

function rowOf(rows: Rows): readonly Value[] {
  const [row] = rows;
  if (row === undefined) throw new EpochMissing();
  return row;
}

/** Each row is copied once, which is cheap: an answer has a dozen of them. */
function bare(rows: Rows): Value[][] {
  return rows.map((row) => row.slice(2));
}

/** A server as it describes itself. */
export interface ServerState {
  /** What is put on record: for a server that may lose commits when it crashes, each of its starts is another server. */
  readonly identity: string;
  readonly takesWrites: boolean;
  /** Is it the one on record, or is none? */
  readonly isOnRecord: boolean;
  /** The identity on record; undefined: none. */
  readonly recorded: string | undefined;
  /** Commits are not flushed one by one (innodb_flush_log_at_trx_commit is not 1). */
  readonly isRelaxed: boolean;
  /** Version and place, for people. */
  readonly description: string;
}

const SERVER_STATE = `
  SELECT ${STATE}, ${SERVER}, ${SERVER_RUN}, @@global.innodb_flush_log_at_trx_commit,
         CONCAT(VERSION(), ' at ', @@global.hostname, ':', @@global.port),
         (SELECT MAX(identity) FROM recency_mysql_servers)`;

/** @param on a database, or the connection of a transaction @throws DatabaseUnavailable */
export async function readServer(on: Database | Connection): Promise<ServerState> {
  const [row] = 'transaction' in on ? await on.rows(SERVER_STATE, []) : await rowsOn(on, SERVER_STATE);
  const [state, server, run, flush, description, onRecord] = row ?? [];
  const recorded = onRecord === null ? undefined : String(onRecord);
  const isRelaxed = Number(flush) !== 1;
  const identity = String(isRelaxed ? run : server);
  return {
    identity,
    takesWrites: serverOf(state) !== 'replica',
    // A server whose record is of before it was relaxed may have lost commits since.
    isOnRecord: serverOf(state) === 'primary' && (!isRelaxed || recorded === undefined || recorded === identity),
    recorded,
    isRelaxed,
    description: String(description),
  };
}

async function rowsOn(connection: Connection, sql: string): Promise<Value[][]> {
  const [rows] = await connection.query<RowDataPacket[]>({ sql, rowsAsArray: true });
  return rows as unknown as Value[][];
}

/** @throws DatabaseNotPrimary when the server takes no writes */
export function mustTakeWrites({ takesWrites, description }: ServerState): void {
  if (!takesWrites) throw new DatabaseNotPrimary(`${NOT_PRIMARY.replica} (now ${description})`);
}

export class EpochMissing extends Error {
  override readonly name = 'EpochMissing';
  constructor() {
    super('The table recency_epoch is empty. Run `recency migrate` to put it right.');
  }
}

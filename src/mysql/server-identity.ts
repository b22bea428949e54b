/**
 * Which MySQL server a statement's rows come from, said by the statement itself.
 *
 * A connection does not stay with the server that Recency knows: the primary is demoted under it, a failover leads the next
 * one to a server that lost commits, a proxy gives each statement to another server. So every statement whose rows matter
 * returns, with the epoch's token, the proof of the server it ran on and whether that one takes writes. Rows of a server
 * that is not on record under this token (`recency_mysql_servers`) count as rows of another epoch.
 *
 * Before the first comparison there is no record, and every server that takes writes will do.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { UserError } from '../contracts/user-error.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Database, Parameter, ReadOptions, Value } from './database.ts';
import { PROOF, SERVER } from './session.ts';
import { DatabaseNotPrimary } from './unavailable.ts';

type Rows = readonly (readonly Value[])[];

/** NULL in a session that Recency has not set up. */
const STATE = `CONCAT(${PROOF}, @@global.read_only)`;

/** SQL for the first two columns of a statement `FROM recency_epoch AS e`: see `readOwn` and `readAnswer`. */
export const EPOCH = `e.token, ${STATE}`;

/**
 * - `primary`: the server on record, which takes writes
 * - `replica`: takes no writes, so it may lack the latest ones
 * - `unknown`: takes writes, and is not the one on record: it may lack what that one had committed
 */
type Server = 'primary' | 'replica' | 'unknown';

const STATES = /^([0-9a-f]{12})(.+)$/;

/** Takes it writes? MariaDB says ON and OFF, and newer ones have more words for on. */
const WRITABLE = /^(?:0|OFF)$/;

/** @param token of the same row */
async function serverOf(
  database: Database,
  token: string,
  state: Value | undefined,
  deadline: Deadline | undefined,
): Promise<Server> {
  const [, proof, readOnly = ''] = STATES.exec(String(state)) ?? [];
  if (proof === undefined) return 'unknown';
  if (!WRITABLE.test(readOnly)) return 'replica';
  const onRecord = await database.proofUnder(token, deadline);
  return onRecord === proof || onRecord === '' ? 'primary' : 'unknown';
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
  options?: ReadOptions,
): Promise<EpochRows> {
  for (let isAgain = false; ; isAgain = true) {
    const rows = await database.rows(statement, parameters, options);
    const [token, state] = rowOf(rows);
    const server = await serverOf(database, String(token), state, options?.deadline);
    if (server === 'primary') return { epoch: String(token), rows: bare(rows) };
    // Perhaps only this connection is left over from before a failover.
    if (!database.renewConnections() || isAgain) throw new DatabaseNotPrimary(NOT_PRIMARY[server]);
  }
}

const NOT_PRIMARY: Readonly<Record<Exclude<Server, 'primary'> | 'session', string>> = {
  replica: 'MySQL takes no writes here (read_only): RECENCY_MYSQL_URL must lead to the primary',
  unknown: 'MySQL is another server than the one on record, and has not been compared with it yet',
  session: 'The session was not set up by Recency, or before the server was told to flush less',
};

export interface AnswerRows extends EpochRows {
  /** The rows may lack the latest changes. */
  readonly isReplica: boolean;
}

/**
 * What a reader is shown: any server may answer. The rows of one that is not the primary on record are those of a replica.
 * @param statement as for `readOwn`
 * @throws EpochMissing, DatabaseUnavailable, StatementTooSlow
 */
export async function readAnswer(
  database: Database,
  statement: string,
  parameters: readonly Parameter[],
  options?: ReadOptions,
): Promise<AnswerRows> {
  const rows = await database.rows(statement, parameters, options);
  const [first, state] = rowOf(rows);
  const token = String(first);
  if (database.isReplica) return { epoch: token, rows: bare(rows), isReplica: true };
  const server = await serverOf(database, token, state, options?.deadline);
  if (server !== 'primary') database.renewConnections();
  return { epoch: server === 'unknown' ? UNKNOWN + token : token, rows: bare(rows), isReplica: server !== 'primary' };
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
  SELECT ${STATE}, ${SERVER}, @@global.innodb_flush_log_at_trx_commit,
         CONCAT(VERSION(), ' at ', @@global.hostname, ':', @@global.port),
         (SELECT MAX(identity) FROM recency_mysql_servers)`;

/**
 * The server behind a session, and the one on record now.
 * @param on a database, or the connection of a transaction
 * @throws DatabaseNotPrimary where the session was not set up, or before the server's durability changed; DatabaseUnavailable
 */
export async function readServer(on: Database | Connection): Promise<ServerState> {
  const [row] = 'transaction' in on ? await on.rows(SERVER_STATE, []) : await rowsOn(on, SERVER_STATE);
  const [state, server, flush, description, onRecord] = row ?? [];
  const identity = String(server);
  const isRelaxed = Number(flush) !== 1;
  if (!STATES.test(String(state)) || (isRelaxed && !isOneRun(identity)))
    throw new DatabaseNotPrimary(NOT_PRIMARY.session);
  const recorded = onRecord === null ? undefined : String(onRecord);
  return {
    identity,
    takesWrites: !identity.startsWith('replica:') && WRITABLE.test(STATES.exec(String(state))?.[2] ?? ''),
    isOnRecord: recorded === undefined || recorded === identity,
    recorded,
    isRelaxed,
    description: String(description),
  };
}

/** Does the identity stand for one run of a server only? */
function isOneRun(identity: string): boolean {
  return identity.includes('@');
}

/** The server, whichever of its runs. */
export function serverIn(identity: string): string {
  return identity.replace(/@.*/, '');
}

async function rowsOn(connection: Connection, sql: string): Promise<Value[][]> {
  const [rows] = await connection.query<RowDataPacket[]>({ sql, rowsAsArray: true });
  return rows as unknown as Value[][];
}

/** @throws DatabaseNotPrimary when the server takes no writes */
export function mustTakeWrites({ takesWrites, description }: ServerState): void {
  if (!takesWrites) throw new DatabaseNotPrimary(`${NOT_PRIMARY.replica} (now ${description})`);
}

export class EpochMissing extends UserError {
  override readonly name = 'EpochMissing';
  constructor() {
    super('The table recency_epoch is empty. Run `recency migrate` to put it right.');
  }
}

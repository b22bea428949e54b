import { tlsFaultOf } from '../config/tls.ts';
import { isSystemError } from '../contracts/system-error.ts';
import { UserError } from '../contracts/user-error.ts';
import { retry } from '../timing/loop.ts';
import { refusalRemedy } from './refusals.ts';

/**
 * MySQL cannot answer now: it is unreachable, refuses, or did not answer in time. Nothing is wrong with the statement.
 */
export class DatabaseUnavailable extends UserError {
  override readonly name = 'DatabaseUnavailable';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return refusalRemedy(this) ?? 'Check that MySQL is running; `recency doctor` says more.';
  }
}

/** Every connection is in use and none would become free in time. */
export class DatabaseBusy extends DatabaseUnavailable {}

/** The limit of heavy queries is reached, and one more would wait too long in the queue. */
export class HeavyQueriesBusy extends DatabaseBusy {}

/** The server is read-only, or is not the primary on record, so its rows must not be relied on. */
export class DatabaseNotPrimary extends DatabaseUnavailable {}

/** MySQL ended a statement at its time limit: the server works, but the question takes longer than that. */
export class StatementTooSlow extends UserError {
  override readonly name = 'StatementTooSlow';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'It exceeded its time limit; `recency doctor` says whether an index is missing.';
  }
}

/** The error code of a call that returned nothing in time. */
export const DEADLINE = 'DEADLINE';

/** The code of an error of MySQL, its client or the operating system; '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * The cause of an error of MySQL or its client:
 * - `away`: the server is unavailable; the same work will succeed later
 * - `session`: this connection broke; the same work will succeed on another one
 * - `setup`: tables, views, columns or permissions are wrong; no work will succeed until a person fixes that
 * - `slow`: the answer took too long. Only another question can tell whether the server or the question is slow
 * - `row`: the content of a row, or what was asked; other work will succeed
 * - `unknown`: none of these
 */
export type MysqlFault = 'away' | 'session' | 'setup' | 'slow' | 'row' | 'unknown';

/** By the code of an error that the server did not send. */
const CLIENT: Readonly<Record<string, MysqlFault>> = {
  AUTH_SWITCH_PLUGIN_ERROR: 'setup',
  HANDSHAKE_NO_SSL_SUPPORT: 'setup',
  HANDSHAKE_SSL_ERROR: 'away', // unless a certificate is at fault: also a server that stops during the handshake
  [DEADLINE]: 'slow',
};

/** By error number; a number that both MySQL and MariaDB know means the same on both. */
export const SERVER: Readonly<Record<number, MysqlFault>> = {
  1020: 'away', // ER_CHECKREAD: lost to others too often
  1021: 'away', // ER_DISK_FULL
  1030: 'away', // ER_GET_ERRNO: the storage engine failed
  1037: 'away', // ER_OUTOFMEMORY
  1040: 'away', // ER_CON_COUNT_ERROR
  1041: 'away', // ER_OUT_OF_RESOURCES
  1047: 'away', // ER_UNKNOWN_COM_ERROR: what a Galera node says that is not in its cluster
  1053: 'away', // ER_SERVER_SHUTDOWN
  1077: 'away', // ER_NORMAL_SHUTDOWN
  1114: 'away', // ER_RECORD_FILE_FULL: no room for temporary tables
  1129: 'away', // ER_HOST_IS_BLOCKED
  1135: 'away', // ER_CANT_CREATE_THREAD
  1180: 'away', // ER_ERROR_DURING_COMMIT: what a Galera node says that has left its cluster before the commit
  1203: 'away', // ER_TOO_MANY_USER_CONNECTIONS
  1205: 'away', // ER_LOCK_WAIT_TIMEOUT: lost to others too often
  1206: 'away', // ER_LOCK_TABLE_FULL
  1213: 'away', // ER_LOCK_DEADLOCK: likewise
  1226: 'away', // ER_USER_LIMIT_REACHED
  1290: 'away', // ER_OPTION_PREVENTS_STATEMENT: read-only
  1317: 'away', // ER_QUERY_INTERRUPTED: by a person or a shutdown
  1467: 'away', // ER_AUTOINC_READ_FAILED: InnoDB gave the lock of the counter to others
  1461: 'away', // ER_MAX_PREPARED_STMT_COUNT_REACHED
  1792: 'away', // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836: 'away', // ER_READ_ONLY_MODE
  1927: 'away', // ER_CONNECTION_KILLED (MariaDB)
  3032: 'away', // ER_SERVER_OFFLINE_MODE
  1158: 'session', // ER_NET_READ_ERROR
  1159: 'session', // ER_NET_READ_INTERRUPTED
  1160: 'session', // ER_NET_ERROR_ON_WRITE
  1161: 'session', // ER_NET_WRITE_INTERRUPTED
  1184: 'session', // ER_NEW_ABORTING_CONNECTION
  1243: 'session', // ER_UNKNOWN_STMT_HANDLER: another server is behind the connection now
  1615: 'session', // ER_NEED_REPREPARE
  4031: 'session', // ER_CLIENT_INTERACTION_TIMEOUT
  1046: 'setup', // ER_NO_DB_ERROR
  1194: 'setup', // ER_CRASHED_ON_USAGE
  1267: 'setup', // ER_CANT_AGGREGATE_2COLLATIONS
  1356: 'setup', // ER_VIEW_INVALID
  1449: 'setup', // ER_NO_SUCH_USER: a view's definer is gone
  1812: 'setup', // ER_TABLESPACE_MISSING
  1820: 'setup', // ER_MUST_CHANGE_PASSWORD
  1932: 'setup', // ER_NO_SUCH_TABLE_IN_ENGINE (MariaDB)
  3159: 'setup', // ER_SECURE_TRANSPORT_REQUIRED
  3118: 'setup', // ER_ACCOUNT_HAS_BEEN_LOCKED
  4151: 'setup', // ER_ACCOUNT_HAS_BEEN_LOCKED (MariaDB)
  1969: 'slow', // ER_STATEMENT_TIMEOUT (MariaDB)
  3024: 'slow', // ER_QUERY_TIMEOUT (MySQL)
  1104: 'row', // ER_TOO_BIG_SELECT: more rows than max_join_size lets it read
  1139: 'row', // ER_REGEXP_ERROR
  1153: 'row', // ER_NET_PACKET_TOO_LARGE
  1644: 'row', // ER_SIGNAL_EXCEPTION: raised by a function in a view
  3140: 'row', // ER_INVALID_JSON_TEXT
  3141: 'row', // ER_INVALID_JSON_TEXT_IN_PARAM
  3146: 'row', // ER_INVALID_TYPE_FOR_JSON
  3156: 'row', // ER_INVALID_JSON_VALUE_FOR_CAST
};

/** By class of SQLSTATE, for numbers not listed above. */
const SQLSTATE: Readonly<Record<string, MysqlFault>> = {
  '08': 'session', // connection exception
  '21': 'row', // cardinality: 1242, a subquery of a view returns more than one row
  '22': 'row', // data: 1264, 1292, 1365, 1406, 1441, 1690, …
  '28': 'setup', // invalid authorization
  '3D': 'setup', // no database
  '40': 'away', // rolled back in favour of other transactions
  '42': 'setup', // syntax or access: 1044, 1054, 1142, 1143, 1146, 1227, 1305, 1370, …
};

/** mysql2's message, without a code, about a connection that has just broken. */
const CLOSED = /^Can't (add new command when connection is|write) in closed state$/;

/** What breaks a connection that has been made. */
const ON_THE_WIRE = new Set(['read', 'write', 'writev', 'shutdown']);

/**
 * The fault of an error that the server did not send, by where it comes from: all that happens while connecting means that no
 * server can be had, and all that happens to a connection means that another one may be better.
 */
function clientFaultOf(error: Error): MysqlFault | undefined {
  if (tlsFaultOf(error) !== undefined) return 'setup';
  const known = CLIENT[codeOf(error)];
  if (known !== undefined) return known;
  if (isSystemError(error)) return ON_THE_WIRE.has(error.syscall ?? '') ? 'session' : 'away';
  return isFatal(error) || CLOSED.test(error.message) ? 'session' : undefined;
}

/** mysql2 says so of whatever has ended a connection. */
function isFatal(error: Error): boolean {
  return 'fatal' in error && error.fatal === true;
}

/** Was there no answer of a server, because it cannot be reached or the connection broke? */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || 'sqlState' in error) return false;
  const fault = clientFaultOf(error);
  return fault === 'away' || fault === 'session';
}

/** Returns undefined when the error is not MySQL's. */
export function mysqlFaultOf(error: unknown): MysqlFault | undefined {
  if (error instanceof DatabaseUnavailable) {
    const cause = mysqlFaultOf(error.cause);
    return cause === 'slow' ? 'slow' : 'away'; // a session that broke twice means an unavailable server
  }
  if (error instanceof StatementTooSlow) return 'slow';
  if (!(error instanceof Error)) return undefined;
  if (!('sqlState' in error)) return clientFaultOf(error);
  const errno = 'errno' in error ? Number(error.errno) : 0;
  return SERVER[errno] ?? SQLSTATE[String(error.sqlState).slice(0, 2)] ?? 'unknown';
}

/** Has the server refused what it was asked, for a reason that does not pass: a row, a view, a table, a right? @param error as thrown */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error;
}

/** Did MySQL itself end the statement at its time limit? Then the server works and the question takes too long. */
function isStatementTimeout(error: unknown): boolean {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  return errno === 1969 || errno === 3024;
}

/** The faults that mean that MySQL is unavailable now. */
const UNAVAILABLE = new Set<string>(['session', 'slow', 'away'] satisfies MysqlFault[]);

const VIEW = /\brecency_(?:contacts|photos|groups|group_photos)(?:_\d+)?\b/g;

/** Which views a statement waited for when no answer came: one of them may have become slow. */
function waitedFor(error: unknown, statement: string): string {
  const views = [...new Set(statement.match(VIEW) ?? [])];
  return codeOf(error) !== DEADLINE || views.length === 0 ? '' : ` to a question about ${views.join(' and ')}`;
}

/**
 * The error that callers of the database are told of: most faults of a server are `DatabaseUnavailable`.
 * @param statement that was read
 */
export function asThrown(error: unknown, statement = ''): unknown {
  if (isStatementTimeout(error)) return new StatementTooSlow(`MySQL: ${(error as Error).message}`, { cause: error });
  if (error instanceof DatabaseUnavailable || !UNAVAILABLE.has(mysqlFaultOf(error) ?? '')) return error;
  const message = `MySQL is not available: ${(error as Error).message}${waitedFor(error, statement)}`;
  return new DatabaseUnavailable(message, { cause: error });
}

/** EXPLAIN of a view needs rights on what is under it (SHOW VIEW), which a read-only account may lack. */
export function isExplainRefused(error: unknown): boolean {
  return codeOf(error) === 'ER_VIEW_NO_EXPLAIN';
}

export interface LostRaceOptions {
  /** The maximum number of attempts. */
  readonly attempts?: number;
  /** From 0 up to 1, for the jitter. */
  readonly random?: () => number;
}

/**
 * ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, ER_AUTOINC_READ_FAILED and ER_CHECKREAD (MariaDB from 11.6.2, `innodb_snapshot_isolation`: a row has changed
 * since this snapshot began): InnoDB rolled this one back in favour of others; another attempt may succeed.
 */
const LOST_TO_OTHERS = new Set([1213, 1205, 1467, 1020]);

const LONGEST_WAIT_MS = 500;

/**
 * Runs work that InnoDB may roll back in favour of others, and runs it again after a random wait.
 * @throws errors of the work; after lost races the last one
 */
export async function retryDeadlocks<T>(
  work: () => Promise<T>,
  { attempts = 20, random = Math.random }: LostRaceOptions = {},
): Promise<T> {
  const onFailure = (error: unknown, failures: number) => {
    const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    if (!LOST_TO_OTHERS.has(errno) || failures >= attempts) throw error;
    return random() * Math.min(LONGEST_WAIT_MS, 2 ** (failures + 1));
  };
  return await retry(work, { onFailure });
}

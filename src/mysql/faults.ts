import { tlsFaultOf } from '../config/tls.ts';
import { isSystemError } from '../contracts/system-error.ts';
import { UserError } from '../contracts/user-error.ts';
import { retry } from '../timing/loop.ts';
import { faultOfNumber, type MysqlFault } from './error-numbers.ts';
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

/** By the code of an error that the server did not send. */
const CLIENT: Readonly<Record<string, MysqlFault>> = {
  AUTH_SWITCH_PLUGIN_ERROR: 'setup',
  HANDSHAKE_NO_SSL_SUPPORT: 'setup',
  HANDSHAKE_SSL_ERROR: 'away', // unless a certificate is at fault: also a server that stops during the handshake
  [DEADLINE]: 'slow',
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
  return faultOfNumber(errno, String(error.sqlState));
}

/**
 * Does it concern only the rows that were read, as far as is known? A server's error that is not known to be about the server or the setup
 * counts as that of a row.
 */
export function isOfRow(error: unknown): boolean {
  const fault = mysqlFaultOf(error);
  return fault === 'row' || fault === 'unknown';
}

/** Has the server refused what it was asked, for a reason that does not pass: a row, a view, a table, a right? @param error as thrown */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error;
}

/** For a question to which a refusal is an answer. @throws what is not a refusal */
export function unlessRefused(error: unknown): void {
  if (!isRefused(error)) throw error;
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

/**
 * The epoch: the token under which indexes are valid. Indexes of any other token are cold.
 *
 * Every statement whose rows matter returns, in one snapshot, the epoch's token, the proof of the server it ran on, and
 * whether that server takes writes. A connection does not stay with the server that Recency knows: the primary is
 * demoted under it, a failover leads the next one to a server that lost commits, a proxy gives each statement to
 * another server. The token names the server on record (see epoch-token.ts and server-record.ts), and rows of any other
 * count as rows of another epoch. Before the first comparison it names none, and any server that takes writes is accepted;
 * that comparison begins an epoch of its own.
 */
import { randomBytes } from 'node:crypto';
import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import { UserError } from '../contracts/user-error.ts';
import type { AnswerDatabase, ColumnValue, Database, Parameter, ReadOptions } from './database.ts';
import { isSuspended, serverOn, suspendedToken, tokenOn } from './epoch-token.ts';
import { DatabaseNotPrimary } from './faults.ts';
import { parseState, STATE } from './session.ts';

/** The epoch in force. Its token says whether it is suspended ({@link isSuspended}). */
export interface EpochRow {
  readonly token: string;
  /** Why it began or was suspended, for people. */
  readonly why: string;
  /** When it began or was suspended, ms since 1970 UTC. */
  readonly bumpedAt: number;
}

/** @param why for people */
export function nextEpoch(why: string): NextEpoch {
  return { nonce: randomBytes(6).toString('base64url'), why, bumpedAt: Date.now() };
}

/** The table `recency_epoch` has no row. */
export class EpochMissing extends UserError {
  override readonly name = 'EpochMissing';
  constructor() {
    super('The table recency_epoch is empty. Run `recency migrate` to fix it.');
  }
}

/** An epoch that begins, on the server that is on record or comes on record with it. */
export interface NextEpoch extends Omit<EpochRow, 'token'> {
  /** See {@link tokenOn}. */
  readonly nonce: string;
}

const READ = 'SELECT token, why, bumped_at FROM recency_epoch';
const LOCK = 'SELECT token FROM recency_epoch FOR UPDATE';
const WRITE = 'UPDATE recency_epoch SET token = ?, why = ?, bumped_at = ?';
const RENEW = 'UPDATE recency_epoch SET token = ?';
const FORGET_LOSSES = "DELETE FROM recency_settings WHERE name LIKE 'loss:%'";

/** @throws EpochMissing, DatabaseUnavailable */
export async function readEpoch(database: Database): Promise<EpochRow> {
  const [row] = await database.rows(READ, []);
  if (row === undefined) throw new EpochMissing();
  return { token: String(row[0]), why: String(row[1]), bumpedAt: Number(row[2]) };
}

/**
 * Makes every index cold, and ends a suspension.
 * @returns the token of the new epoch
 * @throws EpochMissing, DatabaseUnavailable
 */
export function writeEpoch(database: Database, next: NextEpoch): Promise<string> {
  return database.transaction(async (connection) => {
    return await beginEpoch(connection, serverOn(await lockEpoch(connection)), next);
  });
}

/**
 * Makes every index cold. A suspended epoch stays suspended, because the consumers still have to catch up.
 * @throws EpochMissing, DatabaseUnavailable
 */
export function renewEpoch(database: Database, next: NextEpoch): Promise<'new_epoch' | 'suspended'> {
  return database.transaction((connection) => bump(connection, next));
}

/**
 * Lets only one process at a time decide about the epoch, so that one loss begins one new epoch.
 * @returns the token in force
 * @throws EpochMissing
 */
export async function lockEpoch(connection: PoolConnection): Promise<string> {
  const [[row]] = await connection.query<RowDataPacket[]>(LOCK);
  if (row === undefined) throw new EpochMissing();
  return String(row.token);
}

/**
 * {@link renewEpoch} within the caller's transaction. A suspended epoch gets another token and stays suspended.
 * @param server proof of the one that comes on record; left out: whichever is stays
 * @throws EpochMissing
 */
export async function bump(
  connection: PoolConnection,
  next: NextEpoch,
  server?: string,
): Promise<'new_epoch' | 'suspended'> {
  const old = await lockEpoch(connection);
  const onRecord = server ?? serverOn(old);
  if (isSuspended(old)) {
    await connection.execute(RENEW, [suspendedToken(tokenOn(onRecord, next.nonce))]);
    return 'suspended';
  }
  await beginEpoch(connection, onRecord, next);
  return 'new_epoch';
}

/** Suspends the epoch within the caller's transaction. If it is suspended already, only its token changes. @throws EpochMissing */
export async function suspend(connection: PoolConnection, { nonce, why, bumpedAt }: NextEpoch): Promise<void> {
  const old = await lockEpoch(connection);
  const token = suspendedToken(tokenOn(serverOn(old), nonce));
  if (isSuspended(old)) await connection.execute(RENEW, [token]);
  else await connection.execute(WRITE, [token, why.slice(0, 255), bumpedAt]);
}

/**
 * Begins the epoch and forgets all known losses. The caller's transaction holds the lock.
 * @param server proof of the one on record; undefined: none is
 * @returns the token
 */
export async function beginEpoch(
  connection: PoolConnection,
  server: string | undefined,
  { nonce, why, bumpedAt }: NextEpoch,
): Promise<string> {
  const token = tokenOn(server, nonce);
  await connection.query(FORGET_LOSSES);
  await connection.execute(WRITE, [token, why.slice(0, 255), bumpedAt]);
  return token;
}

/**
 * The outcome of comparing servers with those on record:
 * - `known`: all of them are on record
 * - `first`: none was on record; they are now, and a new epoch has begun
 * - `new_epoch`: one is new, so commits may be lost: a new epoch has begun
 * - `suspended`: the same while the epoch is suspended: no index is trusted, and a new epoch begins when that ends
 */
export type Recorded = 'known' | 'first' | 'new_epoch' | 'suspended';

/** SQL: the last two columns of a statement `FROM recency_epoch AS e` for `readOwn` and `readAnswer`. */
export const EPOCH = `e.token, ${STATE}`;

export interface EpochRows {
  /** The token of the same snapshot. Rows of an unknown server have one that no index can have. */
  readonly epoch: string;
  /** They end with the columns of `EPOCH`. */
  readonly rows: readonly (readonly ColumnValue[])[];
}

/**
 * Rows from which an index is written or a decision is made: only from the primary on record.
 * @param statement selects `EPOCH` last and always has a row
 * @throws DatabaseNotPrimary, EpochMissing, DatabaseUnavailable, StatementTooSlow
 */
export async function readOwn(
  database: Database,
  statement: string,
  parameters: readonly Parameter[],
  options?: ReadOptions,
): Promise<EpochRows> {
  for (let isAgain = false; ; isAgain = true) {
    const { token, rows, server } = await readFrom(database, statement, parameters, options);
    if (server === 'primary') return { epoch: token, rows };
    // Perhaps only this connection is left over from before a failover.
    if (!database.renewConnections() || isAgain) throw new DatabaseNotPrimary(NOT_PRIMARY[server]);
  }
}

export interface AnswerRows extends EpochRows {
  /** The rows may lack the latest changes. */
  readonly isReplica: boolean;
}

/**
 * Rows that are only shown to a reader, from any server. Those of a server that is not the primary on record count as a
 * replica's.
 * @param statement as for `readOwn`
 * @throws EpochMissing, DatabaseUnavailable, StatementTooSlow
 */
export async function readAnswer(
  database: AnswerDatabase,
  statement: string,
  parameters: readonly Parameter[],
  options?: ReadOptions,
): Promise<AnswerRows> {
  const { token, rows, server } = await readFrom(database, statement, parameters, options);
  if (database.isReplica) return { epoch: token, rows, isReplica: true };
  if (server !== 'primary') database.renewConnections();
  return { epoch: token, rows, isReplica: server !== 'primary' };
}

/**
 * - `primary`: the server on record, which takes writes
 * - `replica`: read-only, so it may lack the latest writes
 * - `unknown`: takes writes but is not on record: it may lack what the primary had committed
 */
type Server = 'primary' | 'replica' | 'unknown';

/** Why rows of other servers are refused. */
export const NOT_PRIMARY: Readonly<Record<Exclude<Server, 'primary'>, string>> = {
  replica: 'MySQL takes no writes here (read_only): RECENCY_MYSQL_URL must lead to the primary',
  unknown: 'MySQL is another server than the one on record, and has not been compared with it yet',
};

/** A mark that no index's token has. */
const UNKNOWN = '?';

interface RowsOfServer {
  /** One that no index can have where the epoch is not known to be the one in force. */
  readonly token: string;
  readonly rows: readonly (readonly ColumnValue[])[];
  readonly server: Server;
}

/** Rows and the server that they came from, as their own snapshot says. A replica by design need not be the one on record. */
async function readFrom(
  database: AnswerDatabase,
  statement: string,
  parameters: readonly Parameter[],
  options?: ReadOptions,
): Promise<RowsOfServer> {
  const askedAt = performance.now();
  const rows = await database.rows(statement, parameters, options);
  const [first] = rows;
  if (first === undefined) throw new EpochMissing();
  const token = String(first.at(-2));
  const state = parseState(first.at(-1));
  if (state === undefined) return { token: UNKNOWN + token, rows, server: 'unknown' };
  const { proof, isWritable } = state;
  const onRecord = serverOn(token);
  if (!isWritable) database.sawReadOnly(proof);
  if (database.isReplica || !isWritable) {
    const isInForce = onRecord === database.epochs.server;
    return { token: isInForce ? token : UNKNOWN + token, rows, server: 'replica' };
  }
  if (onRecord !== undefined && onRecord !== proof) return { token: UNKNOWN + token, rows, server: 'unknown' };
  database.epochs.saw(token, askedAt);
  return { token, rows, server: 'primary' };
}

const PROVEN = `SELECT ${EPOCH} FROM recency_epoch AS e`;

/**
 * The token of the epoch, from the primary on record.
 * @throws DatabaseNotPrimary, EpochMissing, DatabaseUnavailable
 */
export async function readProvenEpoch(server: Database, by?: Pick<ReadOptions, 'deadline'>): Promise<string> {
  return (await readOwn(server, PROVEN, [], by)).epoch;
}

/** The connection on which the schema is changed: its errors, its set-up, and the lock of the schema. */
import { createHash } from 'node:crypto';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { tlsFaultOf, tlsSentence } from '../config/tls.ts';
import { isSupported, mysqlProductOf, OLDEST_VERSIONS, otherProductOf } from '../contracts/server-versions.ts';
import { UserError } from '../contracts/user-error.ts';
import { codeOf, isUnreachable } from './faults.ts';
import { setUpSession } from './session.ts';
import { type MysqlTls, tlsOptions } from './tls.ts';

/** Stable names of the reasons why a schema cannot be made. */
type SchemaErrorCode =
  | 'bad_url'
  | 'unreachable'
  | 'access_denied'
  | 'database_missing'
  | 'server_too_old'
  | 'locked'
  | 'lock_lost'
  | 'site_tables'
  | 'newer_schema'
  | 'not_permitted'
  | 'failed';

/** Why the schema could not be read or changed. */
export class SchemaError extends UserError {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_SPECIFIC_ACCESS_DENIED_ERROR']);

/** Turns any error of a statement into a SchemaError. The driver's message names the object, never the password. */
export function asSchemaError(error: unknown, user: string, database: string): SchemaError {
  if (error instanceof SchemaError) return error;
  const reason = error instanceof Error && 'sqlMessage' in error ? String(error.sqlMessage) : String(error);
  if (!DENIED.has(codeOf(error))) {
    return new SchemaError('failed', `The schema could not be brought up to date: ${reason}`, { cause: error });
  }
  return new SchemaError(
    'not_permitted',
    `MySQL does not let user "${user}" change the schema of "${database}": ${reason}. ` +
      `As an administrator: GRANT ALL ON \`${database}\`.* TO the user, or migrate as a user who has it.`,
    { cause: error },
  );
}

/** Where the schema is: the parts of a URL `mysql://user:password@host:port/database`. */
export interface SchemaAddress {
  readonly url: string;
  /** host:port, for messages. */
  readonly server: string;
  readonly user: string;
  readonly database: string;
  readonly tls?: MysqlTls | undefined;
}

/** @throws SchemaError bad_url */
export function parseAddress(url: string, tls?: MysqlTls): SchemaAddress {
  const parsed = URL.parse(url);
  const database = decodeURIComponent(parsed?.pathname.slice(1) ?? '');
  if (parsed === null || parsed.protocol !== 'mysql:' || parsed.hostname === '' || database === '') {
    const example = 'mysql://user:password@host:3306/recency';
    throw new SchemaError('bad_url', `The MySQL address must name a server and a database, as ${example}.`);
  }
  const user = decodeURIComponent(parsed.username);
  return { url, server: `${parsed.hostname}:${parsed.port || '3306'}`, user, database, tls };
}

/** Connects to the database, which must exist. @throws SchemaError */
export async function connect(address: SchemaAddress, connectTimeoutMs: number): Promise<Connection> {
  let connection: Connection | undefined;
  try {
    const { url: uri, tls } = address;
    connection = await createConnection({
      uri,
      connectTimeout: connectTimeoutMs,
      charset: 'utf8mb4',
      ...tlsOptions(tls),
    });
    await setUpSession(connection, { statementMs: 0 });
    return connection;
  } catch (error) {
    connection?.destroy();
    throw explain(error, address);
  }
}

/** Connects to the database, and creates it when it is missing. @throws SchemaError */
export async function connectOrCreate(
  address: SchemaAddress,
  connectTimeoutMs: number,
): Promise<{ connection: Connection; created: boolean }> {
  try {
    return { connection: await connect(address, connectTimeoutMs), created: false };
  } catch (error) {
    if (!(error instanceof SchemaError) || error.code !== 'database_missing') throw error;
    await createDatabase(address, connectTimeoutMs, error);
    return { connection: await connect(address, connectTimeoutMs), created: true };
  }
}

async function createDatabase(address: SchemaAddress, connectTimeoutMs: number, missing: SchemaError): Promise<void> {
  const serverUrl = new URL(address.url);
  serverUrl.pathname = '/';
  const connection = await connect({ ...address, url: serverUrl.href }, connectTimeoutMs);
  try {
    await connection.query('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4', [address.database]);
  } catch (error) {
    throw codeOf(error) === 'ER_DBACCESS_DENIED_ERROR' ? missing : explain(error, address);
  } finally {
    await connection.end();
  }
}

const TLS_SETTINGS = { ca: 'RECENCY_MYSQL_TLS_CA', cert: 'RECENCY_MYSQL_TLS_CERT', tls: 'RECENCY_MYSQL_TLS' };

function explain(error: unknown, { server, user, database }: SchemaAddress): SchemaError {
  const code = codeOf(error);
  const fault = tlsFaultOf(error);
  if (fault !== undefined && !(error instanceof Error && 'sqlState' in error)) {
    return new SchemaError('unreachable', tlsSentence(fault, `MySQL at ${server}`, TLS_SETTINGS), { cause: error });
  }
  if (isUnreachable(error)) {
    const message = `No MySQL answers at ${server} (${code}). Start it, or set RECENCY_MYSQL_URL to where it is.`;
    return new SchemaError('unreachable', message, { cause: error });
  }
  if (code === 'ER_ACCESS_DENIED_ERROR') {
    const message = `MySQL at ${server} refuses user "${user}": wrong user or password, or it asks for TLS or a client certificate. Fix RECENCY_MYSQL_URL or RECENCY_MYSQL_TLS….`;
    return new SchemaError('access_denied', message, { cause: error });
  }
  if (code === 'ER_BAD_DB_ERROR' || code === 'ER_DBACCESS_DENIED_ERROR') {
    const message =
      `There is no database "${database}" on ${server}, or user "${user}" has no right to it. \`recency migrate\` creates ` +
      `it when the user may. Otherwise, as an administrator: CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4; ` +
      `GRANT ALL ON \`${database}\`.* TO the user.`;
    return new SchemaError('database_missing', message, { cause: error });
  }
  return asSchemaError(error, user, database);
}

/** Returns the server's version. @throws SchemaError server_too_old */
export async function checkServerVersion(connection: Connection): Promise<string> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  const version = String(rows[0]?.version);
  const other = otherProductOf(version);
  if (other !== undefined)
    throw new SchemaError('server_too_old', `The server is ${other} (${version}), which Recency does not work with.`);
  const product = mysqlProductOf(version);
  if (!isSupported(product, version)) {
    const oldest = OLDEST_VERSIONS[product];
    throw new SchemaError('server_too_old', `The server is ${product} ${version}; Recency needs at least ${oldest}.`);
  }
  return version;
}

/**
 * Runs `work` while this connection holds the schema's lock (GET_LOCK, which ends with its connection and so with a
 * killed process). Nothing else may use the connection meanwhile.
 * @throws SchemaError locked: another process held the lock for longer than `waitMs`; lock_lost: the connection broke
 */
export async function withSchemaLock<T>(
  connection: Connection,
  database: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const name = lockName(database);
  let lost: unknown;
  connection.on('error', (error: unknown) => {
    lost = error;
  });
  await acquire(connection, name, database, waitMs);
  const result = await work();
  await release(connection, name).catch((error: unknown) => {
    lost ??= error;
  });
  if (lost === undefined) return result;
  throw new SchemaError(
    'lock_lost',
    'The connection that held the schema lock broke. Another process may have migrated meanwhile: run it again.',
    { cause: lost },
  );
}

async function acquire(connection: Connection, name: string, database: string, waitMs: number): Promise<void> {
  // The connection is idle while the migrations run on another one.
  await connection.query('SET SESSION wait_timeout = 28800');
  const [rows] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS held', [name, waitMs / 1000]);
  if (Number(rows[0]?.held) === 1) return;
  throw new SchemaError(
    'locked',
    `Another process has been changing the schema of "${database}" for more than ${waitMs / 1000} s. Wait for it to end ` +
      `and run this again; SELECT IS_USED_LOCK('${name}') names its connection.`,
  );
}

async function release(connection: Connection, name: string): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT RELEASE_LOCK(?) AS released', [name]);
  if (Number(rows[0]?.released) !== 1) throw new Error(`the lock ${name} was not held any more`);
}

/**
 * Locks are shared by the whole server, so the name contains the database; as a digest, because MySQL allows 64
 * characters.
 */
function lockName(database: string): string {
  return `recency_schema_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`;
}

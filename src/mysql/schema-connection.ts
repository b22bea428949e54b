import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { tlsFaultOf, tlsSentence } from '../config/tls.ts';
import { isSupported, mysqlProductOf, OLDEST_VERSIONS } from '../contracts/server-versions.ts';
import { asSchemaError, driverCode, SchemaError } from './schema-error.ts';
import { setUpSession } from './session.ts';
import { type MysqlTls, tlsOptions } from './tls.ts';

/** Where the schema is, taken from a URL as `mysql://user:password@host:port/database`. */
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
      ...{ uri, connectTimeout: connectTimeoutMs, charset: 'utf8mb4' },
      ...tlsOptions(tls),
    });
    await setUpSession(connection, { statementMs: 0 });
    return connection;
  } catch (error) {
    connection?.destroy();
    throw explain(error, address);
  }
}

/** Connects to the database and makes it when it is missing. `created` says whether it did. @throws SchemaError */
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
    throw driverCode(error) === 'ER_DBACCESS_DENIED_ERROR' ? missing : explain(error, address);
  } finally {
    await connection.end();
  }
}

const AWAY = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ECONNRESET',
]);

const TLS_SETTINGS = { ca: 'RECENCY_MYSQL_TLS_CA', cert: 'RECENCY_MYSQL_TLS_CERT', tls: 'RECENCY_MYSQL_TLS' };

function explain(error: unknown, { server, user, database }: SchemaAddress): SchemaError {
  const code = driverCode(error);
  const fault = tlsFaultOf(error);
  if (fault !== undefined && !(error instanceof Error && 'sqlState' in error)) {
    return new SchemaError('unreachable', tlsSentence(fault, `MySQL at ${server}`, TLS_SETTINGS), { cause: error });
  }
  if (AWAY.has(code) || code === 'PROTOCOL_CONNECTION_LOST') {
    const message = `No MySQL answers at ${server} (${code}). Start it, or set RECENCY_MYSQL_URL to where it is.`;
    return new SchemaError('unreachable', message, { cause: error });
  }
  if (code === 'ER_ACCESS_DENIED_ERROR') {
    const message = `MySQL at ${server} refuses user "${user}": wrong user or password, or it asks for TLS or a client certificate. Fix RECENCY_MYSQL_URL or RECENCY_MYSQL_TLS….`;
    return new SchemaError('access_denied', message, { cause: error });
  }
  if (code === 'ER_BAD_DB_ERROR' || code === 'ER_DBACCESS_DENIED_ERROR') {
    const message =
      `There is no database "${database}" on ${server}, or user "${user}" has no right to it. \`recency migrate\` makes ` +
      `it when the user may. Otherwise, as an administrator: CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4; ` +
      `GRANT ALL ON \`${database}\`.* TO the user.`;
    return new SchemaError('database_missing', message, { cause: error });
  }
  return asSchemaError(error, user, database);
}

/** @throws SchemaError server_too_old: SKIP LOCKED and JSON_TABLE are needed. */
export async function checkServerVersion(connection: Connection): Promise<string> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  const version = String(rows[0]?.version);
  const product = mysqlProductOf(version);
  if (!isSupported(product, version)) {
    const oldest = OLDEST_VERSIONS[product];
    throw new SchemaError('server_too_old', `The server is ${product} ${version}; Recency needs at least ${oldest}.`);
  }
  return version;
}

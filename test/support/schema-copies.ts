/**
 * Databases by copy: `migrate` runs once in a whole run of the tests, and each test's database is created from the text of
 * its outcome, which takes an eighth of the time.
 */
import { randomBytes } from 'node:crypto';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { CONTACTS, KINDS, type Kind } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';

/** The statements that create the tables, their first rows and the views, by the names of the kinds that have views. */
export type SchemaTexts = Readonly<Record<string, string>>;

/** Migrates a database for contacts and one for every kind, and reads what that made. The databases are dropped again. */
export async function readSchemaTexts(server: string, prefix: string): Promise<SchemaTexts> {
  const texts: [string, string][] = [];
  for (const kinds of [[CONTACTS], KINDS]) {
    const url = databaseUrl(server, `${prefix}_${kinds.length}`);
    await migrate({ url, kinds });
    texts.push([namesOf(kinds), await readAndDrop(url)]);
  }
  return Object.fromEntries(texts);
}

async function readAndDrop(url: string): Promise<string> {
  const connection = await createConnection({ uri: url, supportBigNumbers: true, bigNumberStrings: true });
  try {
    const text = await readSchemaText(connection);
    await connection.query('DROP DATABASE ??', [new URL(url).pathname.slice(1)]);
    return text;
  } finally {
    await connection.end();
  }
}

/** @returns the statements that create everything in the connection's database, and its rows */
export async function readSchemaText(connection: Connection): Promise<string> {
  const objects = await arrays(connection, 'SHOW FULL TABLES');
  const named = (type: string) => objects.filter((row) => row[1] === type).map(([name]) => String(name));
  const statements: string[] = [];
  for (const table of named('BASE TABLE')) {
    statements.push(await createText(connection, `SHOW CREATE TABLE \`${table}\``));
    const rows = await arrays(connection, `SELECT * FROM \`${table}\``);
    if (rows.length > 0) statements.push(connection.format('INSERT INTO ?? VALUES ?', [table, rows]));
  }
  for (const view of named('VIEW')) statements.push(await createText(connection, `SHOW CREATE VIEW \`${view}\``));
  return statements.join(';\n');
}

async function createText(connection: Connection, statement: string): Promise<string> {
  const [[, text] = []] = await arrays(connection, statement);
  return String(text);
}

async function arrays(connection: Connection, statement: string): Promise<unknown[][]> {
  const [rows] = await connection.query<RowDataPacket[][]>({ sql: statement, rowsAsArray: true });
  return rows as unknown[][];
}

/** Creates a database as `migrate` would leave it, with an epoch of its own. @returns its URL */
export async function createCopy(server: string, name: string, texts: SchemaTexts, kinds: readonly Kind[]) {
  const text = texts[namesOf(kinds)];
  if (text === undefined) throw new Error(`no schema was read for the kinds ${namesOf(kinds)}`);
  const connection = await createConnection({ uri: databaseUrl(server, ''), multipleStatements: true });
  try {
    await connection.query(`CREATE DATABASE ${name}; USE ${name}; ${text}`);
    const epoch = [randomBytes(8).toString('base64url'), Date.now()];
    await connection.query('UPDATE recency_epoch SET token = ?, bumped_at = ?', epoch);
  } finally {
    await connection.end();
  }
  return databaseUrl(server, name);
}

const namesOf = (kinds: readonly Kind[]): string => kinds.map(({ name }) => name).join(',');

/** The address of a database on a server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The database of a history, and the sessions that reach it. */
import { type Connection, createConnection } from 'mysql2/promise';
import { migrate } from '../../../mysql/migrate.ts';

export const SCHEMA = 'histories';

/** With what Recency itself needs, in place of an earlier one. */
export async function makeDatabase(url: string): Promise<void> {
  const server = new URL(url);
  server.pathname = '';
  const root = await createConnection(server.href);
  try {
    await root.query(`DROP DATABASE IF EXISTS ${SCHEMA}`);
    await root.query(`CREATE DATABASE ${SCHEMA}`);
  } finally {
    await root.end();
  }
  await migrate({ url });
}

/** @param waits for what is locked, s; the site does not: a prepared XA transaction may keep its locks for the rest of a history */
export async function session(url: string, waits = 0): Promise<Connection> {
  const connection = await createConnection(url);
  connection.on('error', () => undefined);
  // MySQL makes 0 a second.
  await connection.query(`SET SESSION lock_wait_timeout = ${waits}, innodb_lock_wait_timeout = ${waits}`);
  return connection;
}

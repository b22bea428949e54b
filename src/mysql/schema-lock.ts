import { createHash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { SchemaError } from './schema-error.ts';

/**
 * Runs `work` while this connection holds the schema's lock (GET_LOCK, which ends with its connection and so with a
 * killed process). The connection must be used for nothing else meanwhile.
 * @throws SchemaError locked: another process held it for longer than `waitMs`; lock_lost: the connection broke.
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
  // It stands idle while the migrations run on another connection.
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

/** Locks belong to the whole server, so the name carries the database; a digest, because MySQL allows 64 characters. */
function lockName(database: string): string {
  return `recency_schema_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`;
}

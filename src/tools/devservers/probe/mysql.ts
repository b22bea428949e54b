import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { PROBE_TIMEOUT, type Probe } from './probe.ts';

/** Asks the MySQL or MariaDB server at the URL for its version. Throws when it does not answer in time. */
export async function probeMysql(url: string): Promise<Probe> {
  const connection = await createConnection({ uri: withoutDatabase(url), connectTimeout: PROBE_TIMEOUT });
  try {
    const [rows] = await connection.query<RowDataPacket[]>({
      sql: 'SELECT VERSION() AS version, @@datadir AS dir',
      timeout: PROBE_TIMEOUT,
    });
    const { version, dir } = rows[0] as { version: string; dir: string };
    const [numbers = ''] = version.split('-');
    return { product: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL', version: numbers, identity: dir };
  } finally {
    connection.destroy();
  }
}

/** Creates the database that the URL names, when it is missing. */
export async function createDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const connection = await createConnection({ uri: withoutDatabase(url), connectTimeout: PROBE_TIMEOUT });
  try {
    await connection.query({ sql: `CREATE DATABASE IF NOT EXISTS \`${name}\``, timeout: PROBE_TIMEOUT });
  } finally {
    connection.destroy();
  }
}

function withoutDatabase(address: string): string {
  const url = new URL(address);
  url.pathname = '/';
  return url.href;
}

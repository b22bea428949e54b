import { type Connection, createConnection } from 'mysql2/promise';
import { beforeAll } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { type RunningServer, startMysql } from '../../src/tools/devservers/start-server.ts';
import { freshName } from './servers.ts';

/** A MySQL server for one test file, which may kill, restart or reconfigure it. Runs from before its tests until after them. */
export class OwnMysql {
  #server: RunningServer | undefined;

  /** Call at the top of the test file. @param args of the server's program, beside those of every test server */
  constructor(args: readonly string[] = []) {
    beforeAll(async () => {
      const server = await startMysql({ args });
      this.#server = server;
      return () => server.remove();
    });
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error('the server starts before the first test, not before that');
    return this.#server;
  }

  /** Runs the statements as root, on one connection. */
  async run(...statements: string[]): Promise<void> {
    await this.#withConnection(async (connection) => {
      for (const statement of statements) await connection.query(statement);
    });
  }

  /** Runs one query as root. Returns its rows. */
  query(statement: string): Promise<unknown[]> {
    return this.#withConnection(async (connection) => (await connection.query(statement))[0] as unknown[]);
  }

  /** Creates an empty database. Returns its URL. */
  async createDatabase(name = freshName()): Promise<string> {
    await this.run(`CREATE DATABASE ${name}`);
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Copies the tables of another server's database, as they are now, into a database of the same name. Returns its URL. */
  async copyOf(url: string): Promise<string> {
    const copy = await this.createDatabase(new URL(url).pathname.slice(1));
    await migrate({ url: copy });
    const [from, to] = await Promise.all([createConnection(url), createConnection(copy)]);
    const [tables] = await from.query({ sql: "SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'", rowsAsArray: true });
    for (const [table] of tables as unknown as string[][]) {
      const [rows] = await from.query({ sql: `SELECT * FROM ${table}`, rowsAsArray: true });
      await to.query(`DELETE FROM ${table}`);
      if ((rows as unknown[]).length > 0) await to.query(`INSERT INTO ${table} VALUES ?`, [rows]);
    }
    await Promise.all([from.end(), to.end()]);
    return copy;
  }

  async #withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await createConnection(this.server.url);
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  }
}

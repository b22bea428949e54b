import { describe, expect, it, onTestFinished } from 'vitest';
import { findBaseTables } from '../../src/capture/base-tables.ts';
import { findLogProblems, findTableProblems } from '../../src/capture/capture-checks.ts';
import { findUnloggedChanges, readUnloggedArrivals } from '../../src/capture/logged-changes.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { Database } from '../../src/mysql/database.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { sql } from '../support/servers.ts';

describe('a server whose log lacks changes', () => {
  const filtering = loggedMysql([
    ...WITH_GTIDS,
    '--binlog-ignore-db=elsewhere',
    '--sync-binlog=0',
    '--loose-log-bin-trust-function-creators=ON',
  ]);
  const replica = loggedMysql([
    ...WITH_GTIDS,
    '--loose-log-slave-updates=OFF',
    '--loose-log-replica-updates=OFF',
    '--sync-binlog=1',
  ]);

  it('is refused: views, and tables whose rows are elsewhere or pass, by name', async () => {
    const url = await filtering.createDatabase();
    await sql(
      url,
      'CREATE TABLE t (id INT PRIMARY KEY)',
      'CREATE VIEW v AS SELECT id FROM t',
      'CREATE TABLE m (id INT) ENGINE = MEMORY',
      'CREATE TABLE part (id INT) ENGINE = MyISAM',
    );
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const schema = new URL(url).pathname.slice(1);
    const named = ['t', 'v', 'm', 'part', 'absent'].map((table) => ({ schema, table }));
    const problems = await findTableProblems(database, named);
    expect(problems.map(({ what }) => what)).toEqual([
      expect.stringContaining('v is a view'),
      expect.stringContaining('m is of the engine MEMORY'),
      expect.stringContaining('part is of the engine MyISAM'),
    ]);
  });

  it('is known to change with the functions that a view calls', async () => {
    const url = await filtering.createDatabase();
    await sql(
      url,
      'CREATE TABLE pairs (a INT, b INT)',
      'CREATE FUNCTION shown(x INT) RETURNS INT DETERMINISTIC RETURN x',
      'CREATE VIEW recency_contacts AS SELECT a, shown(b) AS b FROM pairs',
    );
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const { tables, views } = await findBaseTables(database, [CONTACTS]);
    expect(tables.map(({ table }) => table)).toEqual(['pairs']);
    expect(views.map(({ table }) => table)).toEqual(['recency_contacts', 'shown']);
  });

  async function found(url: string) {
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const { problems, warnings } = await findUnloggedChanges(database);
    return { problems: problems.map(({ what }) => what), warnings: warnings.map(({ what }) => what) };
  }

  it('is refused: filters; and warned of: a log that is not synced', async () => {
    const { problems, warnings } = await found(await filtering.createDatabase());
    expect(problems).toEqual([expect.stringContaining('binlog-ignore-db=elsewhere')]);
    expect(warnings).toEqual([expect.stringContaining('sync_binlog is 0')]);
  });

  it('is refused: a log that the server goes on without, and `columns` where a DELETE is logged as an UPDATE', async () => {
    const url = await filtering.createDatabase();
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const [row] = await sql(url, 'SELECT VERSION() AS version');
    if (!String(row?.version).includes('MariaDB')) {
      await sql(url, "SET GLOBAL binlog_error_action = 'IGNORE_ERROR'");
      const [problem] = await findLogProblems(database, 'binlog');
      expect(problem?.what).toContain('binlog_error_action is IGNORE_ERROR');
      return;
    }
    await sql(url, 'CREATE TABLE h (id INT PRIMARY KEY) WITH SYSTEM VERSIONING');
    const table = { schema: new URL(url).pathname.slice(1), table: 'h' };
    expect(await findTableProblems(database, [table])).toEqual([]);
    const [problem] = await findTableProblems(database, [{ ...table, columns: ['id'] }]);
    expect(problem?.what).toContain('is system-versioned');
  });

  it('is refused: rows that arrive by replication and are not logged', async () => {
    const url = await replica.createDatabase();
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    expect(await readUnloggedArrivals(database)).toBe('');
    const [row] = await sql(url, 'SELECT VERSION() AS version');
    if (!String(row?.version).includes('MariaDB')) {
      expect((await found(url)).problems).toEqual([expect.stringContaining('log_replica_updates is OFF')]);
      return;
    }
    expect(await found(url)).toEqual({ problems: [], warnings: [] }); // of a primary, nothing is missing
    await sql(url, "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'x'");
    expect((await found(url)).problems).toEqual([expect.stringContaining('rows arrive by replication')]);
    // What has arrived is seen later, too; and an account that may not ask is refused.
    await sql(
      url,
      'RESET SLAVE ALL',
      "SET GLOBAL gtid_slave_pos = '5-5-5'",
      "CREATE USER asks IDENTIFIED BY 'secret'",
      'GRANT SELECT ON *.* TO asks',
    );
    const asks = new URL(url);
    asks.username = 'asks';
    asks.password = 'secret';
    expect((await found(asks.href)).problems).toEqual([expect.stringContaining('rows have arrived by replication')]);
    expect((await found(url)).problems).toEqual([]);
    const arrived = await readUnloggedArrivals(database);
    await sql(url, "SET GLOBAL gtid_slave_pos = '5-5-6'");
    expect(new Set(['', arrived, await readUnloggedArrivals(database)]).size).toBe(3);
  });
});

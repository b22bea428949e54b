import { describe, expect, it, onTestFinished } from 'vitest';
import { findBaseTables } from '../../src/capture/base-tables.ts';
import { findLogProblems, findTableProblems } from '../../src/capture/capture-checks.ts';
import { findUnseenChanges } from '../../src/capture/cascades.ts';
import { findUnloggedChanges, readUnloggedArrivals } from '../../src/capture/logged-changes.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
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

  it('is refused: a foreign key whose parent is mapped, but not every change that the key follows', async () => {
    const url = await filtering.createDatabase();
    await sql(
      url,
      'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY)',
      'CREATE TABLE t (a BIGINT UNSIGNED, b BIGINT UNSIGNED, FOREIGN KEY (a) REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE)',
    );
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const problemsWith = async (entry: string) => {
      const text = `version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n  - { ${entry} }\n`;
      const mapping = parseMapping(text, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) });
      return (await findUnseenChanges(database, mapping, 'unseen')).problems.length;
    };
    expect(await problemsWith('table: people, hint: user, user: id')).toBe(0);
    expect(await problemsWith('table: people, hint: user, user: id, columns: [name]')).toBe(0); // an id counts anyhow
    expect(await problemsWith('table: people, hint: user, user: id, when: { id: 1 }')).toBe(1);
    expect(await problemsWith('table: people, hint: photo, owner: id')).toBe(1); // the followers of `a`, not the index of `a`
  });

  it('is accepted: a foreign key whose parent holds the id that a look-up finds by it', async () => {
    const url = await filtering.createDatabase();
    await sql(
      url,
      'CREATE TABLE albums (id INT PRIMARY KEY, owner INT)',
      'CREATE TABLE pictures (id INT PRIMARY KEY, album INT, FOREIGN KEY (album) REFERENCES albums (id) ON DELETE CASCADE)',
    );
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const owner = '{ table: albums, key: id, equals: album, column: owner }';
    const text = `version: 1\ntables:\n  - { table: pictures, hint: photo, owner: ${owner} }\n  - { table: albums, hint: photo, owner: owner }\n`;
    const mapping = parseMapping(text, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) });
    expect((await findUnseenChanges(database, mapping, 'unseen')).problems).toEqual([]);
  });

  it.each([
    [
      'is followed by rows of others',
      [
        'blocks (id INT PRIMARY KEY, blocker INT)',
        't (a INT, b INT, block INT, FOREIGN KEY (block) REFERENCES blocks (id) ON DELETE SET NULL)',
      ],
      'table: blocks, hint: user, user: blocker',
    ],
    [
      'is in the same table',
      ['t (a INT, b INT, id INT PRIMARY KEY, by_row INT, FOREIGN KEY (by_row) REFERENCES t (id) ON DELETE SET NULL)'],
      undefined,
    ],
    [
      'has the id in another column than the one of the hint',
      [
        'people (id INT PRIMARY KEY, code INT UNIQUE)',
        't (a INT, b INT, FOREIGN KEY (a) REFERENCES people (code) ON DELETE CASCADE)',
      ],
      'table: people, hint: user, user: id',
    ],
  ] as const)('is refused: a foreign key whose parent %s', async (_what, tables, entry) => {
    const url = await filtering.createDatabase();
    await sql(url, ...tables.map((table) => `CREATE TABLE ${table}`));
    const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const entries = ['table: t, hint: contact, user: a, contact: b', entry].flatMap((one) =>
      one ? [`  - { ${one} }\n`] : [],
    );
    const text = `version: 1\ntables:\n${entries.join('')}`;
    const mapping = parseMapping(text, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) });
    const { problems } = await findUnseenChanges(database, mapping, 'unseen');
    expect(problems.map(({ what }) => what)).toEqual([expect.stringContaining('changes rows of')]);
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

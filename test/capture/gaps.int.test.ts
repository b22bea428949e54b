import { Readable } from 'node:stream';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import { capturing, untilCaptured } from '../support/capturing.ts';
import { LOGGED, loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { sql } from '../support/servers.ts';
import { until } from '../support/until.ts';

const PAIRS = 'CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, c INT, PRIMARY KEY (a, b))';
const MAPPING = 'version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n';

const has = (tasks: readonly OutgoingTask[], user: number) =>
  tasks.some(({ task }) => 'user' in task && task.user === String(user));

const insert = (user: number) => `INSERT INTO t (a, b) VALUES (${user}, 9999999)`;

/** LOAD DATA of a session that logs statements. */
async function loadsData(url: string): Promise<void> {
  const connection = await createConnection(url);
  await connection.query('SET SESSION binlog_format = STATEMENT');
  const infileStreamFactory = () => Readable.from([Buffer.from('300\t301\n')]);
  await connection.query({ sql: "LOAD DATA LOCAL INFILE 'x' INTO TABLE t (a, b)", infileStreamFactory });
  await connection.end();
}

for (const [where, args] of [
  ['with GTIDs', WITH_GTIDS],
  ['by file and offset on MySQL', LOGGED],
] as const) {
  describe(`whatever is not known to be harmless, ${where}`, () => {
    const mysql = loggedMysql([...args, '--loose-log-bin-trust-function-creators=ON', '--local-infile=ON']);

    async function site(tables: readonly string[] = [PAIRS], text = MAPPING) {
      const url = await mysql.createDatabase();
      await migrate({ url });
      await sql(url, ...tables);
      return { url, mapping: parseMapping(text, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) }) };
    }

    const isMariaDb = async (url: string) => {
      const [row] = await sql(url, 'SELECT VERSION() AS version');
      return String(row?.version).includes('MariaDB');
    };

    it('is a gap once: rows of a column that is gone, changed while capture was down', async () => {
      const at = await site();
      const first = await capturing(at.url, at.mapping);
      await until(() => first.gaps.length === 1);
      await sql(at.url, insert(1));
      await until(() => has(first.tasks, 1));
      await first.stop();
      const changes = [2, 3, 4, 5].map((user) => `INSERT INTO t (a, b, c) VALUES (${user}, 9, 1)`);
      await sql(at.url, ...changes, 'ALTER TABLE t DROP COLUMN c', insert(6));
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length > 0);
      await sql(at.url, insert(7));
      await until(() => has(tasks, 7));
      expect(gaps).toHaveLength(1);
    });

    it('is a gap: a mapping that is not the one by which changes were captured before', async () => {
      const at = await site([PAIRS, 'CREATE TABLE later (a BIGINT UNSIGNED NOT NULL)']);
      const first = await capturing(at.url, at.mapping);
      await until(() => first.gaps.length === 1);
      await sql(at.url, 'INSERT INTO later VALUES (50)', insert(1));
      await until(() => has(first.tasks, 1));
      await first.stop();
      const schema = new URL(at.url).pathname.slice(1);
      const mapping = parseMapping(`${MAPPING}  - { table: later, hint: user, user: a }\n`, { file: 'x', schema });
      for (const expected of [['mapping'], []]) {
        const { gaps, tasks, stop } = await capturing(at.url, mapping);
        await until(() => gaps.length >= expected.length);
        await sql(at.url, 'INSERT INTO later VALUES (51)');
        await until(() => has(tasks, 51));
        expect(gaps).toEqual(expected);
        await stop();
      }
    });

    it('is a gap: rows that a session changes by statements, of whatever table', async () => {
      const at = await site([
        PAIRS,
        'CREATE TABLE other (a BIGINT UNSIGNED, b BIGINT UNSIGNED)',
        'CREATE TRIGGER copies AFTER INSERT ON other FOR EACH ROW INSERT IGNORE INTO t VALUES (NEW.a, NEW.b, 0)',
        'CREATE VIEW pairs AS SELECT a, b, c FROM t',
        'CREATE FUNCTION writes() RETURNS INT DETERMINISTIC BEGIN INSERT INTO t VALUES (77, 78, 1); RETURN 1; END',
        'CREATE PROCEDURE calls() BEGIN INSERT INTO t VALUES (79, 78, 1); END',
      ]);
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      await sql(at.url, insert(1));
      await until(() => has(tasks, 1));
      const statements = [
        'INSERT INTO other VALUES (70, 71)',
        'UPDATE pairs SET c = 5',
        'SELECT writes()',
        'CALL calls()',
        ...((await isMariaDb(at.url))
          ? ['SET STATEMENT sort_buffer_size = 100000 FOR UPDATE t SET c = 6']
          : ['WITH x AS (SELECT 1 AS one) UPDATE t JOIN x SET t.c = 6']),
      ];
      for (const [i, statement] of statements.entries()) {
        const count = gaps.length;
        await sql(at.url, 'SET SESSION binlog_format = STATEMENT', statement);
        await until(() => gaps.length > count);
        const isTold = (user: number) => has(tasks, user);
        await untilCaptured(100 + i, (user) => sql(at.url, insert(user)), { isTold, gaps });
      }
      const count = gaps.length;
      await loadsData(at.url);
      await until(() => gaps.length > count);
    });

    it('is a gap: a name in another character set, and places of columns that were changed', async () => {
      const named = PAIRS.replace('TABLE t ', 'TABLE `größe` ');
      const text = `${MAPPING}  - { table: größe, hint: contact, user: a, contact: b }\n`;
      const at = await site([PAIRS, named, 'INSERT INTO `größe` VALUES (5, 6, 7)'], text);
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      const latin1 = await createConnection({ uri: at.url, charset: 'LATIN1_SWEDISH_CI' });
      await latin1.query('TRUNCATE TABLE `größe`');
      await latin1.end();
      await until(() => gaps.length === 2);
      const isTold = (user: number) => has(tasks, user);
      const change = (user: number) => sql(at.url, 'SET GLOBAL binlog_row_metadata = FULL', insert(user));
      await untilCaptured(10, change, { isTold, gaps });
      const count = gaps.length;
      const minimal = (await isMariaDb(at.url)) ? 'NO_LOG' : 'MINIMAL';
      const first = 'ALTER TABLE t ADD x BIGINT UNSIGNED NOT NULL DEFAULT 7 FIRST';
      await sql(at.url, first, `SET GLOBAL binlog_row_metadata = ${minimal}`, insert(11));
      await until(() => gaps.length > count);
      expect(gaps.slice(1, 2)).toEqual(['statement']);
      expect(gaps.at(-1)).toBe('unreadable');
    });

    it('is a gap: a statement from another schema, which quotes the name of the table as texts are quoted', async () => {
      const at = await site();
      const elsewhere = new URL(await mysql.createDatabase()).pathname.slice(1);
      const schema = new URL(at.url).pathname.slice(1);
      const { gaps } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      await sql(at.url, "SET SESSION sql_mode = 'ANSI_QUOTES'", `USE ${elsewhere}`, `TRUNCATE TABLE "${schema}"."t"`);
      await until(() => gaps.length === 2);
      expect(gaps[1]).toBe('statement');
    });

    it('is a gap: an XA transaction that was prepared before the present and is committed after it', async () => {
      const at = await site();
      const connection = await createConnection(at.url);
      for (const statement of ["XA START 'early'", insert(2), "XA END 'early'", "XA PREPARE 'early'"]) {
        await connection.query(statement);
      }
      await connection.end();
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      await sql(at.url, insert(1));
      await until(() => has(tasks, 1));
      await sql(at.url, "XA COMMIT 'early'");
      await until(() => gaps.length === 2 || has(tasks, 2));
    });

    it.each([1, 600])('is a gap: a log that was reset while capture was down, then %i changes', async (changes) => {
      const at = await site();
      const first = await capturing(at.url, at.mapping);
      await until(() => first.gaps.length === 1);
      await sql(at.url, insert(1), insert(2), insert(3));
      await until(() => has(first.tasks, 3));
      await first.stop();
      const reset = (await isMariaDb(at.url)) ? 'RESET MASTER' : 'RESET BINARY LOGS AND GTIDS';
      await sql(at.url, reset, ...Array.from({ length: changes }, (_, i) => insert(1000 + i)));
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length > 0 || has(tasks, 1000 + changes - 1));
      await until(() => gaps.length > 0);
      await sql(at.url, insert(5000));
      await until(() => has(tasks, 5000));
      expect(gaps).toHaveLength(1);
    });

    it('is harmless, and known to be: the work of a server and of its administrators', async () => {
      const at = await site([PAIRS, 'CREATE TABLE other (a INT)']);
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      await sql(
        at.url,
        'FLUSH BINARY LOGS',
        'ANALYZE TABLE t',
        'OPTIMIZE TABLE t',
        'CREATE INDEX more ON t (b)',
        'DROP INDEX more ON t',
        "ALTER TABLE t COMMENT 'x'",
        'TRUNCATE TABLE other',
        'DROP TABLE other',
        'CREATE TABLE copy AS SELECT * FROM t',
        'FLUSH PRIVILEGES',
        insert(2),
      );
      await until(() => has(tasks, 2));
      expect(gaps).toHaveLength(1);
    });

    it('is read exactly whatever its type, or not read: BIT, BINARY, ENUM, columns that the server hides', async () => {
      const at = await site(
        [
          `CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, flag BIT(1), kind ENUM('a,b', 'c''d') NOT NULL DEFAULT 'a,b',
            j JSON, g POINT, f FLOAT, d DOUBLE, n DECIMAL(30,10), ts TIMESTAMP(6) NULL, dt DATETIME(3), ti TIME(1), y YEAR, da DATE,
            bi BINARY(4), vb VARBINARY(300), ch CHAR(200), s SET('x', 'y'), me MEDIUMBLOB, ti2 TINYINT, bits BIT(20), PRIMARY KEY (a, b))`,
          'CREATE TABLE posts (id BINARY(4) PRIMARY KEY, owner BIGINT UNSIGNED)',
          'CREATE TABLE media (id BIGINT PRIMARY KEY, post BINARY(4), other VARBINARY(8))',
          "INSERT INTO posts VALUES (0xff00, 501), (0x00010200, 502), ('abcd', 503)",
        ],
        `version: 1
tables:
  - { table: t, hint: contact, user: a, contact: b, when: { flag: 1, kind: 'a,b' }, columns: [j, g, n, bi, bits, f] }
  - { table: posts, hint: photo, owner: owner }
  - { table: media, hint: photo, owner: { table: posts, key: id, equals: post, column: owner } }
`,
      );
      const hidden = (await isMariaDb(at.url))
        ? ['ALTER TABLE t ADD long_text TEXT, ADD UNIQUE (long_text)', 'ALTER TABLE media ADD SYSTEM VERSIONING']
        : ['ALTER TABLE t ADD v VECTOR(3), ADD h INT INVISIBLE'];
      await sql(at.url, ...hidden);
      const { gaps, tasks } = await capturing(at.url, at.mapping);
      await until(() => gaps.length === 1);
      await sql(
        at.url,
        "INSERT INTO t (a, b, flag, kind, j, n, bits, ch, me) VALUES (1, 9, 1, 'a,b', '{}', -12345.5, 70000, 'x', REPEAT('y', 70000)), (2, 9, 0, 'a,b', '{}', 1, 1, NULL, NULL), (3, 9, 1, 'c''d', NULL, 0, 0, '', '')",
        'UPDATE t SET d = 5, ts = NOW(6) WHERE a = 1',
        'UPDATE t SET flag = 1 WHERE a = 2',
        'INSERT INTO media (id, post) VALUES (1, 0xff00), (2, 0x00010200)',
        'INSERT INTO t (a, b, flag) VALUES (50, 9, 1)',
      );
      await until(() => has(tasks, 50));
      const users = new Set(tasks.map(({ task }) => ('user' in task ? task.user : 'owner' in task ? task.owner : '')));
      expect([...users].sort()).toEqual(['1', '2', '50', '501', '502']);
      expect(gaps).toHaveLength(1);
    });
  });
}

describe('rows of generated primary keys that are not shown', () => {
  const mysql = loggedMysql(WITH_GTIDS);

  it('are read by the names of the others', async () => {
    const url = await mysql.createDatabase();
    await migrate({ url });
    const connection = await createConnection(url);
    const [variables] = await connection.query<RowDataPacket[]>("SHOW VARIABLES LIKE 'show_gipk%'");
    if (variables.length > 0) {
      await connection.query('SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF');
      await connection.query('SET SESSION sql_generate_invisible_primary_key = ON');
    }
    await connection.query('CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL)');
    await connection.end();
    const mapping = parseMapping(MAPPING, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) });
    const { gaps, tasks } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    await sql(url, insert(41));
    await until(() => has(tasks, 41));
    expect(gaps).toHaveLength(1);
  });
});

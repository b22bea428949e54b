import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../src/capture/mapping-file.ts';
import type { DeliveredTask } from '../../../src/contracts/task.ts';
import { migrate } from '../../../src/mysql/migrate.ts';
import { capturing, untilCaptured } from '../../support/capturing.ts';
import { LOGGED, loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { sql } from '../../support/servers.ts';
import { until } from '../../support/until.ts';

const GREATEST = '18446744073709551615';

const TABLES = [
  'CREATE TABLE follows (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, note VARCHAR(50), PRIMARY KEY (a, b))',
  'CREATE TABLE filters (id BIGINT PRIMARY KEY AUTO_INCREMENT, a BIGINT UNSIGNED, b BIGINT UNSIGNED, type VARCHAR(40), UNIQUE (a, b))',
  "CREATE TABLE posts (id BIGINT UNSIGNED PRIMARY KEY, owner BIGINT UNSIGNED, scope ENUM('public','private') NOT NULL DEFAULT 'public', likes INT NOT NULL DEFAULT 0)",
  'CREATE TABLE media (id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, post BIGINT UNSIGNED)',
  'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY, status TINYINT, j JSON, t DATETIME(3) DEFAULT NOW(3), d DECIMAL(10,2), bin VARBINARY(8))',
];

const mappingOf = (schema: string) =>
  parseMapping(
    `
version: 1
tables:
  - { table: follows, hint: contact, user: a, contact: b }
  - { table: filters, hint: contact, user: a, contact: b, when: { type: 'App\\Profile' } }
  - { table: posts, hint: photo, owner: owner, columns: [scope] }
  - { table: media, hint: photo, owner: { table: posts, key: id, equals: post, column: owner } }
  - { table: people, hint: user, user: id, columns: [status] }
`,
    { file: 'capture.yaml', schema },
  );

const aboutOf = ({ type, ...about }: DeliveredTask): string =>
  `${type.split('.')[1]} ${Object.values(about).join(' ')}`;

for (const [what, args] of [
  ['with GTIDs', WITH_GTIDS],
  ['by file and offset on MySQL', LOGGED],
] as const) {
  describe(`changes captured ${what}`, () => {
    const mysql = loggedMysql(args);

    async function site() {
      const url = await mysql.createDatabase();
      await migrate({ url });
      await sql(url, ...TABLES);
      return { url, mapping: mappingOf(new URL(url).pathname.slice(1)) };
    }

    /** Everything that was committed before has come through: a change of the test's own is the last. */
    async function caughtUp(
      url: string,
      tasks: readonly { task: DeliveredTask }[],
      mark: number,
      gaps: readonly string[] = [],
    ): Promise<Set<string>> {
      const isTold = (contact: number) => tasks.some(({ task }) => aboutOf(task) === `contact 9 ${contact}`);
      const follow = (contact: number) => sql(url, `INSERT INTO follows VALUES (9, ${contact}, NULL)`);
      await untilCaptured(mark, follow, { isTold, gaps });
      return new Set(tasks.map(({ task }) => aboutOf(task)).filter((about) => !about.startsWith('contact 9 ')));
    }

    it('are the hints that the mapping says', async () => {
      const { url, mapping } = await site();
      const { tasks, gaps } = await capturing(url, mapping);
      await until(() => gaps.length === 1);
      await caughtUp(url, tasks, 1000);
      await sql(
        url,
        `INSERT INTO follows (a, b) VALUES (1, 2), (${GREATEST}, 3), (4, 9007199254740993)`,
        'UPDATE follows SET b = 5 WHERE a = 1',
        "INSERT INTO follows VALUES (1, 5, 'x') ON DUPLICATE KEY UPDATE note = 'y', b = 6",
        'DELETE FROM follows WHERE a = 4',
        "INSERT INTO filters (a, b, type) VALUES (1, 7, 'App\\\\Profile'), (1, 8, 'App\\\\Status'), (2, NULL, 'App\\\\Profile')",
        "REPLACE INTO filters (a, b, type) VALUES (1, 8, 'app\\\\profile')",
        'INSERT INTO posts (id, owner) VALUES (10, 11), (20, 21), (30, NULL)',
        'UPDATE posts SET likes = likes + 1',
        "UPDATE posts SET scope = 'private' WHERE id = 20",
        'INSERT INTO media (post) VALUES (10), (10), (999)',
        'UPDATE posts SET owner = 12 WHERE id = 10',
        'INSERT INTO people (id, status, j, d, bin) VALUES (50, 1, \'{"a": [1]}\', 1.50, 0xff00)',
        "UPDATE people SET j = '{}', status = 2 WHERE id = 50",
        'START TRANSACTION',
        'INSERT INTO follows (a, b) VALUES (70, 71)',
        'SAVEPOINT s',
        'INSERT INTO follows (a, b) VALUES (70, 72)',
        'ROLLBACK TO s',
        'COMMIT',
        'START TRANSACTION',
        'INSERT INTO follows (a, b) VALUES (80, 81)',
        'ROLLBACK',
      );
      expect([...(await caughtUp(url, tasks, 1001))].sort()).toEqual(
        [
          'contact 1 2',
          `contact ${GREATEST} 3`,
          'contact 4 9007199254740993',
          'contact 1 5',
          'contact 1 6',
          'contact 1 7',
          'contact 1 8',
          'photo 11',
          'photo 12',
          'photo 21',
          'user 50',
          'contact 70 71',
        ].sort(),
      );
      expect(gaps).toEqual(['first_start']);
    });

    it('go on at the saved position after a restart', async () => {
      const { url, mapping } = await site();
      const first = await capturing(url, mapping);
      await until(() => first.gaps.length === 1);
      await caughtUp(url, first.tasks, 1000);
      await first.stop();
      await sql(url, 'INSERT INTO follows (a, b) VALUES (1, 2)', 'INSERT INTO posts (id, owner) VALUES (1, 3)');
      const second = await capturing(url, mapping);
      expect([...(await caughtUp(url, second.tasks, 1001))].sort()).toEqual(['contact 1 2', 'photo 3']);
      expect(second.gaps).toEqual([]);
    });

    it('of an XA transaction come when it is committed, also after a restart', async () => {
      const { url, mapping } = await site();
      const first = await capturing(url, mapping);
      await until(() => first.gaps.length === 1);
      await caughtUp(url, first.tasks, 1000);
      for (const [xid, b] of [
        ['kept', 2],
        ['undone', 3],
      ]) {
        const connection = await createConnection(url);
        for (const statement of [
          'XA START ?',
          `INSERT INTO follows (a, b) VALUES (1, ${b})`,
          'XA END ?',
          'XA PREPARE ?',
        ]) {
          await connection.query(statement, [xid]);
        }
        await connection.end();
      }
      expect(await caughtUp(url, first.tasks, 1001)).toEqual(new Set());
      await first.stop();
      const second = await capturing(url, mapping);
      expect(await caughtUp(url, second.tasks, 1002)).toEqual(new Set());
      await sql(url, "XA COMMIT 'kept'", "XA ROLLBACK 'undone'");
      expect(await caughtUp(url, second.tasks, 1003)).toEqual(new Set(['contact 1 2']));
      expect(second.gaps).toEqual([]);
    });

    it('that nobody can know begin a new epoch: TRUNCATE, ALTER of a mapped column, RENAME', async () => {
      const { url, mapping } = await site();
      const { tasks, gaps, database } = await capturing(url, mapping);
      const epoch = async () => String((await database.rows('SELECT token FROM recency_epoch', []))[0]?.[0]);
      await until(() => gaps.length === 1);
      for (const [i, statement] of [
        'TRUNCATE TABLE follows',
        'ALTER TABLE posts MODIFY owner BIGINT UNSIGNED NULL DEFAULT 7',
        'RENAME TABLE media TO media2',
      ].entries()) {
        await caughtUp(url, tasks, 1000 + i, gaps);
        const [before, count] = [await epoch(), gaps.length];
        await sql(url, statement);
        await until(() => gaps.length > count);
        await until(async () => (await epoch()) !== before);
      }
      await caughtUp(url, tasks, 2000, gaps);
      const count = gaps.length;
      await sql(
        url,
        'CREATE INDEX more ON follows (b, a)',
        'ALTER TABLE follows DROP INDEX more',
        'DROP TABLE IF EXISTS x',
      );
      await sql(url, 'CREATE TABLE x (id INT)', 'TRUNCATE TABLE x', 'ALTER TABLE x ADD y INT');
      await caughtUp(url, tasks, 2001);
      expect(gaps).toHaveLength(count);
    });
  });
}

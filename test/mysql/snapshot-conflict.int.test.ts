import { createConnection, type ResultSetHeader } from 'mysql2/promise';
import { beforeAll, expect, it, type TestContext } from 'vitest';
import { retryDeadlocks } from '../../src/mysql/faults.ts';
import { closeAtEnd, freshDatabase, sql } from '../support/servers.ts';

let url: string;

/** MariaDB from 10.6.18 on has the variable; from 11.6.2 on it is on. */
let isKnown: boolean;

beforeAll(async () => {
  url = await freshDatabase();
  isKnown = (await sql(url, "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")).length > 0;
  await sql(
    url,
    'CREATE TABLE marks (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB',
    'INSERT INTO marks VALUES (1, 0)',
  );
});

it('a row that others have changed since the snapshot (error 1020) is written at the next attempt', async (test: TestContext) => {
  test.skip(!isKnown, 'this server never answers so');
  const connection = await createConnection(url);
  closeAtEnd(() => connection.end());
  await connection.query('SET SESSION innodb_snapshot_isolation = ON');
  const refused: unknown[] = [];
  const write = async () => {
    await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    try {
      await connection.query('SELECT n FROM marks WHERE id = 1');
      if (refused.length === 0) await sql(url, 'UPDATE marks SET n = n + 10 WHERE id = 1');
      const [{ affectedRows }] = await connection.query<ResultSetHeader>('UPDATE marks SET n = n + 1 WHERE id = 1');
      await connection.query('COMMIT');
      return affectedRows;
    } catch (error) {
      refused.push((error as { errno?: unknown }).errno);
      await connection.query('ROLLBACK');
      throw error;
    }
  };
  expect(await retryDeadlocks(write)).toBe(1);
  expect(refused).toEqual([1020]);
  expect((await sql(url, 'SELECT n FROM marks'))[0]?.n).toBe(11);
});

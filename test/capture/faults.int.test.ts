import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { areCascadesLogged } from '../../src/capture/base-tables.ts';
import { findUnseenChanges } from '../../src/capture/cascades.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { PatientPublisher } from '../../src/capture/publishing.ts';
import { StartError } from '../../src/config/start-error.ts';
import { captureBarrier } from '../../src/index/index-drain-barrier.ts';
import { Database } from '../../src/mysql/database.ts';
import { nextFencingToken, StaleFence } from '../../src/mysql/leases.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import { capturing } from '../support/capturing.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { silent } from '../support/outbox-bench.ts';
import { sql } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const mysql = loggedMysql(WITH_GTIDS);

async function site() {
  const url = await mysql.createDatabase();
  await migrate({ url });
  await sql(url, 'CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, c JSON, PRIMARY KEY (a, b))');
  const schema = new URL(url).pathname.slice(1);
  const text = 'version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n';
  return { url, mapping: parseMapping(text, { file: 'capture.yaml', schema }) };
}

const has = (tasks: readonly OutgoingTask[], user: number) =>
  tasks.some(({ task }) => 'user' in task && task.user === String(user));

const insert = (user: number) => `INSERT INTO t (a, b) VALUES (${user}, 9999999)`;

const DUMPS = "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'";

describe('capture', () => {
  it('goes on where it was when its connection to the log is killed', async () => {
    const { url, mapping } = await site();
    const { tasks, gaps } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    let killed = 0;
    for (let round = 1; round <= 3; round++) {
      const [dump] = await until(async () => {
        const rows = await sql(url, `${DUMPS} AND id > ${killed}`);
        return rows.length > 0 && rows;
      });
      killed = Number(dump?.id);
      await sql(url, insert(round * 10), `KILL ${killed}`, insert(round * 10 + 1));
      await until(() => has(tasks, round * 10) && has(tasks, round * 10 + 1));
    }
    expect(gaps).toEqual(['first_start']);
  });

  it('notices a log that has gone silent, because its own writes do not come back', async () => {
    const { url, mapping } = await site();
    await using proxy = await TcpProxy.before(url);
    const { tasks, gaps } = await capturing(url, mapping, { logUrl: proxy.url, stallMs: 7_000 });
    await until(() => gaps.length === 1);
    await sql(url, insert(1));
    await until(() => has(tasks, 1));
    proxy.silence();
    await sql(url, insert(2));
    await until(() => has(tasks, 2));
    expect(gaps).toEqual(['first_start']);
  });

  it('publishes nothing whose commit cannot be seen', async () => {
    const { url, mapping } = await site();
    const seen = new Database(url, { connections: 2, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => seen.close());
    const early: string[] = [];
    let count = 0;
    const publish = async (tasks: readonly OutgoingTask[]) => {
      const pairs = tasks.map(({ task }) => ('contact' in task ? `(${task.user}, ${task.contact})` : ''));
      const rows = await seen.rows(`SELECT CONCAT('(', a, ', ', b, ')') FROM t WHERE (a, b) IN (${pairs})`, []);
      const visible = new Set(rows.map(([pair]) => String(pair)));
      early.push(...pairs.filter((pair) => !visible.has(pair)));
      count += pairs.length;
    };
    const publisher = new PatientPublisher({ publish, checkRoom: async () => undefined }, silent, 'test');
    const { gaps } = await capturing(url, mapping, { publisher });
    await until(() => gaps.length === 1);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const connection = await createConnection(url);
      for (let i = 1; i <= 100; i++) await connection.query(`INSERT INTO t (a, b) VALUES (${writer + 1}, ${1000 + i})`);
      await connection.end();
    });
    await Promise.all(writers);
    await until(() => count >= 800);
    expect(early).toEqual([]);
  });

  it('begins a new epoch on another server, and where a session logs less than whole rows', async () => {
    const { url, mapping } = await site();
    const first = await capturing(url, mapping);
    await until(() => first.gaps.length === 1);
    await sql(url, insert(1));
    await until(() => has(first.tasks, 1));
    await first.stop();
    await sql(url, "UPDATE recency_capture SET server = 'uuid:another'");
    const { tasks, gaps } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    await sql(url, insert(2));
    await until(() => has(tasks, 2));
    await sql(url, 'SET SESSION binlog_row_image = MINIMAL', 'UPDATE t SET b = 8888888 WHERE a = 2');
    await until(() => gaps.length === 2);
    await sql(url, insert(3));
    await until(() => has(tasks, 3));
    await sql(url, 'SET SESSION binlog_format = STATEMENT', insert(4));
    await until(() => gaps.length === 3);
    expect(gaps).toEqual(['server', 'unreadable', 'statement']);
  });

  it.each([
    ['deleted', 'DELETE FROM recency_capture'],
    ['set back', 'UPDATE recency_capture SET fences = 1, published = 0'],
  ])('forgets what it had counted as published when its row is %s', async (_, change) => {
    const { url, mapping } = await site();
    const { tasks, gaps, stop } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    for (let user = 1; user <= 20; user++) {
      await sql(url, insert(user));
      await until(() => has(tasks, user));
    }
    await until(async () => Number((await sql(url, 'SELECT published FROM recency_capture'))[0]?.published) >= 20);
    await sql(url, change);
    await until(() => gaps.length === 2);
    await stop();
    const database = new Database(url, { connections: 2, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const barrier = await captureBarrier(database)([]);
    expect(await barrier.passed()).toBe(false);
    expect(gaps).toEqual(['first_start', 'position']);
  });

  it('is waited for although its row is gone meanwhile, where changes are to be captured', async () => {
    const { url } = await site();
    await sql(url, "INSERT INTO recency_capture (source, server, position, saved_at) VALUES ('binlog', 'x', 'y', 1)");
    const database = new Database(url, { connections: 2, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    const [expected, other] = [await captureBarrier(database, true)([]), await captureBarrier(database)([])];
    expect([await expected.passed(), await other.passed()]).toEqual([false, false]);
    await sql(url, 'DELETE FROM recency_capture');
    expect([await expected.passed(), await other.passed()]).toEqual([false, true]);
  });

  it('begins a new epoch for a compressed transaction and a partial JSON value, where MySQL has them', async () => {
    const { url, mapping } = await site();
    const { tasks, gaps } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    await sql(url, 'INSERT INTO t VALUES (1, 2, \'{"x": 1, "y": "long enough"}\')');
    await until(() => has(tasks, 1));
    const connection = await createConnection(url);
    onTestFinished(() => connection.end());
    const [variables] = await connection.query<RowDataPacket[]>("SHOW VARIABLES LIKE 'binlog_transaction_compression'");
    const sessions =
      variables.length === 0
        ? []
        : ['binlog_transaction_compression = ON', "binlog_row_value_options = 'PARTIAL_JSON'"];
    for (const [i, set] of sessions.entries()) {
      await sql(url, `SET SESSION ${set}`, `UPDATE t SET c = JSON_SET(c, '$.x', ${i + 5}) WHERE a = 1`);
      await until(() => gaps.length === i + 2);
      await sql(url, insert(100 + i));
      await until(() => has(tasks, 100 + i));
    }
    expect(gaps).toEqual(['first_start', ...sessions.map(() => 'unreadable')]);
  });

  it('has what a foreign key changes, or the start refuses it', async () => {
    const { url, mapping } = await site();
    await sql(
      url,
      'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY)',
      'INSERT INTO people VALUES (50), (51)',
      'ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES people (id) ON DELETE CASCADE',
    );
    const { tasks, gaps, database } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    const isLogged = await areCascadesLogged(database);
    const { problems } = await findUnseenChanges(database, mapping, 'unseen');
    expect(problems.map(({ what }) => what)).toEqual([expect.stringContaining('when one of people changes, unseen')]);
    await sql(url, insert(50), insert(51));
    await until(() => has(tasks, 51));
    tasks.length = 0;
    await sql(url, 'DELETE FROM people WHERE id = 50', 'DELETE FROM t');
    await until(() => has(tasks, 51));
    expect(has(tasks, 50)).toBe(isLogged);
  });

  it('looks at the server again: another one begins a new epoch, one that cannot be captured ends it, and is not forgotten', async () => {
    const { url, mapping } = await site();
    let identity = 'one';
    let wrong: string | undefined;
    const parts = {
      stallMs: 3_000,
      server: async () => identity,
      check: async () => {
        if (wrong !== undefined) throw new StartError(wrong);
      },
    };
    const first = await capturing(url, mapping, parts);
    await until(() => first.gaps.length === 1);
    await sql(url, insert(1));
    await until(() => has(first.tasks, 1));
    identity = 'another'; // behind the same address, while the log of the first one is still read
    await until(() => first.gaps.length === 2);
    await sql(url, insert(2));
    await until(() => has(first.tasks, 2));
    wrong = 'binlog_order_commits is OFF';
    await expect(first.running).rejects.toThrow(wrong);
    wrong = undefined;
    const second = await capturing(url, mapping, parts);
    await until(() => second.gaps.length === 1);
    expect([first.gaps, second.gaps]).toEqual([['first_start', 'server'], ['position']]);
  });

  it('ends when another process has got the lease', async () => {
    const { url, mapping } = await site();
    const { gaps, running, database } = await capturing(url, mapping);
    await until(() => gaps.length === 1);
    await nextFencingToken(database, 'capture', Date.now());
    await sql(url, insert(1));
    await expect(running).rejects.toThrow(StaleFence);
  });
});

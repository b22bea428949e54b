import knex, { type Knex } from 'knex';
import { type Connection, createConnection, createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/mysql/migrate.ts';
import { closeAtEnd, freshDatabase, sql } from '../../../../test/support/servers.ts';
import type { Task } from '../../src/client.ts';
import * as onKnex from '../../src/outbox/knex.ts';
import * as onMysql2 from '../../src/outbox/mysql2.ts';
import { rowOf } from '../../src/task-row.ts';
import { EVERY_TASK } from '../support/every-task.ts';

let url: string;
let site: Knex;

beforeAll(async () => {
  url = await freshDatabase();
  await migrate({ url });
  site = knex({ client: 'mysql2', connection: url });
});
afterAll(() => site.destroy());

/** What the helpers of both libraries can do, in a transaction that ends as the test says. */
interface Outbox {
  writeTask(task: Task, options?: onKnex.WriteOptions): Promise<string>;
  writeTasks(tasks: readonly Task[]): Promise<string[]>;
}

class RolledBack extends Error {}

async function inKnex(work: (outbox: Outbox) => Promise<void>): Promise<void> {
  await site.transaction((trx) =>
    work({
      writeTask: (task, options) => onKnex.writeTask(trx, task, options),
      writeTasks: (tasks) => onKnex.writeTasks(trx, tasks),
    }),
  );
}

async function inMysql2(work: (outbox: Outbox) => Promise<void>): Promise<void> {
  const connection: Connection = await createConnection(url);
  try {
    await connection.beginTransaction();
    await work({
      writeTask: (task, options) => onMysql2.writeTask(connection, task, options),
      writeTasks: (tasks) => onMysql2.writeTasks(connection, tasks),
    });
    await connection.commit();
  } finally {
    await connection.end();
  }
}

/** The outbox, as text: ids beyond 2^53 must be there as they were given. */
async function takeRows() {
  const columns =
    'type, CAST(user_id AS CHAR) AS user_id, CAST(other_id AS CHAR) AS other_id, at, CAST(version AS CHAR) AS version, published_at';
  const rows = await sql(url, `SELECT ${columns} FROM recency_outbox ORDER BY id`);
  await sql(url, 'DELETE FROM recency_outbox');
  return rows;
}

const TASK = { type: 'recency.contact.added', user: '42', contact: '7', version: 3 } as const;

describe.each([
  ['knex', inKnex],
  ['mysql2', inMysql2],
])('the outbox helper for %s', (_library, inTransaction) => {
  it.each(EVERY_TASK)('writes $task.type and returns its token', async ({ task, token }) => {
    await inTransaction(async (outbox) => expect(await outbox.writeTask(task)).toBe(token));
    expect(await takeRows()).toEqual([{ ...rowOf(task), published_at: null }]);
  });

  it('writes the trace of the change, unless it is malformed, and needs no column where there is none', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await inTransaction(async (outbox) => {
      await outbox.writeTask(TASK, { traceparent });
      await outbox.writeTask(TASK, { traceparent: 'malformed' });
    });
    const rows = await sql(url, 'SELECT traceparent FROM recency_outbox ORDER BY id');
    expect(rows).toEqual([{ traceparent }, { traceparent: null }]);
    await sql(url, 'DELETE FROM recency_outbox', 'ALTER TABLE recency_outbox DROP COLUMN traceparent');
    await inTransaction(async (outbox) => void (await outbox.writeTask(TASK)));
    expect(await takeRows()).toHaveLength(1);
    await sql(url, 'ALTER TABLE recency_outbox ADD COLUMN traceparent VARCHAR(255) NULL');
  });

  it('takes a contact with the number of the user only where ids are separate', async () => {
    const equal: Task = { ...TASK, contact: TASK.user };
    await inTransaction(async (outbox) => {
      await expect(outbox.writeTask(equal)).rejects.toMatchObject({ name: 'InvalidArgument', field: 'contact' });
      expect(await outbox.writeTask(equal, { separateIds: true })).toBe('contact=42@3');
    });
    expect(await takeRows()).toMatchObject([{ user_id: '42', other_id: '42' }]);
  });

  it('writes nothing that is rolled back', async () => {
    const rolledBack = inTransaction(async (outbox) => {
      await outbox.writeTask(TASK);
      throw new RolledBack();
    });
    await expect(rolledBack).rejects.toThrow(RolledBack);
    expect(await takeRows()).toEqual([]);
  });

  it('lets nobody see the row before the commit', async () => {
    await inTransaction(async (outbox) => {
      await outbox.writeTask(TASK);
      expect(await sql(url, 'SELECT id FROM recency_outbox')).toEqual([]);
    });
    expect(await takeRows()).toHaveLength(1);
  });

  it('writes many, in their order', async () => {
    const tasks = Array.from({ length: 1_201 }, (_, i): Task => ({ ...TASK, contact: String(100 + i) }));
    await inTransaction(async (outbox) => {
      expect((await outbox.writeTasks(tasks)).at(-1)).toBe('contact=1300@3');
    });
    expect((await takeRows()).map(({ other_id }) => other_id)).toEqual(tasks.map((task) => rowOf(task).other_id));
  });

  it('writes none of several where one is wrong, and says which field', async () => {
    await inTransaction(async (outbox) => {
      const wrong = { ...TASK, contact: 7 as unknown as string };
      await expect(outbox.writeTasks([TASK, wrong])).rejects.toMatchObject({
        name: 'InvalidArgument',
        field: 'contact',
      });
    });
    expect(await takeRows()).toEqual([]);
  });
});

describe('what is no transaction is refused', () => {
  it('a plain knex', async () => {
    const plain = onKnex.writeTask(site as unknown as Knex.Transaction, TASK);
    await expect(plain).rejects.toMatchObject({ name: 'InvalidArgument', field: 'transaction' });
    expect(await takeRows()).toEqual([]);
  });

  it('a pool of mysql2', async () => {
    const pool = createPool(url);
    closeAtEnd(() => pool.end());
    const pooled = onMysql2.writeTask(pool as unknown as Connection, TASK);
    await expect(pooled).rejects.toMatchObject({ name: 'InvalidArgument', field: 'connection' });
    expect(await takeRows()).toEqual([]);
  });
});

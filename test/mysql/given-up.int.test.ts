import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../src/mysql/connections.ts';
import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { mysqlUrl } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** A call that waits until its deadline takes longer than a test may. */
const OPTIONS = { connections: 1, queue: 10, deadlineMs: 600_000, tls: undefined };

async function poolOn(): Promise<{ pool: ConnectionPool; proxy: TcpProxy }> {
  const proxy = await TcpProxy.before(mysqlUrl());
  const pool = new ConnectionPool(proxy.url, OPTIONS);
  onTestFinished(async () => {
    await pool.close();
    await proxy[Symbol.asyncDispose]();
  });
  return { pool, proxy };
}

const select = (pool: ConnectionPool) => pool.use(async (connection) => void (await connection.query('SELECT 1')));

async function expectGivenUp(pool: ConnectionPool, waiting: readonly Promise<unknown>[]): Promise<void> {
  pool.giveUp();
  for (const each of [...waiting, select(pool)]) await expect(each).rejects.toThrow(DatabaseUnavailable);
}

it('a statement that the server does not answer, and those that wait behind it; its connection is closed', async () => {
  const { pool, proxy } = await poolOn();
  await select(pool);
  proxy.silence();
  const asked: Socket[] = [];
  const statement = pool.use(async (connection) => {
    asked.push((connection.connection as unknown as { stream: Socket }).stream);
    await connection.query('SELECT 1');
  });
  await until(() => asked.length === 1);
  await expectGivenUp(pool, [statement, select(pool)]);
  expect(asked.map(({ writableEnded }) => writableEnded)).toEqual([true]);
});

it('a connection that is being opened', async () => {
  const { pool, proxy } = await poolOn();
  proxy.silence({ alsoNew: true });
  const waiting = select(pool);
  await until(() => proxy.connections > 0);
  await expectGivenUp(pool, [waiting]);
});

it('a session that is being set up', async () => {
  const { pool, proxy } = await poolOn();
  let isOpen = false;
  pool.onNew(() => {
    isOpen = true;
    proxy.silence();
  });
  const waiting = select(pool);
  await until(() => isOpen);
  await expectGivenUp(pool, [waiting]);
});

it('a connection that is asked whether it is alive, before a write', async () => {
  const { pool, proxy } = await poolOn();
  await select(pool);
  const from = performance.now();
  await until(() => performance.now() - from > 600); // it answered too long ago to be taken for alive
  proxy.silence();
  const waiting = pool.use(async () => undefined, { once: true });
  await until(() => pool.callers.running === 1);
  await expectGivenUp(pool, [waiting]);
});

it('closing then waits for nothing', async () => {
  const { pool, proxy } = await poolOn();
  await select(pool);
  proxy.silence();
  const waiting = select(pool);
  const closed = pool.close();
  await expectGivenUp(pool, [waiting]);
  await closed;
});

import { createServer } from 'node:net';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, status } from '../../src/mysql/migrate.ts';
import { SchemaError } from '../../src/mysql/schema-connection.ts';
import { freshDatabase, freshName, mysqlUrl, sql } from '../support/servers.ts';
import { migratedDatabase } from '../support/stores.ts';

const PASSWORD = 'sesame-4711';
const account = freshName();
let root: Connection;

beforeAll(async () => {
  root = await createConnection(new URL('/', mysqlUrl()).href);
  await root.query('CREATE USER ?@? IDENTIFIED BY ?', [account, '%', PASSWORD]);
});

afterAll(async () => {
  await root.query('DROP USER ?@?', [account, '%']);
  await root.end();
});

function as(user: string, password: string, database: string, server = mysqlUrl()): string {
  const url = new URL(`/${database}`, server);
  url.username = user;
  url.password = password;
  return url.href;
}

/** What it was refused with: always a SchemaError, never with the password in it. */
async function refusal(
  url: string,
  call: (options: { url: string }) => Promise<unknown> = migrate,
): Promise<SchemaError> {
  const error = await call({ url }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SchemaError);
  expect((error as SchemaError).message).not.toContain(PASSWORD);
  return error as SchemaError;
}

describe('a migrate that cannot be done says why', () => {
  it('nothing listens', async () => {
    const { code, message } = await refusal(as('root', PASSWORD, 'recency', 'mysql://127.0.0.1:1'));
    expect(code).toBe('unreachable');
    expect(message).toMatch(/127\.0\.0\.1:1 .*ECONNREFUSED.*RECENCY_MYSQL_URL/);
  });

  it('something listens but never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const url = as('root', PASSWORD, 'recency', `mysql://127.0.0.1:${port}`);
    expect((await refusal(url, (options) => migrate({ ...options, connectTimeoutMs: 50 }))).code).toBe('unreachable');
    silent.close();
  });

  it('something listens and closes each connection', async () => {
    const closing = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => closing.once('listening', resolve));
    const { port } = closing.address() as { port: number };
    const { code, message } = await refusal(as('root', PASSWORD, 'recency', `mysql://127.0.0.1:${port}`));
    expect(code).toBe('unreachable');
    expect(message).toMatch(/^No MySQL answers at 127\.0\.0\.1:\d+ /);
    closing.close();
  });

  it('the password is wrong', async () => {
    const { code, message } = await refusal(as(account, `${PASSWORD}x`, 'recency'));
    expect(code).toBe('access_denied');
    expect(message).toContain(account);
  });

  it('the database is missing and may not be made', async () => {
    const database = freshName();
    const { code, message } = await refusal(as(account, PASSWORD, database));
    expect(code).toBe('database_missing');
    expect(message).toContain(`CREATE DATABASE \`${database}\``);
  });

  it('the database is missing, for a status', async () => {
    expect((await refusal(as(root.config.user ?? '', '', freshName()), status)).code).toBe('database_missing');
  });

  it('the account may look but not change', async () => {
    const database = new URL(await freshDatabase()).pathname.slice(1);
    await root.query('GRANT SELECT ON ??.* TO ?@?', [database, account, '%']);
    const { code, message } = await refusal(as(account, PASSWORD, database));
    expect(code).toBe('not_permitted');
    expect(message).toContain(`GRANT ALL ON \`${database}\``);
  });

  it('the database was migrated by a newer version', async () => {
    const url = await migratedDatabase();
    await sql(url, "INSERT INTO recency_migrations (name, batch) VALUES ('0999_from_the_future', 2)");
    const { code, message } = await refusal(url);
    expect(code).toBe('newer_schema');
    expect(message).toContain('0999_from_the_future');
  });

  it.each([
    '',
    'nonsense',
    'http://127.0.0.1/recency',
    'mysql://127.0.0.1',
    `mysql://root:${PASSWORD}@127.0.0.1:3306/`,
  ])('the address is %j', async (url) => {
    expect((await refusal(url)).code).toBe('bad_url');
  });
});

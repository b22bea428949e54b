/** What errors that the servers really send count as. */
import { beforeAll, describe, expect, it } from 'vitest';
import { isOfRow, mysqlFaultOf } from '../../src/mysql/faults.ts';
import { closeAtEnd, freshDatabase, freshName, sql } from '../support/servers.ts';

let url: string;
let restricted: string;
beforeAll(async () => {
  url = await freshDatabase();
  const account = freshName();
  await sql(
    url,
    'CREATE TABLE one (id BIGINT PRIMARY KEY, text VARCHAR(20))',
    "INSERT INTO one VALUES (1, '(')",
    'CREATE TABLE two (id BIGINT)',
    'INSERT INTO two VALUES (1), (2)',
    'CREATE FUNCTION double_of(number BIGINT) RETURNS BIGINT DETERMINISTIC RETURN 2 * number',
    `CREATE FUNCTION only_one() RETURNS BIGINT READS SQL DATA
     BEGIN DECLARE found BIGINT; SELECT id INTO found FROM two; RETURN found; END`,
    `CREATE USER ${account} IDENTIFIED BY 'p'`,
    `GRANT SELECT (id) ON one TO ${account}`,
  );
  closeAtEnd(() => sql(url, `DROP USER ${account}`));
  const address = new URL(url);
  [address.username, address.password] = [account, 'p'];
  restricted = address.href;
});

async function errorOf(statement: string, address = url): Promise<unknown> {
  try {
    await sql(address, statement);
  } catch (error) {
    return error;
  }
  throw new Error(`this has worked: ${statement}`);
}

describe('the setup is at fault', () => {
  it.each([
    'SELECT 1 FROM missing',
    'SELECT missing FROM one',
    'SELECT missing.id FROM one',
    'SELECT missing()',
    'SELECT double_of(1, 2)',
    'SELECT 1 FROM missing.one',
    'SELECT FROM one',
  ])('of %s', async (statement) => {
    expect(mysqlFaultOf(await errorOf(statement))).toBe('setup');
  });

  it.each([
    'SELECT id FROM two',
    'SELECT text FROM one',
    'SELECT double_of(1)',
    'UPDATE one SET id = 2',
    'CREATE TEMPORARY TABLE other (id INT)',
    'FLUSH STATUS',
  ])('of %s by an account without the right to it', async (statement) => {
    expect(mysqlFaultOf(await errorOf(statement, restricted))).toBe('setup');
  });
});

it('the setup is at fault where there is no such database', async () => {
  const other = new URL(url);
  other.pathname = `/${freshName()}`;
  expect(mysqlFaultOf(await errorOf('SELECT 1', other.href))).toBe('setup');
});

describe('a row is at fault', () => {
  it.each(['SELECT only_one()', 'SELECT EXP(id * 999) FROM one', 'SELECT (SELECT id FROM two) FROM one'])(
    'of %s',
    async (statement) => {
      const error = await errorOf(statement);
      expect(mysqlFaultOf(error)).toBe('row');
      expect(isOfRow(error)).toBe(true);
    },
  );

  it.each([
    ['HY000', 3691],
    ['42000', 1425],
    ['99XYZ', 30_001],
  ])('as far as is known, with the SQLSTATE %s and the number %d', (sqlState, errno) => {
    const error = Object.assign(new Error('of a server'), { sqlState, errno });
    expect(mysqlFaultOf(error)).toBe('unknown');
    expect(isOfRow(error)).toBe(true);
  });

  it('but not of an error that no server has sent', () => {
    expect(isOfRow(new Error('a defect'))).toBe(false);
    expect(isOfRow(Object.assign(new Error('a defect'), { errno: 3691 }))).toBe(false);
  });
});

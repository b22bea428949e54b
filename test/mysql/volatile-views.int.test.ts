import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { Database } from '../../src/mysql/database.ts';
import { findVolatileViews } from '../../src/mysql/volatile-views.ts';
import { freshDatabase, freshName, sql as sqlOn } from '../support/servers.ts';

let url: string;

const TABLES = [
  'CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, `now` DATETIME, at BIGINT, `user` VARCHAR(20), `rand` INT, ts TIMESTAMP NULL)',
  'CREATE VIEW recency_photos AS SELECT id FROM t',
];

beforeAll(async () => {
  url = await freshDatabase();
  await sql(...TABLES);
});

const sql = (...statements: string[]) => sqlOn(url, ...statements);

/** What is found, as this account, in `recency_contacts` when it selects this. */
async function found(select: string, account = url) {
  await sql(`CREATE OR REPLACE VIEW recency_contacts AS SELECT ${select}`);
  return await look(account);
}

async function look(account = url) {
  const database = new Database(account, { connections: 1, queue: 10, deadlineMs: 60_000 });
  try {
    const { calls, unread } = await findVolatileViews(database, [CONTACTS]);
    return { calls: calls.map(({ view, call, place }) => `${view}: ${call} in ${place}`), unread };
  } finally {
    await database.close();
  }
}

describe('a view that depends on more than rows', () => {
  it.each([
    ['NOW()', /(now|current_timestamp)\(\)/],
    ['NOW(3)', /(now|current_timestamp)\(\)/],
    ['CURRENT_TIMESTAMP', /(now|current_timestamp)\(\)/],
    ['LOCALTIMESTAMP(2)', /(now|current_timestamp)\(\)/],
    ['SYSDATE(6)', /sysdate\(\)/],
    ['UTC_TIMESTAMP(3)', /utc_timestamp\(\)/],
    ['UTC_DATE', /utc_date\(\)/],
    ['CURRENT_DATE', /curdate\(\)/],
    ['CURTIME()', /curtime\(\)/],
    ['UNIX_TIMESTAMP()', /unix_timestamp\(\)/],
    ['UNIX_TIMESTAMP(CURDATE())', /curdate\(\)/],
    ['t.at > UNIX_TIMESTAMP() * 1000', /unix_timestamp\(\)/],
    ['DATE_SUB(NOW(), INTERVAL 1 DAY) < t.now', /(now|current_timestamp)\(\)/],
    ['RAND()', /rand\(\)/],
    ['UUID()', /uuid\(\)/],
    ['CONNECTION_ID()', /connection_id\(\)/],
    ['USER()', /user\(\)/],
    ['CURRENT_USER', /current_user\(\)/],
    ["GET_LOCK('a', 0)", /get_lock\(\)/],
    ["CONCAT('it''s \\\\', NOW())", /(now|current_timestamp)\(\)/],
  ])('is found by %s', async (expression, call) => {
    const { calls } = await found(`id, ${expression} AS x FROM t`);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatch(new RegExp(`^recency_contacts: ${call.source} in recency_contacts$`));
  });

  it.each([
    ['a column by such a name', 't.now AS a, t.user AS b, t.rand AS c'],
    ['an alias by such a name', 't.at AS `now()`, t.id AS `rand`'],
    ['such a call of a column', 'UNIX_TIMESTAMP(t.now) AS x, UNIX_TIMESTAMP(t.ts) * 1000 AS y'],
    ['a text', "'NOW()' AS a, 'it''s \\\\' AS b, ' NOW() ' AS c, \"RAND()\" AS d"],
    ['a format', "DATE_FORMAT(t.now, '%Y now()') AS x"],
    [
      'names of columns',
      't.id, (WITH c (a) AS (SELECT id FROM t), d (b) AS (SELECT a FROM c) SELECT MAX(b) FROM d) AS x',
    ],
    ['what the site needs to tell times', "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', t.now) DIV 1000 AS x"],
  ])('is not found in %s', async (_what, columns) => {
    expect(await found(`${columns} FROM t`)).toEqual({ calls: [], unread: [] });
  });

  it('is found in a subquery, in a condition and behind other views, and once each', async () => {
    await sql('CREATE OR REPLACE VIEW inner_view AS SELECT id FROM t WHERE `now` < NOW() OR ts < NOW()');
    await sql('CREATE OR REPLACE VIEW outer_view AS SELECT a.id FROM (t AS a JOIN inner_view AS b ON a.id = b.id)');
    const { calls } = await found(
      't.id FROM t JOIN outer_view AS o ON o.id = t.id LEFT JOIN (SELECT id FROM inner_view WHERE RAND() < 1) AS d ON TRUE',
    );
    expect(calls.map((call) => call.replace('current_timestamp()', 'now()')).sort()).toEqual([
      'recency_contacts: now() in inner_view',
      'recency_contacts: rand() in recency_contacts',
    ]);
  });

  it('is found in another schema, and in the photos', async () => {
    const name = new URL(await freshDatabase()).pathname.slice(1);
    await sql(`CREATE VIEW ${name}.clock AS SELECT 1 AS id, NOW() AS x`);
    await sql(`CREATE OR REPLACE VIEW recency_photos AS SELECT t.id FROM t JOIN ${name}.clock ON clock.id = t.id`);
    onTestFinished(async () => void (await sql('CREATE OR REPLACE VIEW recency_photos AS SELECT id FROM t')));
    const { calls } = await found('id FROM t');
    expect(calls).toEqual([expect.stringMatching(`^recency_photos: .*\\(\\) in ${name}.clock$`)]);
  });

  it('is found in the functions that it calls, and in theirs, however they are written', async () => {
    const body = 'RETURNS BIGINT NOT DETERMINISTIC READS SQL DATA';
    await sql(
      `CREATE FUNCTION deep(a BIGINT) ${body} RETURN a /* NOW() */ + Unix_Timestamp( ) -- RAND()\n`,
      `CREATE FUNCTION shallow(a BIGINT) ${body} BEGIN DECLARE at BIGINT; SET at = Deep(a); RETURN at + @offset; END`,
      `CREATE FUNCTION harmless(a BIGINT, rand INT) ${body} BEGIN
         DECLARE text_ VARCHAR(9) DEFAULT 'NOW()'; DECLARE user INT; -- CURRENT_TIMESTAMP
         # SYSDATE()
         RETURN a + UNIX_TIMESTAMP('1999-01-01') + IF(a > 1, rand, 0); END`,
      `CREATE FUNCTION bare() ${body} RETURN CURRENT_TIMESTAMP > 1`,
    );
    expect((await found('shallow(id) AS x FROM t')).calls).toEqual([
      'recency_contacts: @offset in the function shallow',
      'recency_contacts: unix_timestamp() in the function deep',
    ]);
    expect((await found('bare() AS x FROM t')).calls).toEqual([
      'recency_contacts: current_timestamp in the function bare',
    ]);
    expect(await found('harmless(id, 1) AS x FROM t')).toEqual({ calls: [], unread: [] });
  });

  it('is not known where this account may not read the text', async () => {
    const user = freshName();
    const database = new URL(url).pathname.slice(1);
    await sql(`CREATE USER ${user} IDENTIFIED BY 'pw'`, `GRANT SELECT ON ${database}.* TO ${user}`);
    onTestFinished(async () => void (await sql(`DROP USER ${user}`)));
    const account = Object.assign(new URL(url), { username: user, password: 'pw' }).href;
    const unread = ['recency_contacts', 'recency_photos'];
    expect(await found('id, NOW() AS x FROM t', account)).toEqual({ calls: [], unread });
    await sql(`GRANT SHOW VIEW ON ${database}.* TO ${user}`);
    expect((await look(account)).calls).toHaveLength(1);
    await sql('CREATE FUNCTION hidden() RETURNS BIGINT NOT DETERMINISTIC NO SQL RETURN RAND()');
    const unseen = { calls: [], unread: ['the function hidden'] };
    expect(await found('id, hidden() AS x FROM t', account)).toEqual(unseen);
    await sql(`GRANT EXECUTE ON ${database}.* TO ${user}`);
    expect(await look(account)).toEqual(unseen);
  });
});

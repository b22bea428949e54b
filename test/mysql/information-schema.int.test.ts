import { expect, it, onTestFinished } from 'vitest';
import { findBaseTables, findCascades, readTableColumns } from '../../src/capture/base-tables.ts';
import { findTableProblems } from '../../src/capture/capture-checks.ts';
import { CONTACTS, KINDS } from '../../src/contracts/kind.ts';
import { Database, type Parameter, type ReadOptions } from '../../src/mysql/database.ts';
import { inspectSchema } from '../../src/mysql/inspect-schema.ts';
import { findVolatileViews } from '../../src/mysql/volatile-views.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { freshDatabase, freshName, sql } from '../support/servers.ts';
import { migratedDatabase } from '../support/stores.ts';

/** A database that keeps what it was asked of information_schema. */
class SchemaQuestions extends CountingDatabase {
  readonly asked: { statement: string; parameters: readonly Parameter[] }[] = [];

  override rows(statement: string, parameters: readonly Parameter[], options?: ReadOptions) {
    if (statement.includes('information_schema.')) this.asked.push({ statement, parameters });
    return super.rows(statement, parameters, options);
  }
}

it('no question about the schema looks at every database of the server', async () => {
  const url = await migratedDatabase();
  const database = new SchemaQuestions(url);
  const schema = new URL(url).pathname.slice(1);
  const tables = [{ schema, table: 'contacts' }];
  await inspectSchema(database);
  await findCascades(database, tables);
  await findBaseTables(database, KINDS);
  await findTableProblems(database, tables);
  await findVolatileViews(database, KINDS);
  await readTableColumns((text, values) => database.rows(text, values), { schema, table: 'contacts' });
  const asked = [...database.asked];
  expect(asked.length).toBeGreaterThanOrEqual(8);
  for (const { statement, parameters } of asked) {
    const plan = await database.rows(`EXPLAIN ${statement}`, parameters);
    expect(JSON.stringify(plan), statement).not.toContain('Scanned all databases'); // MariaDB says so
  }
});

it('every table behind the views is found: unseen, of another name for it, in lists and procedures that functions call', async () => {
  const [url, elsewhere] = [await freshDatabase(), await freshDatabase()];
  const [schema, other] = [url, elsewhere].map((one) => new URL(one).pathname.slice(1));
  const [row] = await sql(url, 'SELECT VERSION() AS version');
  const isMariaDb = String(row?.version).includes('MariaDB');
  const versioned = isMariaDb ? 'WITH SYSTEM VERSIONING' : '';
  const ofTable = isMariaDb ? '(SELECT COUNT(*) FROM r)' : '(SELECT COUNT(*) FROM (TABLE r LIMIT 1) AS some)';
  const reads = 'RETURNS INT DETERMINISTIC READS SQL DATA';
  const user = freshName();
  await sql(
    url,
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'p', 'q', 'r', 'मित्र'].map(
      (name) => `CREATE TABLE ${name} (id INT PRIMARY KEY, x INT, at DATE)`,
    ),
    `CREATE TABLE kept (id INT PRIMARY KEY) ${versioned}`,
    `CREATE TABLE ${other}.hidden (id INT PRIMARY KEY)`,
    'CREATE PROCEDURE deep(OUT n INT) READS SQL DATA SELECT COUNT(*) INTO n FROM e',
    `CREATE FUNCTION counts(i INT) ${reads} BEGIN DECLARE n INT; CALL deep(n);
       RETURN n + (SELECT COUNT(*) FROM b AS one, (c JOIN d ON c.id = d.id) JOIN f AS last ON last.id IN (c.id, one.id), g)
         + (SELECT COUNT(*) FROM {OJ p LEFT OUTER JOIN q ON p.id = q.id}) + ${ofTable}
         + (SELECT COUNT(*) FROM मित्र); END`,
    `CREATE VIEW recency_contacts AS SELECT a.id, counts(a.id) AS n, EXTRACT(YEAR FROM a.at) AS y, TRIM('x' FROM a.x) AS t
       FROM a JOIN kept ON kept.id = a.id LEFT JOIN ${other}.hidden AS h ON h.id = a.id`,
    'CREATE VIEW recency_photos AS SELECT id FROM a',
    `CREATE USER ${user} IDENTIFIED BY 'pw'`,
    `GRANT ALL ON ${schema}.* TO ${user}`,
  );
  onTestFinished(async () => void (await sql(url, `DROP USER ${user}`)));
  const account = Object.assign(new URL(url), { username: user, password: 'pw' }).href;
  const found = async (of: string) => {
    const database = new Database(of, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    return await findBaseTables(database, [CONTACTS]);
  };
  const names = (tables: readonly { schema: string; table: string }[]) =>
    tables.map(({ schema: of, table }) => (of === schema ? table : `other.${table}`)).sort();
  const { tables, unread } = await found(url);
  expect(unread).toEqual([]);
  expect(names(tables)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'kept', 'other.hidden', 'p', 'q', 'r', 'मित्र']);
  expect(names((await found(account)).tables)).toContain('other.hidden');
});

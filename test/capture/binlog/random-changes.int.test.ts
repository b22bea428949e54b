import fc from 'fast-check';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../src/capture/mapping-file.ts';
import type { DeliveredTask } from '../../../src/contracts/task.ts';
import { migrate } from '../../../src/mysql/migrate.ts';
import { capturing } from '../../support/capturing.ts';
import { cases } from '../../support/cases.ts';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { sql } from '../../support/servers.ts';
import { until } from '../../support/until.ts';

/** A table as the model has it: by its key, the other column. */
type Table = Map<string, string>;

const IDS = ['1', '2', '3', '9007199254740993', '18446744073709551614', '18446744073709551615'];
const id = fc.constantFrom(...IDS);
const pair = fc.tuple(id, id);

type Statement =
  | { readonly does: 'insert' | 'replace' | 'upsert'; readonly rows: readonly (readonly [string, string])[] }
  | { readonly does: 'rekey' | 'set' | 'delete'; readonly from: string; readonly to: string };

const statement: fc.Arbitrary<Statement> = fc.oneof(
  fc.record({
    does: fc.constantFrom('insert' as const, 'replace' as const, 'upsert' as const),
    rows: fc.uniqueArray(pair, { minLength: 1, maxLength: 4, selector: ([key]) => key }),
  }),
  fc.record({ does: fc.constantFrom('rekey' as const, 'set' as const, 'delete' as const), from: id, to: id }),
);

const transaction = fc.record({
  statements: fc.array(statement, { minLength: 1, maxLength: 5 }),
  isKept: fc.boolean(),
});

function textOf(statement: Statement): string {
  if ('rows' in statement) {
    const values = statement.rows.map(([a, b]) => `(${a}, ${b})`).join(', ');
    if (statement.does === 'replace') return `REPLACE INTO t VALUES ${values}`;
    const ignore = statement.does === 'insert' ? 'IGNORE ' : '';
    const end = statement.does === 'upsert' ? ' ON DUPLICATE KEY UPDATE b = VALUES(b)' : '';
    return `INSERT ${ignore}INTO t VALUES ${values}${end}`;
  }
  const { does, from, to } = statement;
  if (does === 'delete') return `DELETE FROM t WHERE a = ${from} OR b = ${to}`;
  return does === 'set'
    ? `UPDATE t SET b = ${to} WHERE a >= ${from}`
    : `UPDATE IGNORE t SET a = ${to} WHERE a = ${from}`;
}

/** Does the statement to the model; returns the pairs of all rows that it changes, as they were and as they are. */
function apply(table: Table, statement: Statement): (readonly [string, string])[] {
  const touched: (readonly [string, string])[] = [];
  const put = (a: string, b: string) => {
    const old = table.get(a);
    if (old === b) return;
    if (old !== undefined) touched.push([a, old]);
    table.set(a, b);
    touched.push([a, b]);
  };
  const drop = (a: string) => {
    touched.push([a, table.get(a) ?? '']);
    table.delete(a);
  };
  if ('rows' in statement) {
    for (const [a, b] of statement.rows) if (statement.does !== 'insert' || !table.has(a)) put(a, b);
    return touched;
  }
  const { does, from, to } = statement;
  for (const [a, b] of [...table]) {
    if (does === 'delete' && (a === from || b === to)) drop(a);
    if (does === 'set' && BigInt(a) >= BigInt(from)) put(a, to);
    if (does === 'rekey' && a === from && !table.has(to)) {
      drop(a);
      put(to, b);
    }
  }
  return touched;
}

const mapping = (schema: string) =>
  parseMapping('version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n', {
    file: 'capture.yaml',
    schema,
  });

const pairsOf = (tasks: readonly { task: DeliveredTask }[]) =>
  new Set(tasks.map(({ task }) => ('contact' in task ? `${task.user} ${task.contact}` : '')));

describe('random changes', () => {
  const mysql = loggedMysql(WITH_GTIDS);

  it('are exactly the hints of the rows that were changed', async () => {
    const url = await mysql.createDatabase();
    await migrate({ url });
    await sql(url, 'CREATE TABLE t (a BIGINT UNSIGNED PRIMARY KEY, b BIGINT UNSIGNED NOT NULL)');
    const { tasks, gaps } = await capturing(url, mapping(new URL(url).pathname.slice(1)));
    await until(() => gaps.length === 1);
    const connection = await createConnection(url);
    let mark = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 8 }), async (transactions) => {
        await connection.query('DELETE FROM t');
        await settled();
        tasks.length = 0;
        const table: Table = new Map();
        const expected = new Set<string>();
        for (const { statements, isKept } of transactions) {
          const inside: Table = new Map(table);
          await connection.beginTransaction();
          const touched: (readonly [string, string])[] = [];
          for (const one of statements) {
            await connection.query(textOf(one));
            touched.push(...apply(inside, one));
          }
          await (isKept ? connection.commit() : connection.rollback());
          if (!isKept) continue;
          table.clear();
          for (const [a, b] of inside) table.set(a, b);
          for (const [a, b] of touched) if (a !== b) expected.add(`${a} ${b}`);
        }
        await settled();
        expect([...pairsOf(tasks)].filter((one) => !one.startsWith('77 ')).sort()).toEqual([...expected].sort());
      }),
      { numRuns: cases(60) },
    );
    await connection.end();
    expect(gaps).toEqual(['first_start']);

    /** Everything before has come through: a change of the test's own is the last. */
    async function settled(): Promise<void> {
      mark += 1;
      await connection.query(`REPLACE INTO t VALUES (77, ${mark})`);
      await until(() => pairsOf(tasks).has(`77 ${mark}`));
      await connection.query('DELETE FROM t WHERE a = 77');
    }
  });
});

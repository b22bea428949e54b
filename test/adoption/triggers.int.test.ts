import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '@fast-check/vitest';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Row, RowChange } from '../../src/capture/change-source.ts';
import { hintBatches } from '../../src/capture/hints.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { everyKind, siteOf } from '../../src/site/site.ts';
import { cases } from '../support/cases.ts';
import { runInProcess } from '../support/in-process.ts';
import { sql } from '../support/servers.ts';
import { migratedDatabase } from '../support/stores.ts';

const TABLES = [
  'CREATE TABLE follows (id INT AUTO_INCREMENT PRIMARY KEY, who BIGINT UNSIGNED NULL, whom BIGINT UNSIGNED NULL, note INT NOT NULL DEFAULT 0, UNIQUE KEY (who, whom))',
  'CREATE TABLE filters (id INT AUTO_INCREMENT PRIMARY KEY, who BIGINT UNSIGNED, whom BIGINT UNSIGNED, what VARCHAR(40) NULL, note INT NOT NULL DEFAULT 0)',
  'CREATE TABLE posts (id BIGINT UNSIGNED PRIMARY KEY, `owner-id` BIGINT UNSIGNED NULL, scope VARCHAR(20) NULL, likes INT NOT NULL DEFAULT 0)',
  "CREATE TABLE files (id INT AUTO_INCREMENT PRIMARY KEY, post BIGINT UNSIGNED NULL, path VARCHAR(40) NOT NULL DEFAULT '')",
  'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY, status VARCHAR(20) NULL, logins INT NOT NULL DEFAULT 0)',
];

const MAPPING = `
version: 1
tables:
  - { table: follows, hint: contact, user: who, contact: whom, columns: [who] }
  - { table: filters, hint: contact, user: who, contact: whom, when: { what: ['App\\Person', null] } }
  - { table: posts, hint: photo, owner: owner-id, columns: [scope] }
  - { table: files, hint: photo, owner: { table: posts, key: id, equals: post, column: owner-id } }
  - { table: people, hint: user, user: id, columns: [status] }
`;

let url: string;
let connection: Connection;
let file: string;

beforeAll(async () => {
  url = await migratedDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'recency-triggers-test-'));
  file = join(folder, 'mapping.yaml');
  writeFileSync(file, MAPPING);
  await sql(url, ...TABLES, ...(await written()));
  connection = await createConnection({ uri: url, supportBigNumbers: true, bigNumberStrings: true });
  return () => rmSync(folder, { recursive: true, force: true });
});
afterAll(() => connection.end());
afterEach(async () => {
  for (const table of ['files', 'follows', 'filters', 'posts', 'people', 'recency_outbox']) {
    await connection.query(`DELETE FROM ${table}`);
  }
  await connection.query('DELETE FROM recency_outbox');
});

/** The statements that the command writes. */
async function written(...flags: string[]): Promise<string[]> {
  return await writtenWith({}, ...flags);
}

async function writtenWith(settings: Readonly<Record<string, string>>, ...flags: string[]): Promise<string[]> {
  const env = { MYSQL_URL: url, ...settings };
  const { code, json } = await runInProcess(['triggers', '--json', '--mapping', file, ...flags], env);
  expect(code).toBe(0);
  return (json() as { statements: string[] }[])[0]?.statements ?? [];
}

/** The tasks that the statements leave, in order, as `contact.added 1 2`. */
async function tasksOf(...statements: string[]): Promise<string[]> {
  await connection.query('DELETE FROM recency_outbox');
  for (const statement of statements) await connection.query(statement);
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT type, user_id, other_id FROM recency_outbox ORDER BY id',
  );
  return rows.map(({ type, user_id, other_id }) =>
    [type.replace('recency.', ''), user_id, other_id].filter((part) => part !== null).join(' '),
  );
}

describe('the triggers', () => {
  it('name both images of a row, and nothing for NULL, 0 or a contact of their own', async () => {
    expect(
      await tasksOf(
        'INSERT INTO follows (who, whom) VALUES (1, 2), (1, NULL), (NULL, 2), (3, 3), (0, 2), (18446744073709551615, 5)',
      ),
    ).toEqual(['contact.added 1 2', 'contact.added 18446744073709551615 5']);
    expect(await tasksOf('UPDATE follows SET whom = 9 WHERE who = 1 AND whom = 2')).toEqual([
      'contact.changed 1 9',
      'contact.changed 1 2',
    ]);
    expect(await tasksOf('UPDATE follows SET note = 1')).toEqual([]);
    expect(await tasksOf('DELETE FROM follows WHERE who = 1 AND whom = 9')).toEqual(['contact.removed 1 9']);
  });

  it('name a pair of equal ids where users and contacts are numbered apart, as capture does', async () => {
    const row: Row = { id: 1, who: '3', whom: '3', note: 0 };
    const captured = (separateIds: 'true' | 'false') => {
      const kinds = everyKind(siteOf({ kinds: [CONTACTS.name], separateIds }));
      const batch = hintBatches(parseMapping(MAPPING, { file, schema: 'site', kinds }))();
      batch.add({ schema: 'site', table: 'follows', kind: 'insert', before: undefined, after: row });
      return batch.tasks;
    };
    const insert = 'INSERT INTO follows (who, whom) VALUES (3, 3)';
    try {
      await sql(url, ...(await writtenWith({ SEPARATE_IDS: 'true' })));
      expect(await tasksOf(insert)).toEqual(['contact.added 3 3']);
      expect(captured('true')).toEqual([{ type: 'recency.contact.added', user: '3', contact: '3' }]);
      await connection.query('DELETE FROM follows');
    } finally {
      await sql(url, ...(await written()));
    }
    expect(await tasksOf(insert)).toEqual([]);
    expect(captured('false')).toEqual([]);
  });

  it('see every row of REPLACE and of INSERT … ON DUPLICATE KEY UPDATE', async () => {
    await connection.query('INSERT INTO follows (who, whom) VALUES (1, 2)');
    expect(await tasksOf('REPLACE INTO follows (who, whom) VALUES (1, 2), (1, 3)')).toEqual([
      ...['contact.removed 1 2', 'contact.added 1 2', 'contact.added 1 3'],
    ]);
    const again = 'INSERT INTO follows (who, whom) VALUES (1, 2), (1, 4) ON DUPLICATE KEY UPDATE who = 7';
    expect(await tasksOf(again)).toEqual(['contact.changed 7 2', 'contact.changed 1 2', 'contact.added 1 4']);
    expect(await tasksOf('INSERT IGNORE INTO follows (who, whom) VALUES (1, 4), (1, 5)')).toEqual([
      'contact.added 1 5',
    ]);
  });

  it('see every row of statements about several tables, and of a bulk insert from a SELECT', async () => {
    expect(await tasksOf('INSERT INTO people VALUES (1, NULL, 0), (2, NULL, 0)')).toEqual([
      'user.changed 1',
      'user.changed 2',
    ]);
    expect(
      await tasksOf(
        'INSERT INTO follows (who, whom) SELECT a.id, b.id FROM people AS a JOIN people AS b ON a.id < b.id',
      ),
    ).toEqual(['contact.added 1 2']);
    const both = "UPDATE people JOIN follows ON follows.who = people.id SET people.status = 'gone', follows.who = 5";
    expect((await tasksOf(both)).sort()).toEqual(['contact.changed 1 2', 'contact.changed 5 2', 'user.changed 1']);
    expect(
      (await tasksOf('DELETE people, follows FROM people JOIN follows ON follows.whom = people.id')).sort(),
    ).toEqual(['contact.removed 5 2', 'user.changed 2']);
  });

  it('take a row that met the condition before or meets it now, and NULL as a value', async () => {
    expect(
      await tasksOf(
        "INSERT INTO filters (who, whom, what) VALUES (1, 2, 'App\\\\Person'), (1, 3, 'other'), (1, 4, NULL)",
      ),
    ).toEqual(['contact.added 1 2', 'contact.added 1 4']);
    expect(await tasksOf("UPDATE filters SET what = 'other' WHERE whom = 2")).toEqual(['contact.changed 1 2']);
    expect(await tasksOf("UPDATE filters SET what = 'none' WHERE whom = 2")).toEqual([]);
    expect(await tasksOf('DELETE FROM filters WHERE whom = 3')).toEqual([]);
  });

  it('count a change that a collation does not see, and not one of other columns', async () => {
    await connection.query("INSERT INTO posts VALUES (10, 1, 'public', 0)");
    expect(await tasksOf("UPDATE posts SET scope = 'Public'")).toEqual(['photo.visibility_changed 1']);
    expect(await tasksOf('UPDATE posts SET likes = likes + 1')).toEqual([]);
    expect(await tasksOf('UPDATE posts SET scope = NULL')).toEqual(['photo.visibility_changed 1']);
  });

  it('find an owner in another table, of the row as it was and as it is', async () => {
    await connection.query(
      "INSERT INTO posts VALUES (10, 1, 'public', 0), (11, 2, 'public', 0), (12, NULL, 'public', 0)",
    );
    expect(await tasksOf('INSERT INTO files (post) VALUES (10), (12), (NULL), (99)')).toEqual(['photo.uploaded 1']);
    expect(await tasksOf('UPDATE files SET post = 11 WHERE post = 10')).toEqual([
      'photo.visibility_changed 2',
      'photo.visibility_changed 1',
    ]);
    expect(await tasksOf('DELETE FROM files WHERE post = 11')).toEqual(['photo.deleted 2']);
  });

  it('leave what a site asks of its own insert alone', async () => {
    const [result] = await connection.query('INSERT INTO follows (who, whom) VALUES (1, 2)');
    const [[row]] = await connection.query<RowDataPacket[]>(
      'SELECT LAST_INSERT_ID() AS last, MAX(id) AS id FROM follows',
    );
    expect(Number(row?.last)).toBe(Number(row?.id));
    expect(result).toMatchObject({ affectedRows: 1, insertId: Number(row?.id), warningStatus: 0 });
  });
});

describe('the triggers and capture', () => {
  const id = fc.constantFrom('NULL', '0', '1', '2', '3', '18446744073709551615');
  const where = fc.constantFrom('TRUE', 'id % 2 = 0', 'who = 1', 'whom IS NULL', 'id <= 3');
  const what = fc.constantFrom('NULL', "'App\\\\Person'", "'other'");
  const statement = fc.oneof(
    fc
      .tuple(id, id, what)
      .map(([a, b, c]) => `INSERT INTO filters (who, whom, what) VALUES (${a}, ${b}, ${c}), (${b}, 2, ${c})`),
    fc.tuple(id, what, where).map(([a, c, w]) => `UPDATE filters SET who = ${a}, what = ${c} WHERE ${w}`),
    fc.tuple(id, where).map(([a, w]) => `UPDATE filters SET whom = ${a}, note = note + 1 WHERE ${w}`),
    where.map((w) => `DELETE FROM filters WHERE ${w}`),
  );

  it('come to the same, whatever a statement does', async () => {
    const batches = hintBatches(parseMapping(MAPPING, { file: 'm', schema: 'site' }));
    const rows = async () => {
      const [all] = await connection.query<RowDataPacket[]>('SELECT * FROM filters');
      return new Map(all.map((row) => [String(row.id), row as Row]));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (statements) => {
        await connection.query('DELETE FROM filters');
        for (const one of statements) {
          const before = await rows();
          const found = (await tasksOf(one)).sort();
          const after = await rows();
          const batch = batches();
          for (const key of new Set([...before.keys(), ...after.keys()])) {
            const [was, is] = [before.get(key), after.get(key)];
            if (JSON.stringify(was) !== JSON.stringify(is)) batch.add(changeOf(was, is));
          }
          const wanted = batch.tasks.map((task) => Object.values(task).join(' ').replace('recency.', '')).sort();
          expect(
            [...new Set(found)].filter((task) => !wanted.includes(task) && !task.startsWith('contact.changed')),
          ).toEqual([]);
          expect(wanted.filter((task) => !found.includes(task))).toEqual([]);
        }
      }),
      { numRuns: cases(60) },
    );
  });
});

function changeOf(before: Row | undefined, after: Row | undefined): RowChange {
  const kind = before === undefined ? 'insert' : after === undefined ? 'delete' : 'update';
  return { schema: 'site', table: 'filters', kind, before, after };
}

describe('what a foreign key changes', () => {
  const write = (...entries: readonly string[]) => {
    const other = `${file}.keys.yaml`;
    writeFileSync(other, `version: 1\ntables:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
    return (...flags: string[]) => runInProcess(['triggers', '--mapping', other, ...flags], { MYSQL_URL: url });
  };
  const LINKS = '{ table: links, hint: contact, user: who, contact: whom }';
  const MEMBERS = '{ table: members, hint: user, user: id }';

  it('fires no trigger: the command refuses unless the parent is mapped, and then warns of contacts that vanish', async () => {
    await sql(
      url,
      'CREATE TABLE members (id BIGINT UNSIGNED PRIMARY KEY)',
      `CREATE TABLE links (who BIGINT UNSIGNED, whom BIGINT UNSIGNED, PRIMARY KEY (who, whom), KEY (whom),
        CONSTRAINT links_who FOREIGN KEY (who) REFERENCES members (id) ON DELETE CASCADE,
        CONSTRAINT links_whom FOREIGN KEY (whom) REFERENCES members (id) ON DELETE CASCADE)`,
    );
    const unmapped = write(LINKS);
    const { code, stdout, stderr } = await unmapped();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /links_who changes rows of \w+\.links when one of members changes, which fires no trigger\. Map members/,
    );
    expect(stderr).toContain('links_whom changes rows of');
    expect(await unmapped('--drop')).toMatchObject({ code: 0 });

    const mapped = write(LINKS, MEMBERS);
    const found = await mapped('--json');
    const [{ statements, warnings }] = found.json() as [{ statements: string[]; warnings: string[] }];
    expect(found.code).toBe(0);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^with a row of members a foreign key deletes .*: links \(links_whom\); .*Delete those rows first/,
      ),
    ]);
    expect(found.stderr).toContain(`Warning: ${warnings[0]}`);
    expect((await mapped()).stdout).toContain(`\n-- WARNING: ${warnings[0]}\nDELIMITER`);

    await sql(url, ...statements);
    onTestFinished(() => sql(url, 'DROP TABLE links, members').then(() => undefined));
    await tasksOf('INSERT INTO members VALUES (1), (2), (3)', 'INSERT INTO links VALUES (1, 2), (1, 3)');
    expect(await tasksOf('DELETE FROM members WHERE id = 2')).toEqual(['user.changed 2']);
    expect(await tasksOf('DELETE FROM links WHERE whom = 3', 'DELETE FROM members WHERE id = 3')).toEqual([
      ...['contact.removed 1 3', 'user.changed 3'],
    ]);
  });
});

describe('recency triggers', () => {
  it('--drop removes them all, and nothing is left behind', async () => {
    const triggers = () =>
      sql(url, 'SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()');
    expect(await triggers()).toHaveLength(15);
    await sql(url, ...(await written('--drop')));
    expect(await triggers()).toEqual([]);
    await sql(url, ...(await written()));
    expect(await triggers()).toHaveLength(15);
  });

  it('as text it is for the clients of MySQL; a missing file is named', async () => {
    const { stdout } = await runInProcess(['triggers', '--mapping', file], { MYSQL_URL: url });
    expect(stdout).toMatch(/DELIMITER \$\$\nSET SESSION[^\n]+\$\$\nDROP TRIGGER[\s\S]+END\$\$\nDELIMITER ;\n$/);
    const missing = await runInProcess(['triggers', '--mapping', `${file}.no`], { MYSQL_URL: url });
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/mapping\.yaml\.no cannot be read \(ENOENT\)/),
    });
  });
});

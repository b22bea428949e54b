/** What a foreign key changes is in no row event and fires no trigger: which keys a mapping may leave to the hints of other rows. */
import { describe, expect, it } from 'vitest';
import { findUnseenChanges } from '../../src/capture/cascades.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { Database } from '../../src/mysql/database.ts';
import { closeAtEnd, freshDatabase, sql } from '../support/servers.ts';

/** @param tables as after CREATE TABLE @param entries of the mapping @returns how many keys are refused, and what is advised */
async function refused(tables: readonly string[], ...entries: readonly string[]): Promise<string[]> {
  const url = await freshDatabase();
  await sql(url, ...tables.map((table) => `CREATE TABLE ${table}`));
  const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
  closeAtEnd(() => database.close());
  const text = `version: 1\ntables:\n${entries.map((entry) => `  - { ${entry} }\n`).join('')}`;
  const mapping = parseMapping(text, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) });
  const { problems } = await findUnseenChanges(database, mapping, 'unseen');
  for (const { what } of problems) expect(what).toContain('changes rows of');
  return problems.map(({ fix }) => fix);
}

describe('a foreign key to a table that is mapped', () => {
  const TABLES = [
    'people (id BIGINT UNSIGNED PRIMARY KEY, name INT)',
    'pairs (a BIGINT UNSIGNED, b BIGINT UNSIGNED, FOREIGN KEY (a) REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE)',
  ];
  const PAIRS = 'table: pairs, hint: contact, user: a, contact: b';

  it.each([
    ['table: people, hint: user, user: id', 0],
    ['table: people, hint: user, user: id, columns: [name]', 0], // an id counts anyhow
    ['table: people, hint: user, user: id, when: { id: 1 }', 1],
    ['table: people, hint: photo, owner: id', 1], // the followers of `a`, not the index of `a`
  ])('as %s: %d refused', async (people, expected) => {
    const fixes = await refused(TABLES, PAIRS, people);
    expect(fixes).toHaveLength(expected);
    for (const fix of fixes) expect(fix).toContain('Map people as well');
  });

  it.each([
    [', columns: [name]', 1],
    [', columns: [name, code]', 0],
    ['', 0],
  ])(
    'whose other columns change with those of that table, with %j in its entry: %d refused',
    async (entry, expected) => {
      const tables = [
        'people (id INT PRIMARY KEY, code INT, name INT, UNIQUE (id, code))',
        'pairs (a INT, b INT, code INT, FOREIGN KEY (a, code) REFERENCES people (id, code) ON UPDATE CASCADE)',
      ];
      const people = `table: people, hint: user, user: id${entry}`;
      expect(await refused(tables, `${PAIRS}, columns: [code]`, people)).toHaveLength(expected);
    },
  );

  it('is accepted where that table holds the id that a look-up finds by the key', async () => {
    const tables = [
      'albums (id INT PRIMARY KEY, owner INT)',
      'pictures (id INT PRIMARY KEY, album INT, FOREIGN KEY (album) REFERENCES albums (id) ON DELETE CASCADE)',
    ];
    const pictures = 'table: pictures, hint: photo, owner: { table: albums, key: id, equals: album, column: owner }';
    expect(await refused(tables, pictures, 'table: albums, hint: photo, owner: owner')).toEqual([]);
  });

  it('is refused where that table holds the id of somebody else', async () => {
    const tables = [
      'blocks (id INT PRIMARY KEY, blocker INT)',
      'pairs (a INT, b INT, block INT, FOREIGN KEY (block) REFERENCES blocks (id) ON DELETE SET NULL)',
    ];
    expect(await refused(tables, PAIRS, 'table: blocks, hint: user, user: blocker')).toHaveLength(1);
  });

  it('is refused where that table has the id in another column than the one of the hint', async () => {
    const tables = [
      'people (id INT PRIMARY KEY, code INT UNIQUE)',
      'pairs (a INT, b INT, FOREIGN KEY (a) REFERENCES people (code) ON DELETE CASCADE)',
    ];
    expect(await refused(tables, PAIRS, 'table: people, hint: user, user: id')).toHaveLength(1);
  });
});

describe('a foreign key within a table', () => {
  const posts = (key: string, more = '') => [
    `posts (id INT PRIMARY KEY, owner INT, boosted INT, at INT, ${more} FOREIGN KEY (boosted) REFERENCES posts (id) ${key})`,
  ];
  const POSTS = 'table: posts, hint: photo, owner: owner';
  const AUDIENCE = 'audience INT AS (IF(boosted IS NULL, 0, NULL)) VIRTUAL,';

  it.each([
    ['ON DELETE CASCADE', ''],
    ['ON DELETE CASCADE', ', columns: [at]'],
    ['ON DELETE CASCADE', ', when: { boosted: [null, 0] }'],
    ['ON DELETE SET NULL', ''],
    ['ON DELETE SET NULL', ', columns: [at, boosted]'],
    ['ON DELETE SET NULL', ', columns: [at, Boosted]'],
    ['ON DELETE SET NULL', ', when: { boosted: null }, columns: [at]'],
    ['ON DELETE CASCADE ON UPDATE SET NULL', ', when: { boosted: null }'],
  ])('%s, with %j in the entry: refused', async (key, entry) => {
    const fixes = await refused(posts(key), POSTS + entry);
    expect(fixes).toHaveLength(1);
    expect(fixes[0]).not.toContain('Map posts');
    expect(fixes[0]?.includes('write `when: { boosted: null }`')).toBe(key === 'ON DELETE CASCADE');
  });

  it.each([
    ['ON DELETE CASCADE', ', when: { boosted: null }'],
    ['ON DELETE CASCADE ON UPDATE CASCADE', ', when: { boosted: [null] }, columns: [at]'],
    ['ON DELETE SET NULL', ', columns: [at]'],
  ])('%s, with %j in the entry: it changes only rows or columns that do not count', async (key, entry) => {
    expect(await refused(posts(key), POSTS + entry)).toEqual([]);
  });

  it('is refused where a column that counts is computed from another, perhaps from the one of the key', async () => {
    expect(await refused(posts('ON DELETE SET NULL', AUDIENCE), `${POSTS}, columns: [at, audience]`)).toHaveLength(1);
    expect(await refused(posts('ON DELETE SET NULL', AUDIENCE), `${POSTS}, columns: [at]`)).toEqual([]);
  });
});

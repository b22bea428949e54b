import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { mappedColumns, mappingDigest, tableKey } from '../../src/capture/mapping.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';

const origin = { file: 'capture.yaml', schema: 'shop' };
const parse = (text: string) => parseMapping(text, origin);

/** The lines of the error. */
function mistakes(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

const PIXELFED = `
version: 1
tables:
  - table: followers
    hint: contact
    user: profile_id
    contact: following_id
  - table: user_filters
    hint: contact
    user: user_id
    contact: filterable_id
    when: { filterable_type: 'App\\Profile', state: [1, true, null, 18446744073709551615] }
  - table: site.statuses
    hint: photo
    owner: profile_id
    columns: [scope, deleted_at]
  - table: media
    hint: photo
    owner: { table: site.statuses, key: id, equals: status_id, column: profile_id }
  - { table: members, hint: group, user: profile_id, group: group_id }
  - { table: pools, hint: group_photo, group: group_id }
  - { table: profiles, hint: user, user: id }
ignore: [avatars, other.likes]
`;

describe('the file of the mapping', () => {
  test('is read as it is documented', () => {
    const { tables, ignored } = parse(PIXELFED);
    const lookup = { schema: 'site', table: 'statuses', key: 'id', equals: 'status_id', column: 'profile_id' };
    expect(tables.map(({ source }) => source)).toEqual([
      { of: 'relation', kind: CONTACTS, user: 'profile_id', contact: 'following_id' },
      { of: 'relation', kind: CONTACTS, user: 'user_id', contact: 'filterable_id' },
      { of: 'photos', kind: CONTACTS, owner: 'profile_id' },
      { of: 'photos', kind: CONTACTS, owner: lookup },
      { of: 'relation', kind: GROUPS, user: 'profile_id', contact: 'group_id' },
      { of: 'photos', kind: GROUPS, owner: 'group_id' },
      { of: 'user', user: 'id' },
    ]);
    expect(tables[0]?.at).toBe('capture.yaml:4:5');
    expect(tables[1]?.when).toEqual(
      new Map<string, unknown>([
        ['filterable_type', ['App\\Profile']],
        ['state', ['1', 1, null, '18446744073709551615']],
      ]),
    );
    // By its id the media find it.
    expect(tables[2]).toMatchObject({ schema: 'site', table: 'statuses', columns: ['scope', 'deleted_at', 'id'] });
    expect(ignored).toEqual([
      { schema: 'shop', table: 'avatars' },
      { schema: 'other', table: 'likes' },
    ]);
  });

  test('names the columns that a change must have', () => {
    const columns = mappedColumns(parse(PIXELFED));
    const of = (schema: string, table: string) => [...(columns.get(tableKey({ schema, table }))?.columns ?? [])].sort();
    expect(of('shop', 'user_filters')).toEqual(['filterable_id', 'filterable_type', 'state', 'user_id']);
    expect(of('site', 'statuses')).toEqual(['deleted_at', 'id', 'profile_id', 'scope']);
    expect(of('shop', 'media')).toEqual(['status_id']);
  });

  test.each([
    ['nothing', '', 'capture.yaml:1:1: must be version, tables and, where needed, ignore'],
    ['no version', 'tables: [{ table: a, hint: user, user: id }]', 'capture.yaml:1:1: version must be 1'],
    [
      'an unknown version',
      'version: 2\ntables: [{ table: a, hint: user, user: id }]',
      'capture.yaml:1:10: version must be 1',
    ],
    ['no table', 'version: 1\ntables: []', 'capture.yaml:2:9: tables names no table'],
    ['not YAML', 'version: 1\ntables:\n  - table: "a', /^capture\.yaml:3:\d+: .*quote/],
    ['a key twice', 'version: 1\nversion: 1', 'capture.yaml:2:1: Map keys must be unique'],
    [
      'an unknown hint',
      'version: 1\ntables:\n  - table: a\n    hint: foto\n    owner: id',
      'capture.yaml:4:11: hint must be one of contact, photo, group, group_photo, user',
    ],
    [
      'a misspelt field',
      'version: 1\ntables:\n  - table: a\n    hint: user\n    user: id\n    colums: [x]',
      'capture.yaml:6:5: "colums" is not a field here; did you mean columns?',
    ],
    [
      'a missing field',
      'version: 1\ntables:\n  - table: a\n    hint: contact\n    user: id',
      'capture.yaml:3:5: contact is missing',
    ],
    [
      'a number as a column',
      'version: 1\ntables:\n  - { table: a, hint: photo, owner: 7 }',
      /^capture\.yaml:3:\d+: owner must be the name of a column, or /,
    ],
    [
      'a look-up without its column',
      'version: 1\ntables:\n  - table: a\n    hint: photo\n    owner: { table: b, key: id, equals: b_id }',
      'capture.yaml:5:12: column is missing',
    ],
    [
      'a misspelt field of a look-up',
      'version: 1\ntables:\n  - table: a\n    hint: photo\n    owner: { table: b, key: id, equal: b_id, column: c }',
      /capture\.yaml:5:33: "equal" is not a field here; did you mean equals\?/,
    ],
    [
      'a look-up in a table without an entry',
      'version: 1\ntables:\n  - table: a\n    hint: photo\n    owner: { table: b, key: id, equals: b_id, column: c }',
      /^capture\.yaml:3:5: b needs an entry of its own with this hint and its id from the column c: /,
    ],
    [
      'a user who is the contact',
      'version: 1\ntables:\n  - { table: a, hint: contact, user: id, contact: id }',
      'capture.yaml:3:5: the user and the contact of a are the same column',
    ],
    [
      'an ignored table with an entry',
      'version: 1\ntables:\n  - { table: a, hint: user, user: id }\nignore: [b, a]',
      'capture.yaml:4:13: a is ignored, and has an entry in tables',
    ],
    [
      'an empty condition',
      'version: 1\ntables:\n  - { table: a, hint: user, user: id, when: {} }',
      'capture.yaml:3:45: when names no column',
    ],
    [
      'a condition without values',
      'version: 1\ntables:\n  - { table: a, hint: user, user: id, when: { x: [] } }',
      'capture.yaml:3:50: x names no value',
    ],
    [
      'no columns',
      'version: 1\ntables:\n  - { table: a, hint: user, user: id, columns: [] }',
      /^capture\.yaml:3:48: columns names no column/,
    ],
  ])('is refused with the place: %s', (_what, text, message) => {
    const found = mistakes(text);
    if (typeof message === 'string') expect(found).toEqual([message]);
    else expect(found.some((line) => message.test(line))).toBe(true);
  });

  const column = fc.stringMatching(/^[a-z][a-z_]{0,8}$/).map((name) => `c_${name}`);
  const entry = fc.record({
    table: fc.stringMatching(/^t_[a-z]{1,9}$/),
    user: column,
    columns: fc.uniqueArray(column, { minLength: 1 }),
  });

  test.prop([fc.array(entry, { minLength: 1, maxLength: 20 }), fc.nat(), fc.integer({ min: 0, max: 3 })])(
    'every mistake is found on its own line, whatever stands around it',
    (entries, seed, blanks) => {
      const lines = entries.flatMap(({ table, user, columns }) => [
        `  - table: ${table}`,
        '    hint: user',
        `    user: ${user}`,
        `    columns: [${columns.join(', ')}]`,
        ...Array.from({ length: blanks }, () => '    # about this table'),
      ]);
      const good = ['version: 1', 'tables:', ...lines];
      expect(parse(good.join('\n')).tables).toHaveLength(entries.length);

      const wrong = seed % entries.length;
      const line = 2 + wrong * (4 + blanks) + 2;
      const bad = good.with(line, '    users: id');
      const place = `capture.yaml:${line + 1}:5`;
      expect(mistakes(bad.join('\n'))).toContain(`${place}: "users" is not a field here; did you mean user?`);
    },
  );
});

test('the mapping of docs/capture.md is one', () => {
  const page = readFileSync(new URL('../../docs/capture.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { tables, ignored } = parseMapping(text, { file: 'docs/capture.md', schema: 'site' });
  expect(tables.map(({ table, source }) => `${table} ${source.of}`)).toEqual([
    'followers relation',
    'user_filters relation',
    'statuses photos',
    'media photos',
    'profiles user',
  ]);
  expect(ignored).toEqual([{ schema: 'site', table: 'avatars' }]);
});

test('a mapping has the same digest however it is written, and another one with every field', () => {
  const digest = (...entries: string[]) =>
    mappingDigest(parse(`version: 1\ntables:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`));
  const [pairs, users] = [
    '{ table: a, hint: contact, user: x, contact: y }',
    '{ table: b, hint: user, user: x }',
  ] as const;
  expect(digest(pairs, users)).toBe(digest(`# moved\n    ${users}`, pairs));
  const others = [
    [pairs],
    [users.replace('x', 'z'), pairs],
    [users.replace('x }', 'x, columns: [c] }'), pairs],
    [users.replace('x }', 'x, when: { c: 1 } }'), pairs],
    [users.replace('x }', 'x, when: { c: [1, null] } }'), pairs],
    [users, pairs.replaceAll('contact', 'group')],
    [users.replace('table: b', 'table: other.b'), pairs],
  ].map((entries) => digest(...entries));
  expect(new Set([digest(pairs, users), ...others]).size).toBe(others.length + 1);
  expect(digest(pairs)).toMatch(/^[\w-]{22}$/);
});

import { describe, expect, it } from 'vitest';
import type { TableColumn } from '../../src/capture/base-tables.ts';
import { findTypeProblems, isSameValue } from '../../src/capture/column-types.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';

const column = (name: string, fullType: string, collation = 'utf8mb4_general_ci'): TableColumn => ({
  name,
  type: /^\w+/.exec(fullType)?.[0] ?? '',
  fullType,
  charset: collation.split('_')[0],
  collation,
  bytes: 16,
});

const faultsOf = (entry: string, columns: readonly TableColumn[], reading: 'binlog' | 'debezium' = 'binlog') => {
  const text = `version: 1\ntables:\n  - ${entry}\n  - { table: other, hint: photo, owner: owner }\n`;
  const [mapped] = parseMapping(text, { file: 'capture.yaml', schema: 's' }).tables;
  if (mapped === undefined) throw new Error('the mapping has no entry');
  return findTypeProblems(mapped, columns, reading).map(({ what }) => what);
};

const ids = [column('a', 'bigint(20) unsigned'), column('b', 'int')];
const PAIR = 'table: t, hint: contact, user: a, contact: b';

describe('the types that a mapping reads', () => {
  it.each([['varchar(20)'], ['binary(16)'], ['double'], ['bit(64)'], ['decimal(10,2)']])(
    'are refused as an id, with the place in the file: %s',
    (type) => {
      const [fault] = faultsOf(`{ ${PAIR} }`, [column('a', type), column('b', 'int')]);
      expect(fault).toMatch(/^capture\.yaml:3:5: of s\.t, a is .*: ids are$/);
    },
  );

  it.each([
    ['x', 'float', 'utf8mb4_general_ci'],
    ['1.5', 'double', 'utf8mb4_general_ci'],
    ['2026-01-01', 'datetime', 'utf8mb4_general_ci'],
    ['x', 'json', 'utf8mb4_bin'],
    ['x', 'varchar(10)', 'utf8mb4_swedish_ci'],
    ['x', 'varchar(10)', 'utf16_general_ci'],
    ["'1'", "enum('a','b')", 'utf8mb4_general_ci'],
    ["'a,z'", "set('a','b')", 'utf8mb4_general_ci'],
  ])('are refused in a condition: %s of %s in %s', (value, type, collation) => {
    expect(faultsOf(`{ ${PAIR}, when: { k: ${value} } }`, [...ids, column('k', type, collation)])).toHaveLength(1);
  });

  it.each([
    ['1', 'bit(1)', 'utf8mb4_general_ci'],
    ['true', 'tinyint(1)', 'utf8mb4_general_ci'],
    ['null', 'datetime(6)', 'utf8mb4_general_ci'],
    ["'a,b'", "enum('a,b','it''s')", 'utf8mb4_general_ci'],
    ["it's", "enum('a,b','it''s')", 'utf8mb4_general_ci'],
    ['App\\Profile', "enum('App\\\\Profile','\\\\')", 'utf8mb4_general_ci'], // as both servers show them
    ['x', 'varbinary(10)', 'utf8mb4_general_ci'],
    ['x', 'varchar(10)', 'latin1_swedish_ci'],
    ['x', 'varchar(10)', 'utf8mb4_0900_ai_ci'],
    ['x', 'varchar(10)', 'utf8mb4_uca1400_ai_ci'],
  ])('are taken in a condition: %s of %s in %s', (value, type, collation) => {
    expect(faultsOf(`{ ${PAIR}, when: { k: ${value} } }`, [...ids, column('k', type, collation)])).toEqual([]);
  });

  it('may be any that the log tells the length of, where only a change counts', () => {
    const any = ['json', 'float', 'geometry', 'vector(3)', 'datetime(6)'].map((type, i) => column(`c${i}`, type));
    expect(faultsOf(`{ ${PAIR}, columns: [c0, c1, c2, c3, c4] }`, [...ids, ...any])).toEqual([]);
    expect(faultsOf(`{ ${PAIR} }`, [...ids, column('later', 'quaternion')])).toHaveLength(1);
    expect(faultsOf(`{ ${PAIR} }`, [...ids, column('old', 'datetime(3) /* mariadb-5.3 */')])).toHaveLength(1);
  });

  it('are fewer in a look-up by Debezium, whose messages do not say how bytes are written', () => {
    const entry = '{ table: t, hint: photo, owner: { table: other, key: id, equals: k, column: owner } }';
    expect(faultsOf(entry, [column('k', 'binary(16)')])).toEqual([]);
    expect(faultsOf(entry, [column('k', 'binary(16)')], 'debezium')).toHaveLength(1);
    expect(faultsOf(entry, [column('k', 'timestamp')])).toHaveLength(1);
  });
});

describe('values that a condition names', () => {
  it.each([
    ['profile', 'Profile '],
    ['é', 'e'],
    ['5abc', '5'],
    ['05', '5'],
    ['anything', '0'],
    [Buffer.from('App\0\0'), 'app'],
    [1, '1'],
  ])('may be the same as MySQL compares them: %s and %s', (value, named) => {
    expect(isSameValue(value, named)).toBe(true);
  });

  it.each([
    ['profile', 'photo'],
    [2, '1'],
    [Buffer.from('x'), 'y'],
    [null, '0'],
  ])('are not the same: %s and %s', (value, named) => {
    expect(isSameValue(value, named)).toBe(false);
  });
});

import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Row, RowChange, Value } from '../../src/capture/change-source.ts';
import { hintBatches, ShapeMismatch } from '../../src/capture/hints.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { isId } from '../../src/contracts/id.ts';
import { type Task, taskSchema } from '../../src/contracts/task.ts';

const MAPPING = parseMapping(
  `
version: 1
tables:
  - { table: follows, hint: contact, user: a, contact: b }
  - { table: filters, hint: contact, user: a, contact: b, when: { kind: ['Profile', 3], state: null } }
  - { table: posts, hint: photo, owner: a, columns: [kind] }
  - { table: media, hint: photo, owner: { table: posts, key: id, equals: b, column: a } }
  - { table: members, hint: group, user: a, group: b }
  - { table: pools, hint: group_photo, group: a }
  - { table: people, hint: user, user: a, columns: [state] }
  - { table: people, hint: photo, owner: b, when: { kind: profile } }
`,
  { file: 'capture.yaml', schema: 's' },
);

const begin = hintBatches(MAPPING);

function batchOf(changes: readonly RowChange[]) {
  const batch = begin();
  for (const change of changes) batch.add(change);
  return batch;
}

/** What a batch says, without an order: its tasks, and what it looks up. */
function saidBy(changes: readonly RowChange[]): string[] {
  const { tasks, wanted } = batchOf(changes);
  const asked = wanted.flatMap(({ values, entry }) =>
    [...values.keys()].map((value) => `${entry.table} asks ${value}`),
  );
  return [...new Set([...tasks.map((task) => aboutOf(task)), ...asked])].sort();
}

/** A task without the kind of change, which several changes of the same thing may say differently. */
const aboutOf = ({ type, ...about }: Task): string => `${type.split('.')[1]} ${Object.values(about).join(' ')}`;

const ids: fc.Arbitrary<Value> = fc.constantFrom<Value>('1', 2, '3', '18446744073709551615', '0', -4, null, 'x');
const row: fc.Arbitrary<Row> = fc.record({
  a: ids,
  b: ids,
  id: fc.constantFrom<Value>('1', '2'),
  kind: fc.constantFrom<Value>('Profile', 'PROFILE ', 'prófile', 'Status', 3, '3.0', null),
  state: fc.constantFrom<Value>(null, 0, 'x'),
  other: fc.constantFrom<Value>(1, 2),
});
const change: fc.Arbitrary<RowChange> = fc
  .record({
    table: fc.constantFrom('follows', 'filters', 'posts', 'media', 'members', 'pools', 'people', 'elsewhere'),
    kind: fc.constantFrom('insert' as const, 'update' as const, 'delete' as const),
    before: row,
    after: row,
    schema: fc.constantFrom('s', 's', 's', 'another'),
  })
  .map((one) => ({
    ...one,
    before: one.kind === 'insert' ? undefined : one.before,
    after: one.kind === 'delete' ? undefined : one.after,
  }));

/** The same as the mapping says, written table by table. */
function expected({ schema, table, kind, before, after }: RowChange): string[] {
  if (schema !== 's') return [];
  const rows = [before, after].filter((one) => one !== undefined);
  const isUpdateOf = (...columns: string[]) =>
    kind !== 'update' || columns.some((column) => String(before?.[column]) !== String(after?.[column]));
  const pairs = (name: string) =>
    rows
      .filter(({ a, b }) => isId(String(a)) && isId(String(b)) && (name === 'group' || String(a) !== String(b)))
      .map(({ a, b }) => `${name} ${a} ${b}`);
  const each = (name: string, column: 'a' | 'b') =>
    rows.filter((one) => isId(String(one[column]))).map((one) => `${name} ${one[column]}`);
  const isProfile = (one: Row) => ['Profile', 'PROFILE ', 'prófile'].includes(String(one.kind));
  switch (table) {
    case 'follows':
      return pairs('contact');
    case 'filters':
      return rows.some((one) => (isProfile(one) || Number(one.kind) === 3) && one.state === null)
        ? pairs('contact')
        : [];
    case 'posts':
      return isUpdateOf('a', 'kind', 'id') ? each('photo', 'a') : []; // by its id media find it
    case 'media':
      return rows.filter(({ b }) => b !== null).map(({ b }) => `media asks ${b}`);
    case 'members':
      return pairs('group');
    case 'pools':
      return each('group_photo', 'a');
    case 'people':
      return [
        ...(isUpdateOf('a', 'state') ? each('user', 'a') : []),
        ...(rows.some(isProfile) ? each('photo', 'b') : []),
      ];
    default:
      return [];
  }
}

describe('the hints of changes', () => {
  test.prop([fc.array(change, { maxLength: 30 })])('are what the mapping says, each once', (changes) => {
    expect(saidBy(changes)).toEqual([...new Set(changes.flatMap(expected))].sort());
    const { tasks } = batchOf(changes);
    expect(new Set(tasks.map(aboutOf)).size).toBe(tasks.length);
  });

  test.prop([fc.array(change, { maxLength: 30 })])('are tasks that a transport takes', (changes) => {
    for (const task of batchOf(changes).tasks) expect(taskSchema.parse(task)).toEqual(task);
  });

  test.prop([fc.array(change, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 11 })])(
    'are the same however the changes are cut into batches, and in any order',
    (changes, cuts) => {
      const at = [...new Set([0, ...cuts.map((cut) => cut % (changes.length + 1)), changes.length])].sort(
        (x, y) => x - y,
      );
      const parts = at.map((from, i) => changes.slice(from, at[i + 1] ?? changes.length));
      const inParts = [...new Set(parts.flatMap(saidBy))].sort();
      expect(inParts).toEqual(saidBy(changes));
      expect(saidBy(changes.toReversed())).toEqual(saidBy(changes));
    },
  );

  test.prop([change, row])('name what they name without the columns that do not count', (one, noise) => {
    const other = (image: Row | undefined) => image && { ...image, other: noise.other ?? null };
    expect(saidBy([{ ...one, before: other(one.before), after: other(one.after) }])).toEqual(saidBy([one]));
  });

  test('have the type of the last change', () => {
    const row = { a: '1', b: '2', id: '1', kind: 'x', state: 0 };
    const change = (table: string, kind: RowChange['kind']): RowChange => ({
      schema: 's',
      table,
      kind,
      before: kind === 'insert' ? undefined : row,
      after: kind === 'delete' ? undefined : { ...row, state: 1 },
    });
    const typesOf = (...changes: RowChange[]) => batchOf(changes).tasks.map(({ type }) => type);
    expect(typesOf(change('follows', 'insert'))).toEqual(['recency.contact.added']);
    expect(typesOf(change('follows', 'insert'), change('follows', 'delete'))).toEqual(['recency.contact.removed']);
    expect(typesOf(change('posts', 'delete'), change('posts', 'insert'))).toEqual(['recency.photo.uploaded']);
    expect(typesOf(change('people', 'update'))).toEqual(['recency.user.changed']);
    // The row may be a setting of the user's, so nothing says that the user is gone.
    expect(typesOf(change('people', 'delete'))).toEqual(['recency.user.changed']);
    expect(typesOf(change('pools', 'delete'))).toEqual(['recency.group_photo.removed']);
  });

  test('of rows without the id wait for the look-up', () => {
    const image = (b: string) => ({ a: null, b, kind: null, state: null });
    const batch = batchOf([{ schema: 's', table: 'media', kind: 'update', before: image('8'), after: image('9') }]);
    const [wanted] = batch.wanted;
    expect([...(wanted?.values.keys() ?? [])]).toEqual(['8', '9']);
    expect(batch.tasks).toEqual([]);
    if (wanted) batch.found(wanted, ['5', null, '5', 18]);
    expect(batch.tasks).toEqual([
      { type: 'recency.photo.visibility_changed', owner: '5' },
      { type: 'recency.photo.visibility_changed', owner: '18' },
    ]);
  });

  test('count what is no id, and end at a row without a mapped column', () => {
    const insert = (after: Row): RowChange => ({
      schema: 's',
      table: 'follows',
      kind: 'insert',
      before: undefined,
      after,
    });
    expect(batchOf([insert({ a: '0', b: '7' }), insert({ a: '-1', b: null })]).oddIds).toBe(2);
    const mismatch = () => batchOf([insert({ a: '1' })]);
    expect(mismatch).toThrow(ShapeMismatch);
    expect(mismatch).toThrow('a changed row of s.follows has no column b, which capture.yaml:4:5 names');
  });
});

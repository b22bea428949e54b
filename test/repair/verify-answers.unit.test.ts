import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { RawContact } from '../../src/mysql/statements/all-contacts.ts';
import { expectedAnswer, inOrder } from '../../src/repair/answer-check.ts';
import { addCounts } from '../../src/repair/counts.ts';

function row(id: string, lastUploadAt: bigint | null, more: Partial<RawContact> = {}): RawContact {
  return { id, lastUploadAt, related: true, isFriend: false, isFamily: false, sees: '1', ...more };
}

const any = { relation: 'any', limit: 10, page: 0 } as const;
const idsOf = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);

describe('the expected answer', () => {
  it('orders equal times by id as text, greater first', () => {
    const rows = ['10', '9', '100', '2'].map((id) => row(id, 5n));
    expect(idsOf(expectedAnswer(inOrder([...rows, row('1', 6n)]), any).lines)).toEqual(['1', '9', '2', '100', '10']);
  });

  it('leaves out contacts who are not related or have no upload, and caps times that Redis cannot hold', () => {
    const rows = [
      row('1', null),
      row('2', 0n),
      row('3', -5n),
      row('4', 7n, { related: false }),
      row('5', 2n ** 60n),
      row('6', 2n ** 61n),
    ];
    const { lines } = expectedAnswer(inOrder(rows), any);
    expect(lines).toEqual(['6 9007199254740991 - -', '5 9007199254740991 - -']);
  });

  it('keeps to the relation', () => {
    const rows = inOrder([
      row('1', 4n),
      row('2', 3n, { isFriend: true }),
      row('3', 2n, { isFamily: true }),
      row('4', 1n, { isFriend: true, isFamily: true }),
    ]);
    const ids = (relation: 'any' | 'friends' | 'family' | 'friends_or_family') =>
      idsOf(expectedAnswer(rows, { ...any, relation }).lines);
    expect(ids('any')).toEqual(['1', '2', '3', '4']);
    expect(ids('friends')).toEqual(['2', '4']);
    expect(ids('family')).toEqual(['3', '4']);
    expect(ids('friends_or_family')).toEqual(['2', '3', '4']);
  });

  test.prop([fc.nat({ max: 12 }), fc.integer({ min: 1, max: 5 })])(
    'has pages that hold everybody once',
    (count, limit) => {
      const rows = inOrder(Array.from({ length: count }, (_, i) => row(String(i + 1), BigInt(i + 1))));
      const lines: string[] = [];
      for (let page = 0; ; page++) {
        const answer = expectedAnswer(rows, { relation: 'any', limit, page });
        lines.push(...answer.lines);
        expect(answer.more).toBe(lines.length < count);
        if (!answer.more) break;
      }
      expect(lines).toHaveLength(count);
    },
  );
});

describe('counts', () => {
  it('are added by name, group by group', () => {
    const a = { users: 1, classes: { ghost: 1 }, cost: { seconds: 0.5 } };
    expect(addCounts(a, { users: 2, classes: { ghost: 3 }, cost: { seconds: 1 } })).toEqual({
      users: 3,
      classes: { ghost: 4 },
      cost: { seconds: 1.5 },
    });
    expect(addCounts<Record<string, number>>({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 });
  });
});

import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { readFollowers } from '../../src/index/follower-pages.ts';
import { inSequence, type Step } from '../../src/index/protocol.ts';
import { StatementTooSlow } from '../../src/mysql/faults.ts';
import type { FollowerRange } from '../../src/mysql/statements/followers.ts';

const LAST = 2n ** 64n - 1n;
const ids = fc.uniqueArray(fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, LAST), fc.constant(LAST)), { maxLength: 30 });
const ascending = (some: readonly bigint[]) => [...some].sort((a, b) => (a < b ? -1 : 1));

interface Audience {
  readonly followers: readonly bigint[];
  /** Those whose row cannot be read: a page that would contain it fails. */
  readonly unreadable: readonly bigint[];
}

/** What MySQL does: it reads rows in order until the page is full. */
function page({ followers, unreadable }: Audience, { after, through }: FollowerRange, limit: number): Id[] {
  const isInRange = (id: bigint) => id > BigInt(after) && id <= (through === undefined ? LAST : BigInt(through));
  const read: Id[] = [];
  for (const id of ascending([...followers, ...unreadable]).filter(isInRange)) {
    if (read.length === limit) break;
    if (unreadable.includes(id)) throw new RangeError(`${id} cannot be read`);
    read.push(String(id));
  }
  return read;
}

/** @param onStatement called for each */
function readAll(audiences: readonly Audience[], limit: number, onStatement: () => void = () => undefined) {
  const operation = inSequence(
    readFollowers(
      audiences.map((_, owner) => ({ owner: String(owner), after: '0' })),
      limit,
    ),
  );
  let next = operation.next();
  while (!next.done) {
    const [ranges, most] = (next.value as Step<'followers'>).args;
    onStatement();
    try {
      const pages = ranges.map((range) => page(audiences[Number(range.owner)] as Audience, range, most));
      next = operation.next(pages);
    } catch (error) {
      next = operation.throw(error);
    }
  }
  return next.value;
}

const audience = fc
  .tuple(ids, fc.integer({ min: 0, max: 10 }))
  .map(([all, bad]): Audience => ({ followers: all.slice(bad), unreadable: all.slice(0, bad) }));

describe('followers among whom rows cannot be read', () => {
  test.prop([fc.array(audience, { maxLength: 3 })])('are found, and so are those rows', (audiences) => {
    const { pages, unreadable } = readAll(audiences, 100);
    expect(pages).toEqual(audiences.map(({ followers }) => ascending(followers).map(String)));
    const pairs = audiences.flatMap((of, i) => of.unreadable.map((id) => ({ user: String(id), contact: String(i) })));
    expect(unreadable.map(({ item }) => item)).toHaveLength(pairs.length);
    expect(unreadable.map(({ item }) => item)).toEqual(expect.arrayContaining(pairs));
    expect(unreadable.every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test.prop([audience, fc.integer({ min: 1, max: 10 })])('are the first of them, without a gap', (of, limit) => {
    const {
      pages: [found = []],
      unreadable,
    } = readAll([of], limit);
    expect(found).toEqual(
      ascending(of.followers)
        .map(String)
        .slice(0, Math.max(found.length, Math.min(limit, of.followers.length))),
    );
    const last = found.length >= limit ? BigInt(found.at(-1) as Id) : LAST;
    const before = of.unreadable.filter((id) => id < last).map(String);
    expect(unreadable.map(({ item }) => item.user)).toEqual(expect.arrayContaining(before));
  });

  /** @returns the number of statements, and what was thrown */
  function costOf(audiences: readonly Audience[]) {
    let statements = 0;
    try {
      readAll(audiences, 100, () => statements++);
    } catch (error) {
      return { statements, error };
    }
    return { statements };
  }

  it('cost two statements for each halving of all ids', () => {
    const { statements, error } = costOf([{ followers: [1n, LAST], unreadable: [12_345n] }]);
    expect(error).toBeUndefined();
    expect(statements).toBeLessThanOrEqual(2 * 64 + 3);
  });

  it('are counted for each owner', () => {
    const one = { followers: [1n, LAST], unreadable: [12_345n] };
    const { statements, error } = costOf(Array(30).fill(one));
    expect(error).toBeUndefined();
    expect(statements).toBeLessThanOrEqual(30 * (2 * 64 + 3));
  });

  it.each([1, 30])('are not looked for one by one where none can be read, by %i owners', (owners) => {
    const unreadable = Array.from({ length: 1_000 }, (_, i) => BigInt(i + 2));
    const { statements, error } = costOf(Array(owners).fill({ followers: [1n, LAST], unreadable }));
    expect(error).toBeInstanceOf(RangeError);
    expect(statements).toBeLessThan(300);
  });

  it('are not looked for where reading takes too long', () => {
    const slow = new StatementTooSlow('too slow');
    const operation = inSequence(readFollowers([{ owner: '1', after: '0' }], 100));
    operation.next();
    expect(() => operation.throw(slow)).toThrow(slow);
  });
});

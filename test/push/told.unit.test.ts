import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byKeyDescending, isAbove, type Key } from '../../src/contracts/key.ts';
import type { ToldHead } from '../../src/contracts/watch.ts';
import { type Head, mayHaveMore, newsIn, stillVisible, toldAfter, toldOf, toldUnder } from '../../src/push/told.ts';

const LIMIT = 3;
const NOW = 1_000;
const LIMITS = { most: 6, now: NOW };

/** The head of a list, as an answer has it. */
function headOf(list: readonly Key[]): Head {
  const sorted = list.toSorted(byKeyDescending);
  const entries = sorted.slice(0, LIMIT);
  const lowest = sorted.length > LIMIT ? entries.at(-1) : undefined;
  return { entries, reach: lowest, floor: lowest };
}

const key = (id: string, at: number): Key => ({ id, at });

describe('what is new in a head', () => {
  const told: ToldHead = { entries: [key('9', 30), key('10', 20), key('5', 10)], floor: key('5', 10) };

  it('is a later time of a contact, and another contact above the floor', () => {
    expect(newsIn(headOf([key('9', 40), key('10', 20), key('7', 35)]), told, NOW)).toEqual([
      key('9', 40),
      key('7', 35),
    ]);
  });

  it('is nobody who moved up because another one left', () => {
    expect(newsIn(headOf([key('9', 30), key('10', 20), key('7', 9)]), told, NOW)).toEqual([]);
  });

  it('is an upload that commits after one with a later time', () => {
    const after = toldAfter(headOf([key('9', 40), key('10', 20)]), told, LIMITS);
    expect(newsIn(headOf([key('9', 40), key('10', 35)]), after, NOW)).toEqual([key('10', 35)]);
  });

  it('is nothing where nothing was told yet', () => {
    expect(newsIn(headOf([key('9', 30)]), undefined, NOW)).toEqual([]);
  });

  it('is a photo that is hidden and shown again only once', () => {
    const hidden = toldAfter(headOf([key('10', 20), key('5', 10)]), told, LIMITS);
    expect(newsIn(headOf([key('9', 30), key('10', 20), key('5', 10)]), hidden, NOW)).toEqual([]);
    const older = toldAfter(headOf([key('9', 25), key('10', 20), key('5', 10)]), told, LIMITS);
    expect(newsIn(headOf([key('9', 30), key('10', 20), key('5', 10)]), older, NOW)).toEqual([]);
  });

  it('is an upload after a photo dated ahead was deleted', () => {
    const told = toldAfter(headOf([key('9', 5_000), key('10', 20), key('7', 3_000)]), undefined, LIMITS);
    const deleted = toldAfter(headOf([key('9', 30), key('10', 20)]), told, LIMITS);
    const head = headOf([key('9', 1_040), key('7', 1_035), key('10', 20)]);
    expect(newsIn(head, deleted, 1_100)).toEqual([key('9', 1_040), key('7', 1_035)]);
  });

  it('is what was uploaded under a photo dated ahead, once that is deleted, and not what was told before it', () => {
    const before = toldAfter(headOf([key('9', 20), key('10', 10)]), undefined, LIMITS);
    const ahead = toldAfter(headOf([key('9', 5_000), key('10', 10)]), before, LIMITS);
    expect(newsIn(headOf([key('9', 40), key('10', 10)]), ahead, NOW)).toEqual([key('9', 40)]);
    expect(newsIn(headOf([key('9', 20), key('10', 10)]), ahead, NOW)).toEqual([]);
    const retried = toldOf([{ kind: 'contacts', id: '9', at: 5_000 }], { contacts: before }, NOW).contacts;
    expect(newsIn(headOf([key('9', 40), key('10', 10)]), retried, NOW)).toEqual([key('9', 40)]);
  });

  it('is no photo that was there below one dated ahead', () => {
    const ahead = toldAfter(headOf([key('9', 5_000)]), undefined, LIMITS);
    expect(newsIn(headOf([key('9', 20)]), ahead, NOW)).toEqual([]);
    expect(newsIn(headOf([key('9', NOW + 1)]), ahead, NOW + 2)).toEqual([key('9', NOW + 1)]);
  });

  it('is a photo dated ahead only once, while it is shown', () => {
    const head = headOf([key('9', 5_000), key('10', 20)]);
    const told = toldAfter(head, toldAfter(headOf([]), undefined, LIMITS), LIMITS);
    expect(newsIn(head, toldAfter(head, told, LIMITS), NOW)).toEqual([]);
  });

  it('is only what changed, and all of that which rises in the head, whatever happens (property)', () => {
    const change = fc.record({ id: fc.integer({ min: 1, max: 6 }), at: fc.integer({ min: 0, max: 12 }) });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }), (rounds) => {
        const list = new Map<string, number>();
        let before = toldAfter(headOf([]), undefined, LIMITS);
        for (const changes of rounds) {
          const ids = new Set(changes.map(({ id }) => String(id)));
          for (const { id, at } of changes) {
            if (at === 0) list.delete(String(id));
            else list.set(String(id), at);
          }
          const head = headOf([...list].filter(([, at]) => at > 0).map(([id, at]) => key(id, at)));
          const news = newsIn(head, before, NOW);
          for (const { id } of news) expect(ids).toContain(id);
          // A contact that changed and stands above the old floor with a time that was never told is told now.
          for (const one of head.entries) {
            const isNew = ids.has(one.id) && one.at > (before.entries.find(({ id }) => id === one.id)?.at ?? 0);
            if (isNew && isAbove(one, before.floor)) expect(news).toContainEqual(one);
          }
          const after = toldAfter(head, before, LIMITS);
          expect(after.entries.length).toBeLessThanOrEqual(LIMITS.most);
          expect(newsIn(head, after, NOW)).toEqual([]);
          before = after;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('what is committed late, below others that are new', () => {
  /** An answer of so many entries, whose floor is one entry above its reach. */
  function deepHead(list: readonly Key[], depth: number): Head {
    const entries = list.toSorted(byKeyDescending).slice(0, depth);
    if (list.length <= depth) return { entries, reach: undefined, floor: undefined };
    return { entries, reach: entries.at(-1), floor: entries[Math.max(0, depth - 2)] };
  }

  it('is told, or said to be there, as long as it is above what counts as told (property)', () => {
    const change = fc.record({ id: fc.integer({ min: 1, max: 9 }), at: fc.integer({ min: 1, max: 30 }) });
    const round = fc.record({ changes: fc.array(change, { maxLength: 4 }), depth: fc.integer({ min: 2, max: 4 }) });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 10 }), (rounds) => {
        const list = new Map<string, number>();
        let before = toldAfter(deepHead([], 2), undefined, LIMITS);
        for (const { changes, depth } of rounds) {
          for (const { id, at } of changes) list.set(String(id), at);
          const keys = [...list].map(([id, at]) => key(id, at));
          const head = deepHead(keys, depth);
          const news = newsIn(head, before, NOW);
          const known = new Map(before.entries.map(({ id, at }) => [id, at]));
          const untold = keys.filter((one) => isAbove(one, before.floor) && one.at > (known.get(one.id) ?? 0));
          for (const one of untold)
            expect(news.some(({ id }) => id === one.id) || mayHaveMore(head, before)).toBe(true);
          before = toldAfter(head, before, LIMITS);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not said to be there where one contact after the other comes in', () => {
    const list = Array.from({ length: 10 }, (_, i) => key(String(i + 1), i + 1));
    let told = toldAfter(deepHead(list, 4), undefined, LIMITS);
    for (let at = 11; at < 30; at++) {
      list.push(key(String(at), at));
      const head = deepHead(list, 4);
      expect([newsIn(head, told, NOW).map(({ id }) => id), mayHaveMore(head, told)]).toEqual([[String(at)], false]);
      told = toldAfter(head, told, LIMITS);
    }
  });
});

describe('a watch whose first head is read late', () => {
  const record = (head: Head, since: number) => toldUnder('any', head, undefined, undefined, { since, now: NOW });

  it('is told of what is dated after it was created, and not of what is dated ahead', () => {
    const head = headOf([key('9', 40), key('7', 5_000), key('10', 20)]);
    expect(newsIn(head, record(head, 30), NOW)).toEqual([key('9', 40)]);
    expect(newsIn(head, record(head, 40), NOW)).toEqual([]);
  });

  it('is told that there is more where that is more than the head shows', () => {
    const head = headOf([key('9', 50), key('8', 40), key('7', 35), key('6', 34), key('5', 10)]);
    const told = record(head, 30);
    expect(newsIn(head, told, NOW)).toEqual([key('9', 50), key('8', 40), key('7', 35)]);
    expect(mayHaveMore(head, told)).toBe(true);
  });
});

describe('a notification that was not delivered', () => {
  const outgoing = {
    id: 'n',
    sources: [
      { kind: 'contacts', id: '9', at: 40 },
      { kind: 'contacts', id: '7', at: 35 },
    ],
    more: false,
    attempts: 1,
    since: 1,
  } as const;

  it('leaves out what the user may no longer see', () => {
    const visible = stillVisible(outgoing, { contacts: headOf([key('9', 50), key('7', 30)]) });
    expect(visible).toEqual([outgoing.sources[0]]);
    expect(stillVisible(outgoing, {})).toEqual([]);
  });

  it('counts as told by itself, and not what came after it', () => {
    const told = { contacts: { entries: [key('10', 20), key('9', 10)], floor: key('9', 10) } };
    const after = toldOf(outgoing.sources, told, NOW);
    expect(after.contacts?.entries).toEqual([key('9', 40), key('7', 35), key('10', 20)]);
    expect(newsIn(headOf([key('9', 50), key('7', 35), key('10', 20)]), after.contacts, NOW)).toEqual([key('9', 50)]);
  });
});

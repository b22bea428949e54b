import { fc, test } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batches } from '../../src/timing/batches.ts';

/** All that can happen while no batch ends. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Batches that end when the test says so; the result of an item is its double. */
function held(most = 3, atOnce = 1) {
  const begun: { items: readonly number[]; end: PromiseWithResolvers<void> }[] = [];
  const batches = new Batches<number, number>({
    ...{ most, atOnce },
    work: async (items) => {
      const end = Promise.withResolvers<void>();
      begun.push({ items, end });
      await end.promise;
      return items.map((item) => 2 * item);
    },
  });
  return { batches, begun, items: () => begun.map(({ items }) => items) };
}

describe('items', () => {
  it('are done at once while a batch may begin, and otherwise together, in their order', async () => {
    const { batches, begun, items } = held();
    const results = [1, 2, 3, 4, 5].map((item) => batches.run(item));
    await turn();
    expect(items()).toEqual([[1]]);
    begun[0]?.end.resolve();
    expect(await results[0]).toBe(2);
    await turn();
    expect(items()).toEqual([[1], [2, 3, 4]]);
    begun[1]?.end.resolve();
    await turn();
    expect(items()).toEqual([[1], [2, 3, 4], [5]]);
    begun[2]?.end.resolve();
    expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10]);
    const next = batches.run(6);
    await turn();
    expect(items().at(-1)).toEqual([6]);
    begun[3]?.end.resolve();
    expect(await next).toBe(12);
  });

  it('of a batch that fails fail, and those after them do not', async () => {
    const { batches, begun } = held();
    const first = batches.run(1);
    const others = Promise.allSettled([2, 3].map((item) => batches.run(item)));
    await turn();
    begun[0]?.end.resolve();
    await first;
    await turn();
    const last = batches.run(4);
    begun[1]?.end.reject(new Error('away'));
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    begun[2]?.end.resolve();
    expect(await last).toBe(8);
  });

  it('that would wait in vain are refused at once: too many wait, or each takes too long', async () => {
    const refusal = () => new Error('busy');
    const begun: PromiseWithResolvers<void>[] = [];
    const bounded = (waitMs: number) =>
      new Batches<number, number>({
        ...{ most: 3, atOnce: 1, bound: { queue: 2, waitMs, refusal } },
        work: async (items) => {
          const end = Promise.withResolvers<void>();
          begun.push(end);
          await end.promise;
          return items;
        },
      });
    const batches = bounded(60_000);
    const waiting = [1, 2, 3].map((item) => batches.run(item));
    await expect(batches.run(4)).rejects.toThrow('busy');
    begun[0]?.resolve();
    await turn();
    begun[1]?.resolve();
    expect(await Promise.all(waiting)).toEqual([1, 2, 3]);
    const hasty = bounded(0);
    const first = hasty.run(1);
    await turn();
    begun[2]?.resolve();
    expect(await first).toBe(1);
    const second = hasty.run(2);
    await expect(hasty.run(3)).rejects.toThrow('busy');
    begun[3]?.resolve();
    expect(await second).toBe(2);
  });
});

describe('batches that gather', () => {
  const calls = fc.array(fc.record({ item: fc.nat({ max: 9 }), waits: fc.nat({ max: 3 }) }), { minLength: 1 });

  test.prop([calls, fc.integer({ min: 1, max: 5 })])(
    'handles each item once, in order, by calls that fit and never overlap; each item gets the result of its own call',
    async (asked, most) => {
      let underWay = 0;
      const worked: number[][] = [];
      const batches = new Batches<{ item: number; place: number }, number>({
        ...{ gathers: true, atOnce: 1, fits: (_item, others) => others.length < most },
        work: async (items) => {
          expect(++underWay).toBe(1);
          worked.push(items.map(({ place }) => place));
          await new Promise(setImmediate);
          underWay--;
          if (items.some(({ item }) => item === 9)) throw new Error(`call ${worked.length}`);
          return items.map(({ place }) => place);
        },
      });
      const ends: Promise<string>[] = [];
      for (const [place, { item, waits }] of asked.entries()) {
        ends.push(
          batches.run({ item, place }).then(
            (result) => `done: ${result}`,
            (error: Error) => error.message,
          ),
        );
        for (let i = 0; i < waits; i++) await new Promise(setImmediate);
      }
      const expected = (await Promise.all(ends)).map((_, place) => {
        const call = worked.findIndex((places) => places.includes(place));
        return worked[call]?.some((of) => asked[of]?.item === 9) ? `call ${call + 1}` : `done: ${place}`;
      });
      expect(await Promise.all(ends)).toEqual(expected);
      expect(worked.flat()).toEqual(asked.map((_, place) => place));
      expect(Math.max(...worked.map((places) => places.length))).toBeLessThanOrEqual(most);
    },
  );

  it('makes one call for the items of one turn of the event loop, and one for those that arrive while it runs', async () => {
    const worked: number[][] = [];
    const end = Promise.withResolvers<void>();
    const batches = new Batches<number, void>({
      ...{ gathers: true, atOnce: 1 },
      work: async (items) => {
        worked.push([...items]);
        await end.promise;
        return [];
      },
    });
    const first = [batches.run(1), batches.run(2)];
    await turn();
    const others = [batches.run(3), batches.run(4)];
    end.resolve();
    await Promise.all([...first, ...others]);
    expect(worked).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe('batches of which some are slow', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Calls end when the test says so, and become slow when it does. */
  function slowable(atOnce: number) {
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const worked: string[] = [];
    const slow: string[] = [];
    const batches = new Batches<string, void>({
      ...{
        gathers: true,
        atOnce,
        slow: { afterMs: 20, onSlow: (items: readonly string[]) => slow.push(items.join()) },
      },
      work: async (items) => {
        worked.push(items.join());
        const end = Promise.withResolvers<void>();
        ends.set(items.join(), end);
        await end.promise;
        return [];
      },
    });
    const settle = async () => {
      for (let i = 0; i < 3; i++) await turn();
    };
    return {
      ...{ worked, slow },
      add: (...items: string[]) => {
        for (const item of items) void batches.run(item);
        return settle();
      },
      later: (ms: number) => {
        vi.advanceTimersByTime(ms);
        return settle();
      },
      end: (items: string) => {
        ends.get(items)?.resolve();
        return settle();
      },
    };
  }

  it('begins the next beside a slow one, with everything that waits, up to a bound', async () => {
    const { add, later, end, worked, slow } = slowable(2);
    await add('a');
    await later(19);
    await add('b', 'c');
    expect(worked).toEqual(['a']);
    await later(1);
    expect(worked).toEqual(['a', 'b,c']);
    await add('d');
    await later(100);
    expect(slow).toEqual(['a', 'b,c']);
    expect(worked).toEqual(['a', 'b,c']);
    await end('b,c');
    expect(worked).toEqual(['a', 'b,c', 'd']);
  });

  it('never has two at once that are not slow', async () => {
    const { add, later, end, worked, slow } = slowable(4);
    await add('a');
    await later(20);
    await add('b');
    await add('c');
    await end('a'); // which makes no room beside one that is not slow
    expect(worked).toEqual(['a', 'b']);
    await end('b');
    expect(worked).toEqual(['a', 'b', 'c']);
    await end('c');
    await later(100);
    expect(slow).toEqual(['a']);
  });
});

import { describe, expect, it } from 'vitest';
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

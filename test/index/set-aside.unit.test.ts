import { describe, expect, it } from 'vitest';
import { mapConcurrently } from '../../src/index/set-aside.ts';

describe('work on each of some items', () => {
  it('runs up to the limit at once, and returns the results in order', async () => {
    let atOnce = 0;
    let most = 0;
    const results = await mapConcurrently([3, 1, 2], 2, async (item) => {
      most = Math.max(most, ++atOnce);
      for (let turn = 0; turn < item; turn++) await Promise.resolve();
      atOnce--;
      return item * 10;
    });
    expect(results).toEqual([30, 10, 20]);
    expect(most).toBe(2);
  });

  it('waits for the work under way once a part has failed, and starts no other', async () => {
    const begun: number[] = [];
    const held = Promise.withResolvers<void>();
    let isOver = false;
    const all = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('the first');
      await held.promise;
    }).finally(() => {
      isOver = true;
    });
    const failed = expect(all).rejects.toThrow('the first');
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    held.resolve();
    await failed;
    expect(begun).toEqual([1, 2]);
  });
});

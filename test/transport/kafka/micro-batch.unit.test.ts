import { setTimeout as sleep } from 'node:timers/promises';
import { fc, test } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StallDetector } from '../../../src/timing/stall-detector.ts';
import {
  batchAcrossPartitions,
  commitAcrossPartitions,
  MicroBatcher,
  type PartitionBatch,
} from '../../../src/transport/kafka/micro-batch.ts';
import { type BatchHandler, BatchLost, type Delivery, MAX_BATCH } from '../../../src/transport/task-source.ts';

describe('a micro-batcher', () => {
  const calls = fc.array(fc.record({ item: fc.nat({ max: 9 }), waits: fc.nat({ max: 3 }) }), { minLength: 1 });

  test.prop([calls, fc.integer({ min: 1, max: 5 })])(
    'handles each item once, in order, by calls that fit and never overlap; each item gets the result of its own call',
    async (asked, most) => {
      let underWay = 0;
      const worked: number[][] = [];
      const batcher = new MicroBatcher<{ item: number; place: number }>({
        fits: (_item, others) => others.length < most,
        work: async (items) => {
          expect(++underWay).toBe(1);
          worked.push(items.map(({ place }) => place));
          await new Promise(setImmediate);
          underWay--;
          if (items.some(({ item }) => item === 9)) throw new Error(`call ${worked.length}`);
        },
      });
      const ends: Promise<string>[] = [];
      for (const [place, { item, waits }] of asked.entries()) {
        ends.push(
          batcher.add({ item, place }).then(
            () => 'done',
            (error: Error) => error.message,
          ),
        );
        for (let i = 0; i < waits; i++) await new Promise(setImmediate);
      }
      const expected = (await Promise.all(ends)).map((_, place) => {
        const call = worked.findIndex((places) => places.includes(place));
        return worked[call]?.some((of) => asked[of]?.item === 9) ? `call ${call + 1}` : 'done';
      });
      expect(await Promise.all(ends)).toEqual(expected);
      expect(worked.flat()).toEqual(asked.map((_, place) => place));
      expect(Math.max(...worked.map((places) => places.length))).toBeLessThanOrEqual(most);
    },
  );

  it('makes one call for the items of one turn of the event loop, and one for those that arrive while it runs', async () => {
    const worked: number[][] = [];
    const batcher = new MicroBatcher<number>({
      work: async (items) => {
        worked.push([...items]);
        await sleep(20);
      },
    });
    const first = [batcher.add(1), batcher.add(2)];
    await sleep(5);
    await Promise.all([...first, batcher.add(3), batcher.add(4)]);
    expect(worked).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

const part = (partition: number, count: number, more: Partial<PartitionBatch> = {}): PartitionBatch => ({
  deliveries: Array.from({ length: count }, (_, i) => ({ position: `${partition}:${i}` }) as Delivery),
  lease: { renew: async () => undefined },
  isSuspect: false,
  onSlow: () => undefined,
  ...more,
});

describe('a micro-batcher whose calls may be slow', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Calls end when the test says so, and become slow when it does. */
  function slowable(atOnce: number) {
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const worked: string[] = [];
    const slow: string[] = [];
    const batcher = new MicroBatcher<string>({
      work: (items) => {
        worked.push(items.join());
        const end = Promise.withResolvers<void>();
        ends.set(items.join(), end);
        return end.promise;
      },
      beside: { slowMs: 20, atOnce, onSlow: (items) => slow.push(items.join()) },
    });
    const settle = async () => {
      for (let i = 0; i < 3; i++) await new Promise(setImmediate);
    };
    return {
      ...{ worked, slow },
      add: (...items: string[]) => {
        for (const item of items) void batcher.add(item);
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

describe('batches of several partitions', () => {
  function merged({ mayBegin = (): boolean => true, batchSize = MAX_BATCH } = {}) {
    const sizes: number[] = [];
    const handler: BatchHandler = async ({ deliveries, lease }) => {
      sizes.push(deliveries.length);
      await lease.renew();
    };
    const progress = new StallDetector({ limitMs: 1_000, now: () => 0 });
    const options = { handler, progress, mayBegin, batchSize, batchesAtOnce: 1, slowMs: 0 };
    return { batches: batchAcrossPartitions(options), sizes };
  }

  it('are handled as one, up to the maximum', async () => {
    const { batches, sizes } = merged();
    await Promise.all(
      [part(0, 3), part(1, MAX_BATCH - 3), part(2, 1), part(3, MAX_BATCH)].map((one) => batches.add(one)),
    );
    expect(sizes).toEqual([MAX_BATCH, 1, MAX_BATCH]);
  });

  it('are not, where a batch may have one delivery', async () => {
    const { batches, sizes } = merged({ batchSize: 1 });
    await Promise.all([part(0, 1), part(1, 1), part(2, 1)].map((one) => batches.add(one)));
    expect(sizes).toEqual([1, 1, 1]);
  });

  it('exclude a partition whose last batch failed', async () => {
    const { batches, sizes } = merged();
    const parts = [part(0, 1), part(1, 2), part(2, 4, { isSuspect: true }), part(3, 8), part(4, 16)];
    await Promise.all(parts.map((one) => batches.add(one)));
    expect(sizes).toEqual([3, 4, 24]);
  });

  it('are lost if one of them is', async () => {
    const { batches } = merged();
    const lost = part(1, 1, { lease: { renew: () => Promise.reject(new BatchLost('gone')) } });
    const ends = await Promise.allSettled([batches.add(part(0, 1)), batches.add(lost)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('are given back instead of started once no batch may start', async () => {
    const { batches, sizes } = merged({ mayBegin: () => false });
    await expect(batches.add(part(0, 1))).rejects.toThrow(BatchLost);
    expect(sizes).toEqual([]);
  });
});

describe('commits of several partitions', () => {
  it('are one request, without partitions that now belong to others', async () => {
    const requests: unknown[] = [];
    const commits = commitAcrossPartitions('tasks');
    const payload = { commitOffsetsIfNecessary: async (offsets?: unknown) => void requests.push(offsets) };
    const commit = (partition: number, signal: AbortSignal) =>
      commits.add({ partition, offset: `${partition}00`, payload, signal });
    const ours = new AbortController().signal;
    await Promise.all([commit(1, ours), commit(2, AbortSignal.abort()), commit(3, ours)]);
    await commit(4, AbortSignal.abort());
    expect(requests).toEqual([
      {
        topics: [
          {
            topic: 'tasks',
            partitions: [
              { partition: 1, offset: '100' },
              { partition: 3, offset: '300' },
            ],
          },
        ],
      },
    ]);
  });
});

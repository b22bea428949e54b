import { setTimeout as sleep } from 'node:timers/promises';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Gathering } from '../../../src/transport/kafka/gathering.ts';
import { BATCH, mergedBatches, type Part } from '../../../src/transport/kafka/merged-batches.ts';
import { mergedCommits } from '../../../src/transport/kafka/merged-commits.ts';
import { BatchLost, type Delivery } from '../../../src/transport/task-source.ts';

describe('what is gathered', () => {
  const calls = fc.array(fc.record({ item: fc.nat({ max: 9 }), waits: fc.nat({ max: 3 }) }), { minLength: 1 });

  test.prop([calls, fc.integer({ min: 1, max: 5 })])(
    'is worked on once, in its order, by calls that fit and never overlap; each gets what its own call ended with',
    async (asked, most) => {
      let underWay = 0;
      const worked: number[][] = [];
      const gathering = new Gathering<{ item: number; place: number }>({
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
          gathering.add({ item, place }).then(
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

  it('in one turn of the event loop is one call, and so is what comes while it is under way', async () => {
    const worked: number[][] = [];
    const gathering = new Gathering<number>({
      fits: () => true,
      work: async (items) => {
        worked.push([...items]);
        await sleep(20);
      },
    });
    const first = [gathering.add(1), gathering.add(2)];
    await sleep(5);
    await Promise.all([...first, gathering.add(3), gathering.add(4)]);
    expect(worked).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

const part = (partition: number, count: number, more: Partial<Part> = {}): Part => ({
  deliveries: Array.from({ length: count }, (_, i) => ({ position: `${partition}:${i}` }) as Delivery),
  lease: { renew: async () => undefined },
  isSuspect: false,
  ...more,
});

describe('batches of several partitions', () => {
  function merged(isOver = () => false) {
    const sizes: number[] = [];
    const batches = mergedBatches(async ({ deliveries, lease }) => {
      sizes.push(deliveries.length);
      await lease.renew();
    }, isOver);
    return { batches, sizes };
  }

  it('are one, up to a bound', async () => {
    const { batches, sizes } = merged();
    await Promise.all([part(0, 3), part(1, BATCH - 3), part(2, 1), part(3, BATCH)].map((one) => batches.add(one)));
    expect(sizes).toEqual([BATCH, 1, BATCH]);
  });

  it('leave alone who was given back before', async () => {
    const { batches, sizes } = merged();
    const parts = [part(0, 1), part(1, 2), part(2, 4, { isSuspect: true }), part(3, 8), part(4, 16)];
    await Promise.all(parts.map((one) => batches.add(one)));
    expect(sizes).toEqual([3, 4, 24]);
  });

  it('are lost when one of them is', async () => {
    const { batches } = merged();
    const lost = part(1, 1, { lease: { renew: () => Promise.reject(new BatchLost('gone')) } });
    const ends = await Promise.allSettled([batches.add(part(0, 1)), batches.add(lost)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('are given back, not begun, when it is over', async () => {
    const { batches, sizes } = merged(() => true);
    await expect(batches.add(part(0, 1))).rejects.toThrow(BatchLost);
    expect(sizes).toEqual([]);
  });
});

describe('commits of several partitions', () => {
  it('are one request, without those that belong to others by now', async () => {
    const requests: unknown[] = [];
    const commits = mergedCommits('tasks');
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

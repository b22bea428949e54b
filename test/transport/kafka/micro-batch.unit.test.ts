import { describe, expect, it } from 'vitest';
import { StallDetector } from '../../../src/timing/stall-detector.ts';
import {
  batchAcrossPartitions,
  commitAcrossPartitions,
  type PartitionBatch,
} from '../../../src/transport/kafka/micro-batch.ts';
import { type BatchHandler, BatchLost, type Delivery, MAX_BATCH } from '../../../src/transport/task-source.ts';

const part = (partition: number, count: number, more: Partial<PartitionBatch> = {}): PartitionBatch => ({
  deliveries: Array.from({ length: count }, (_, i) => ({ position: `${partition}:${i}` }) as Delivery),
  lease: { renew: async () => undefined },
  isSuspect: false,
  onSlow: () => undefined,
  ...more,
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
      [part(0, 3), part(1, MAX_BATCH - 3), part(2, 1), part(3, MAX_BATCH)].map((one) => batches.run(one)),
    );
    expect(sizes).toEqual([MAX_BATCH, 1, MAX_BATCH]);
  });

  it('are not, where a batch may have one delivery', async () => {
    const { batches, sizes } = merged({ batchSize: 1 });
    await Promise.all([part(0, 1), part(1, 1), part(2, 1)].map((one) => batches.run(one)));
    expect(sizes).toEqual([1, 1, 1]);
  });

  it('exclude a partition whose last batch failed', async () => {
    const { batches, sizes } = merged();
    const parts = [part(0, 1), part(1, 2), part(2, 4, { isSuspect: true }), part(3, 8), part(4, 16)];
    await Promise.all(parts.map((one) => batches.run(one)));
    expect(sizes).toEqual([3, 4, 24]);
  });

  it('are lost if one of them is', async () => {
    const { batches } = merged();
    const lost = part(1, 1, { lease: { renew: () => Promise.reject(new BatchLost('gone')) } });
    const ends = await Promise.allSettled([batches.run(part(0, 1)), batches.run(lost)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('are given back instead of started once no batch may start', async () => {
    const { batches, sizes } = merged({ mayBegin: () => false });
    await expect(batches.run(part(0, 1))).rejects.toThrow(BatchLost);
    expect(sizes).toEqual([]);
  });
});

describe('commits of several partitions', () => {
  it('are one request, without partitions that now belong to others', async () => {
    const requests: unknown[] = [];
    const commits = commitAcrossPartitions('tasks');
    const payload = { commitOffsetsIfNecessary: async (offsets?: unknown) => void requests.push(offsets) };
    const commit = (partition: number, signal: AbortSignal) =>
      commits.run({ partition, offset: `${partition}00`, payload, signal });
    const ours = new AbortController().signal;
    await Promise.all([commit(1, ours), commit(2, AbortSignal.abort()), commit(3, ours)]);
    await commit(4, AbortSignal.abort());
    expect(requests).toEqual([
      {
        topics: [
          {
            topic: 'tasks',
            partitions: [
              { partition: 1, offset: '100', metadata: 'recency:100' },
              { partition: 3, offset: '300', metadata: 'recency:300' },
            ],
          },
        ],
      },
    ]);
  });
});

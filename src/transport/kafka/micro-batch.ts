import type { EachBatchPayload } from 'kafkajs';
import { Batches } from '../../timing/batches.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { type Batch, type BatchHandler, BatchLost } from '../task-source.ts';
import { markOf } from './marks.ts';

/** Deliveries of one partition. */
export interface PartitionBatch extends Batch {
  /** The partition's last batch was given back, or was slow: handled alone, so that no other partition suffers again. */
  readonly isSuspect: boolean;
  /** Called when the call that handles the batch has become slow. */
  readonly onSlow: () => void;
}

interface BatchAcrossPartitionsOptions {
  readonly handler: BatchHandler;
  readonly progress: Pick<StallDetector, 'begin'>;
  /** May a new batch begin? If not, batches that wait are given back. */
  readonly mayBegin: () => boolean;
  /** Deliveries of one batch, at most: kafkajs may fetch thousands, and each batch has its own heartbeats and commit. */
  readonly batchSize: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs: number;
}

/**
 * Hands the batches of several partitions to the handler as one. Otherwise a dozen partitions with a task or two each would
 * cost a dozen statements and scripts, one after the other.
 */
export function batchAcrossPartitions(options: BatchAcrossPartitionsOptions): Batches<PartitionBatch, void> {
  const { handler, progress, mayBegin, batchSize, batchesAtOnce, slowMs } = options;
  const onSlow = (batches: readonly PartitionBatch[]) => {
    for (const batch of batches) batch.onSlow();
  };
  return new Batches<PartitionBatch, void>({
    gathers: true,
    atOnce: batchesAtOnce,
    ...(batchesAtOnce > 1 ? { slow: { afterMs: slowMs, onSlow } } : {}),
    fits: (batch, others) => {
      const all = [batch, ...others];
      const size = all.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      return size <= batchSize && !all.some(({ isSuspect }) => isSuspect);
    },
    work: async (batches) => {
      if (!mayBegin()) throw new BatchLost('the source is stopping, or the group is rebalancing');
      const call = progress.begin();
      const renew = async () => {
        for (const { lease } of batches) await lease.renew();
        call.mark();
      };
      try {
        await handler({ deliveries: batches.flatMap(({ deliveries }) => deliveries), lease: { renew } });
        return [];
      } finally {
        call.end();
      }
    },
  });
}

export interface OffsetCommit {
  readonly partition: number;
  /** The next offset to deliver. */
  readonly offset: string;
  readonly payload: Pick<EachBatchPayload, 'commitOffsetsIfNecessary'>;
  /** Aborted when the partition is no longer ours. */
  readonly signal: AbortSignal;
}

/** Commits the offsets of partitions that were handled together with one request. */
export function commitAcrossPartitions(topic: string): Batches<OffsetCommit, void> {
  return new Batches<OffsetCommit, void>({
    gathers: true,
    atOnce: 1,
    work: async (commits) => {
      const owned = commits.filter(({ signal }) => !signal.aborted);
      const partitions = owned.map(({ partition, offset }) => ({ partition, offset, metadata: markOf(offset) }));
      await owned[0]?.payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
      return [];
    },
  });
}

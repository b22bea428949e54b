import { type RaiseBarrier, sharedBarrier } from '../../index/drain-barrier.ts';
import type { PartitionOffsets } from './topic-admin.ts';

/**
 * Passed when the group has committed every partition up to where it ended: a task is committed when it is applied. What
 * retention has removed meanwhile is not waited for; what stands behind an open transaction is.
 * @param offsets of every partition of the topic
 * @param readEnds of every partition, by number
 */
export function kafkaBarrier(
  offsets: () => Promise<readonly PartitionOffsets[]>,
  readEnds: () => Promise<ReadonlyMap<number, bigint>>,
): RaiseBarrier {
  return async () => {
    const ends = await readEnds();
    return sharedBarrier(async () => {
      return (await offsets()).every((found) => passedBy(found) >= (ends.get(found.partition) ?? 0n));
    });
  };
}

function passedBy({ committed = 0n, low }: PartitionOffsets): bigint {
  return committed > low ? committed : low;
}

import type { TransportMarks } from '../../index/settled.ts';
import type { PartitionOffsets } from './topic-admin.ts';

/**
 * A mark is the end of every partition. It is reached when the group has committed as much: a task is committed when it
 * is applied. What retention has removed meanwhile is not waited for; what stands behind an open transaction is.
 * @param offsets of every partition of the topic
 * @param ends of every partition, by number
 */
export function kafkaMarks(
  offsets: () => Promise<readonly PartitionOffsets[]>,
  ends: () => Promise<ReadonlyMap<number, bigint>> = async () =>
    new Map((await offsets()).map(({ partition, high }) => [partition, high])),
): TransportMarks {
  return {
    mark: ends,
    reached: async (mark) => {
      const ends = mark as ReadonlyMap<number, bigint>;
      return (await offsets()).every((found) => passedBy(found) >= (ends.get(found.partition) ?? 0n));
    },
  };
}

function passedBy({ committed = 0n, low }: PartitionOffsets): bigint {
  return committed > low ? committed : low;
}

import type { Loss } from '../task-source.ts';
import { type PartitionOffsets, startOf } from './topic-admin.ts';

/** Where to begin in the partitions of an assignment, and which losses were found. */
export interface Inspection {
  /** The offset to begin at, by partition. */
  readonly starts: ReadonlyMap<number, bigint>;
  /** Partitions whose start must be committed, so that the next owner does not find the same loss again. */
  readonly uncommitted: readonly number[];
  /** Partitions in which the committed offset does not exist. */
  readonly outOfRange: ReadonlySet<number>;
  /** At most one of each reason. */
  readonly losses: readonly Loss[];
}

/**
 * Compares the group's committed offsets with the offsets that still exist. kafkajs would skip a gap silently
 * (tulios/kafkajs#1119).
 * @param all every partition of the topic
 * @param mine the partitions of this assignment
 * @param expectsOffsets the group must have consumed before, because indexes exist
 * @param explainsForeign a member of a former version, which marks nothing, is in the group
 */
export function inspectOffsets(
  all: readonly PartitionOffsets[],
  mine: ReadonlySet<number>,
  expectsOffsets: boolean,
  explainsForeign = false,
): Inspection {
  const isNewGroup = all.every(({ committed }) => committed === undefined);
  const own = all.filter(({ partition }) => mine.has(partition));
  const withoutOffset = own.filter(
    // A partition added since then has no offset either, but everything in it is still to be delivered.
    ({ committed, low }) => committed === undefined && expectsOffsets && (isNewGroup || low > 0n),
  );
  const outOfRange = own.filter(
    ({ committed, low, high }) => committed !== undefined && !(low <= committed && committed <= high),
  );
  const moved = explainsForeign ? [] : own.filter((one) => one.isForeign && !outOfRange.includes(one));
  return {
    starts: new Map(own.map((offsets) => [offsets.partition, startOf(offsets)])),
    uncommitted: own
      .filter((offsets) => offsets.committed !== startOf(offsets) || offsets.isForeign)
      .map(({ partition }) => partition),
    outOfRange: new Set(outOfRange.map(({ partition }) => partition)),
    losses: [
      ...lossOf('group_without_offsets', withoutOffset, ({ low }) => `none committed, ${low} is the oldest there is`),
      ...lossOf(
        'offset_out_of_range',
        outOfRange,
        ({ committed, low, high }) => `${committed} is not in ${low}…${high}`,
      ),
      ...lossOf('position_moved', moved, ({ committed }) => `${committed} was not committed by a consumer`),
    ],
  };
}

function lossOf(
  reason: Loss['reason'],
  partitions: readonly PartitionOffsets[],
  describe: (offsets: PartitionOffsets) => string,
): Loss[] {
  if (partitions.length === 0) return [];
  const detail = partitions.map((one) => `partition ${one.partition}: ${describe(one)}`).join('; ');
  return [{ reason, detail, partitions: partitions.map(({ partition }) => partition) }];
}

/**
 * Finds a gap between a batch and the previous one of the same partition. Missing offsets are not always a loss: the control
 * records of transactions are not delivered.
 * @param expected the offset after the last one delivered
 * @param low reads the oldest offset that still exists
 */
export async function findGap(
  partition: number,
  expected: bigint,
  first: bigint,
  low: () => Promise<bigint>,
): Promise<Loss | undefined> {
  if (first < expected) {
    const detail = `partition ${partition}: went back from ${expected} to ${first}`;
    return { reason: 'offset_out_of_range', detail, partitions: [partition] };
  }
  if (first === expected) return undefined;
  return gapOf(partition, expected, await low());
}

/** @param expected the next offset to deliver @param low the oldest that still exists */
export function gapOf(partition: number, expected: bigint, low: bigint): Loss | undefined {
  if (low <= expected) return undefined;
  const detail = `partition ${partition}: ${expected}…${low - 1n} are gone`;
  return { reason: 'gap', detail, partitions: [partition] };
}

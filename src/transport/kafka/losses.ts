import type { Loss } from '../task-source.ts';
import { type FetchedMessage, firstOffsetOf } from './fetched-message.ts';
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
 * Finds offsets that were removed unread, at the beginning of a fetch or within it. Brokers assign every offset, and a fetch
 * also has the control records and aborted messages that are not delivered. So what is missing was deleted, or was removed by
 * compaction, which leaves holes and is right only where the last message of a key says everything.
 * @param expected the first offset that the fetch must have
 * @param fetched in order; those before `expected` do not count
 * @returns each gap as its first and last offset
 */
export function gapsIn(expected: bigint, fetched: readonly FetchedMessage[]): string[] {
  const gaps: string[] = [];
  let next = expected;
  for (const message of fetched) {
    const end = BigInt(message.offset) + 1n;
    const first = message.isPlaceholder ? end : firstOffsetOf(message); // a placeholder accounts for nothing
    if (first > next) gaps.push(`${next}…${first - 1n}`);
    if (end > next) next = end;
  }
  return gaps;
}

/** @param expected the next offset to deliver @param low the oldest that still exists */
export function gapBefore(partition: number, expected: bigint, low: bigint): Loss | undefined {
  return lossOfGaps(partition, low > expected ? [`${expected}…${low - 1n}`] : []);
}

/** The group goes back when its messages were replaced by others. @param first the offset that was fetched */
export function lossOfReturn(partition: number, expected: bigint, first: bigint): Loss | undefined {
  if (first >= expected) return undefined;
  const detail = `partition ${partition}: went back from ${expected} to ${first}`;
  return { reason: 'offset_out_of_range', detail, partitions: [partition] };
}

/** Gaps that are named. Compaction may leave thousands. */
const NAMED = 3;

/** @returns undefined when there are none */
export function lossOfGaps(partition: number, gaps: readonly string[]): Loss | undefined {
  if (gaps.length === 0) return undefined;
  const others = gaps.length > NAMED ? ` and ${gaps.length - NAMED} more ranges` : '';
  const detail = `partition ${partition}: ${gaps.slice(0, NAMED).join(', ')}${others} are gone`;
  return { reason: 'gap', detail, partitions: [partition] };
}

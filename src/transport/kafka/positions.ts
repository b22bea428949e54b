import type { GroupPositions, Loss } from '../task-source.ts';
import type { PartitionOffsets } from './topic-admin.ts';

/**
 * Where the group stands in its partitions. Only what it has committed counts: what retention has removed in front of a
 * group that is still behind it is one more loss, which its consumer has yet to find.
 * @param group topic and group, as part of the places' names
 * @param offsets of every partition of the topic
 */
export function kafkaPositions(
  group: { readonly topic: string; readonly group: string },
  offsets: () => Promise<readonly PartitionOffsets[]>,
): GroupPositions {
  const all = `kafka:${group.topic}:${group.group}`;
  const placeOf = (partition: number) => `${all}, partition ${partition}`;
  const isOf = (place: string) => (found: PartitionOffsets) => place === all || place === placeOf(found.partition);
  return {
    placesOf: ({ partitions }: Loss) => partitions?.map(placeOf) ?? [all],
    owns: (place) => place === all || place.startsWith(`${all}, partition `),
    endOf: async (place) => {
      const found = (await offsets()).filter(isOf(place));
      if (found.length === 0) throw new Error(`the brokers do not know ${place}`);
      return found.map(({ partition, high }) => `${partition}:${high}`).join(' ');
    },
    isPast: async (_place, end) => {
      const ends = new Map(end.split(' ').map((one) => one.split(':') as [string, string]));
      const found = (await offsets()).filter(({ partition }) => ends.has(String(partition)));
      return (
        found.length === ends.size && found.every((one) => stoodAt(one) >= BigInt(ends.get(String(one.partition)) ?? 0))
      );
    },
  };
}

/** An offset past the end is of a log that is gone. */
function stoodAt({ committed = -1n, high }: PartitionOffsets): bigint {
  return committed > high ? -1n : committed;
}

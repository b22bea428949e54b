import { type RaiseBarrier, sharedBarrier } from '../../index/drain-barrier.ts';
import type { KnownEnd } from '../../mysql/kafka-ends.ts';
import type { GroupPositions, Loss } from '../task-source.ts';
import { lossOfEnds, lostInTopic } from './log-end-check.ts';
import type { PartitionOffsets } from './topic-admin.ts';

/**
 * A barrier that is passed when the group has committed every partition up to where it ended; a task is committed when it
 * has been applied. It does not wait for what retention has removed meanwhile; it does wait for what an open transaction
 * holds back.
 * @param offsets of every partition of the topic
 * @param readEnds of every partition, by number
 */
export function kafkaBarrier(
  offsets: () => Promise<readonly PartitionOffsets[]>,
  readEnds: () => Promise<ReadonlyMap<number, bigint>>,
): RaiseBarrier {
  return barrierOf(offsets, readEnds, passedBy);
}

interface StrictBarrierOptions {
  /** Of every partition of the topic. */
  readonly offsets: () => Promise<readonly PartitionOffsets[]>;
  /** Of every partition, by number. */
  readonly readEnds: () => Promise<ReadonlyMap<number, bigint>>;
  /** What publishers have recorded. */
  readonly readRecorded: () => Promise<ReadonlyMap<number, KnownEnd>>;
  /** Has the group ever consumed? Asked only where it has no offset at all. */
  readonly hasStarted: () => Promise<boolean>;
  /** Is a member of a former version, which marks nothing, in the group? Asked only where a position has no mark. */
  readonly explainsForeign: () => Promise<boolean>;
}

/**
 * The same; but what was removed before the group had it holds it until the group has found the loss, and so does a position that
 * somebody else has set. It throws where the topic has less than was published, or the group has lost its offsets: a topic that was
 * deleted and made again looks like one that is consumed up to its end. See Transport.
 */
export function strictKafkaBarrier(options: StrictBarrierOptions): RaiseBarrier {
  const { offsets, readEnds, readRecorded, hasStarted, explainsForeign } = options;
  const believed = async () => {
    const all = await offsets();
    if (all.every(({ committed }) => committed === undefined) && (await hasStarted())) {
      throw new Error('the group has lost its offsets; its consumers have yet to find that');
    }
    const areBelieved = !all.some(({ isForeign }) => isForeign) || (await explainsForeign());
    return all.filter(({ isForeign }) => areBelieved || !isForeign);
  };
  const provenEnds = async () => {
    const recorded = await readRecorded(); // first: the log only grows
    const ends = await readEnds();
    const loss = lossOfEnds(lostInTopic(ends, recorded));
    if (loss !== undefined) throw new Error(`tasks are lost; the consumers have yet to find that: ${loss.detail}`);
    return ends;
  };
  return barrierOf(believed, provenEnds, ({ committed = 0n }) => committed);
}

function barrierOf(
  offsets: () => Promise<readonly PartitionOffsets[]>,
  readEnds: () => Promise<ReadonlyMap<number, bigint>>,
  reachedIn: (found: PartitionOffsets) => bigint,
): RaiseBarrier {
  return async () => {
    const ends = await readEnds();
    return sharedBarrier(async () => {
      const found = new Map((await offsets()).map((one) => [one.partition, reachedIn(one)]));
      return [...ends].every(([partition, end]) => (found.get(partition) ?? -1n) >= end); // one that is not known has not been passed
    });
  };
}

function passedBy({ committed = 0n, low }: PartitionOffsets): bigint {
  return committed > low ? committed : low;
}

/**
 * The group's positions in its partitions. Unlike the barrier, only what the group has committed counts: what retention has
 * removed ahead of a slow group is another loss, which its consumer has yet to find.
 * @param group topic and group, which become part of the places' names
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
        found.length === ends.size &&
        found.every((one) => positionIn(one) >= BigInt(ends.get(String(one.partition)) ?? 0))
      );
    },
  };
}

/** A committed offset past the end belongs to a log that is gone. */
function positionIn({ committed = -1n, high }: PartitionOffsets): bigint {
  return committed > high ? -1n : committed;
}

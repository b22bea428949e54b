import type { TransportMarks } from '../../index/settled.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import type { GroupPositions } from '../task-source.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import { isBefore } from './entries.ts';

export interface StreamsMarksOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly group: string;
  /** Of the same stream and group. */
  readonly view: Pick<ConsumerGroup, 'state'>;
}

const NOTHING = '0-0';

/**
 * A mark is the stream's last entry. It is reached when the group was delivered all up to it, and none of those waits to
 * be acknowledged: a task is acknowledged when it is applied.
 */
export function streamsMarks({ client, stream, group, view }: StreamsMarksOptions): TransportMarks {
  return {
    mark: async () => (await reply(client.xrevrange(stream, '+', '-', 'COUNT', 1)))[0]?.[0] ?? NOTHING,
    reached: async (mark) => {
      const last = mark as string;
      if (last === NOTHING) return true;
      const state = await view.state();
      if (state === undefined || isBefore(state.lastDelivered, last)) return false;
      return (await reply(client.xpending(stream, group, '-', last, 1))).length === 0;
    },
  };
}

/** A stream is one place: its group has caught up when it has reached the mark that was made after the loss. */
export function streamsPositions({ stream, group }: StreamsMarksOptions, marks: TransportMarks): GroupPositions {
  const place = `streams:${stream}:${group}`;
  return {
    placesOf: () => [place],
    owns: (other) => other === place,
    endOf: async () => String(await marks.mark()),
    isPast: (_place, end) => marks.reached(end),
  };
}

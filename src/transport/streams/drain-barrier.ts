import { type RaiseBarrier, sharedBarrier } from '../../index/drain-barrier.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import type { GroupPositions } from '../task-source.ts';
import { type ConsumerGroup, isAsLeft } from './consumer-group.ts';
import { isBefore, isEntryId } from './entries.ts';
import type { RecordedStream } from './recorded-stream.ts';

interface StreamsBarrierOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly group: string;
  /** Reads the state of the same stream and group. */
  readonly view: Pick<ConsumerGroup, 'state'>;
  /** The same stream. */
  readonly recorded: Pick<RecordedStream, 'isSame'>;
}

const NOTHING = '0-0';

/**
 * A barrier that is passed when everything up to the stream's last entry has been delivered to the group and acknowledged. A
 * task is acknowledged when it has been applied. Nothing passes while the stream is not the one on record.
 */
export function streamsBarrier(options: StreamsBarrierOptions): RaiseBarrier {
  return async () => {
    const last = await lastEntry(options);
    // Asked last: it speaks for the stream that was just read.
    return sharedBarrier(async () => (await isProcessed(options, last)) && (await options.recorded.isSame()));
  };
}

/**
 * The same; but while the group is not as its consumers have left it, nothing passes until one of them has found that loss. See
 * Transport.
 */
export function strictStreamsBarrier(options: StreamsBarrierOptions): RaiseBarrier {
  return async () => {
    const state = await options.view.state();
    if (state === undefined) throw new Error(`no consumer has created the group ${options.group} of the stream`);
    return sharedBarrier(async () => {
      if (!(await isProcessed(options, state.lastAdded))) return false;
      const after = await options.view.state(); // asked last: what somebody else has done to the group by then shows in it
      return after !== undefined && isAsLeft(after) && (await options.recorded.isSame());
    });
  };
}

/** The group's position. A stream is a single place. */
export function streamsPositions(options: StreamsBarrierOptions): GroupPositions {
  const place = `streams:${options.stream}:${options.group}`;
  return {
    placesOf: () => [place],
    owns: (other) => other === place,
    endOf: () => lastEntry(options),
    isPast: (_place, end) => isProcessed(options, end),
  };
}

/**
 * Is this entry in the stream, and not acknowledged by the group? An entry that was removed, or that a group which was moved has
 * passed, does not wait.
 */
export async function isWaitingIn(
  { client, stream, group, view }: StreamsBarrierOptions,
  entry: string,
): Promise<boolean> {
  if (!isEntryId(entry) || (await reply(client.xrange(stream, entry, entry))).length === 0) return false;
  const state = await view.state();
  if (state === undefined || isBefore(state.lastDelivered, entry)) return true;
  return (await reply(client.xpending(stream, group, entry, entry, 1))).length > 0;
}

async function lastEntry({ client, stream }: StreamsBarrierOptions): Promise<string> {
  return (await reply(client.xrevrange(stream, '+', '-', 'COUNT', 1)))[0]?.[0] ?? NOTHING;
}

async function isProcessed({ client, stream, group, view }: StreamsBarrierOptions, last: string): Promise<boolean> {
  if (last === NOTHING) return true;
  const state = await view.state();
  if (state === undefined || isBefore(state.lastDelivered, last)) return false;
  return (await reply(client.xpending(stream, group, '-', last, 1))).length === 0;
}

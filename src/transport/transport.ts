import { inTurn, type RaiseBarrier } from '../index/drain-barrier.ts';
import type { EpochWatch } from '../index/epoch-watch.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { StreamFill } from './streams/publisher.ts';
import type { TaskPublisher } from './task-publisher.ts';
import type { GroupPositions, TaskSource } from './task-source.ts';

/** Kafka or Redis streams. Callers close what they open; `close` closes the shared connections. */
export interface Transport {
  /** Waits for at most `withinMs` (default START_TIMEOUT_MS) until the transport answers. Creates nothing. @throws ServerAway, StartError */
  untilAnswers(signal: AbortSignal, withinMs?: number): Promise<void>;
  /**
   * The same, and creates the topics that are missing, once `admit` resolves for what {@link location} says by then.
   * @throws ServerAway, StartError, what `admit` throws
   */
  untilReady(signal: AbortSignal, withinMs?: number, admit?: (location: Location) => Promise<void>): Promise<void>;
  openPublisher(): TaskPublisher;
  /** @param onDropped called with the number of dead letters that were removed because there were too many */
  openDeadLetters(onDropped?: (letters: number) => void): DeadLetters;
  openSource(options: SourceOptions): TaskSource;
  /** A barrier that is passed when everything that was on the transport has been applied, or is lost. */
  readonly barrier: RaiseBarrier;
  /**
   * The same, but what was removed before the group had it counts as waiting until the group has gone on past it, which it
   * does only when it has begun a new epoch. Nobody may have found that loss yet. It throws where there is no group.
   */
  readonly strictBarrier: RaiseBarrier;
  /** Is what was published at this place (see `TaskPublisher.publish`) still to be done by the group? @throws if that is unknown */
  isWaiting(place: string): Promise<boolean>;
  /** Show whether the group has caught up after a loss. */
  readonly positions: GroupPositions;
  /** The number of tasks not yet acknowledged; undefined if unknown. */
  lag(): Promise<number | undefined>;
  /** How many consumers take tasks now, of those seen within half a minute; undefined if unknown. */
  consumers(): Promise<number | undefined>;
  /** How many tasks there are, and the maximum. Absent if there is no maximum. @throws RedisUnavailable */
  fill?(): Promise<StreamFill>;
  /** Detects that the server has been replaced, and then begins a new epoch. Absent if the transport needs no watch of its own. */
  openWatch?(onNewEpoch: () => void): EpochWatch;
  /** Resolves if tasks can be published now. @throws why not */
  answers(): Promise<void>;
  /**
   * What says where the tasks are and no setting does, by name: it must be the same for every process.
   * @throws what the client throws, where a server must be asked
   */
  location(): Promise<Location>;
  close(): Promise<void>;
}

export type Location = ReadonlyMap<string, string>;

interface SourceOptions {
  /** Do indexes exist? Then a group without offsets has lost them, and tasks with them. */
  readonly doIndexesExist: () => Promise<boolean>;
  /** Deliveries of one batch, at most (500). */
  readonly batchSize?: number;
  /** Batches at once, at most (4): a further one only beside slow ones. */
  readonly batchesAtOnce?: number;
  /** Its run ends with SourceStalled after this long without progress, ms (18,000). */
  readonly stallMs?: number;
}

/** The small lane, and behind it the bulk lane, where plans and segments of large audiences travel. */
export interface LanedTransport extends Transport {
  readonly small: Transport;
  readonly bulk: Transport;
}

/**
 * Two transports as one. What a site publishes and consumers take first is the small lane; what must have drained, and where
 * something may be lost, is both. The bulk lane is drained twice: the plans that were in it have left segments there.
 */
export function withBulkLane(small: Transport, bulk: Transport): LanedTransport {
  return {
    ...small,
    small,
    bulk,
    untilAnswers: async (signal, withinMs) => {
      await small.untilAnswers(signal, withinMs);
      await bulk.untilAnswers(signal, withinMs);
    },
    untilReady: async (signal, withinMs) => {
      await small.untilReady(signal, withinMs);
      await bulk.untilReady(signal, withinMs);
    },
    barrier: inTurn([small.barrier, bulk.barrier, bulk.barrier]),
    strictBarrier: inTurn([small.strictBarrier, bulk.strictBarrier, bulk.strictBarrier]),
    positions: positionsOfBoth(small.positions, bulk.positions),
    close: async () => {
      await Promise.all([small.close(), bulk.close()]);
    },
  };
}

/** Where a loss is, only its own lane can say: see `Transport.positions` of each. */
function positionsOfBoth(small: GroupPositions, bulk: GroupPositions): GroupPositions {
  const ownerOf = (place: string) => (small.owns(place) ? small : bulk);
  return {
    placesOf: (loss) => small.placesOf(loss),
    owns: (place) => small.owns(place) || bulk.owns(place),
    endOf: (place) => ownerOf(place).endOf(place),
    isPast: (place, end) => ownerOf(place).isPast(place, end),
  };
}

import type { RaiseBarrier } from '../index/drain-barrier.ts';
import type { EpochWatch, EpochWatchOptions } from '../index/epoch-watch.ts';
import type { Database } from '../mysql/database.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { StreamFill } from './streams/publisher.ts';
import type { TaskPublisher } from './task-publisher.ts';
import type { GroupPositions, TaskSource } from './task-source.ts';

/** What carries the tasks. What is opened here is closed by whoever opened it; `close` ends what is shared. */
export interface Transport {
  /** Waits until the transport answers, not longer than so many ms (START_TIMEOUT_MS). @throws ServerAway, StartError */
  untilAnswers(signal: AbortSignal, withinMs?: number): Promise<void>;
  /** @param primary where to note what was published, beside the transport itself */
  openPublisher(primary: Database): TaskPublisher;
  /**
   * @param primary as for a publisher, for what is replayed
   * @param onDropped called where dead letters were removed because there were too many
   */
  openDeadLetters(primary: Database, onDropped?: (letters: number) => void): DeadLetters;
  openSource(options: SourceOptions): TaskSource;
  /** Passed when everything that was on the transport has been applied. */
  readonly barrier: RaiseBarrier;
  /** Tells whether the group has caught up after a loss. */
  readonly positions: GroupPositions;
  /** Tasks that are not yet acknowledged; undefined when it cannot be told now. */
  lag(): Promise<number | undefined>;
  /** How many tasks there are, and how many there may be; absent: there is no bound. @throws RedisUnavailable */
  fill?(): Promise<StreamFill>;
  /** Watches for a server that is another one than before; absent: no watch of its own is needed. */
  openWatch?(options: WatchOptions): EpochWatch;
  /** Whether tasks can be brought there now. @throws why not */
  answers(): Promise<void>;
  close(): Promise<void>;
}

export type WatchOptions = Required<Pick<EpochWatchOptions, 'onNewEpoch'>> & { readonly primary: Database };

export interface SourceOptions {
  /** Then a group that has no offsets, and had begun, has lost them, and tasks with them. */
  readonly doIndexesExist: () => Promise<boolean>;
  /** Remembers the group, and how far it has come, beside the transport itself. */
  readonly primary: Database;
}

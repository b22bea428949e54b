import type { DeadLetters } from '../consumers/dead-letters.ts';
import type { TaskPublisher } from '../consumers/task-publisher.ts';
import type { TaskSource } from '../consumers/task-source.ts';
import type { TransportMarks } from '../index/settled.ts';
import type { Database } from '../mysql/database.ts';

/** What carries the tasks. What is opened here is closed by whoever opened it; `close` ends what is shared. */
export interface Transport {
  /** Waits until the transport answers, not longer than START_TIMEOUT_MS. @throws StartError */
  untilAnswers(signal: AbortSignal): Promise<void>;
  /** @param primary where to note what was published, beside the transport itself */
  openPublisher(primary: Database): TaskPublisher;
  /** @param primary as for a publisher, for what is replayed */
  openDeadLetters(primary: Database): DeadLetters;
  openSource(options: SourceOptions): TaskSource;
  /** Tells whether everything that was on the transport has been applied. */
  readonly marks: TransportMarks;
  /** Tasks that are not yet acknowledged; undefined when it cannot be told now. */
  lag(): Promise<number | undefined>;
  /** Whether tasks can be brought there now. @throws why not */
  answers(): Promise<void>;
  close(): Promise<void>;
}

export interface SourceOptions {
  /** Then a group that has no offsets, and had begun, has lost them, and tasks with them. */
  readonly doIndexesExist: () => Promise<boolean>;
  /** Remembers the group, and how far it has come, beside the transport itself. */
  readonly primary: Database;
}

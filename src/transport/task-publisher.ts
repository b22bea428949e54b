import type { Task } from '../contracts/task.ts';
import { UserError } from '../contracts/user-error.ts';

/** A task on its way out, with the attributes that CloudEvents 1.0 wants in the headers. */
export interface OutgoingTask {
  readonly task: Task;
  /** `ce_id`: unique with the source; a republished task keeps its own. */
  readonly id: string;
  /** `ce_source`: who says so, for example `/recency/outbox` or `/recency/api`. */
  readonly source: string;
  /** `ce_time`: when it happened, ms since 1970 UTC. */
  readonly time: number;
  /** W3C trace context of whoever caused it. */
  readonly traceparent?: string;
}

/** The transport will never take this message, whatever its own state: it is too large, or not as it must be. */
export class MessageRefused extends UserError {
  override readonly name = 'MessageRefused';
}

/** Some tasks were not taken, or all of them; the others were. */
export class PartlyPublished extends Error {
  override readonly name = 'PartlyPublished';
  /** Each with its reason: MessageRefused, or an error of that part of the transport, which may take it another time. */
  readonly notTaken: ReadonlyMap<OutgoingTask, Error>;

  constructor(notTaken: ReadonlyMap<OutgoingTask, Error>) {
    const [first] = notTaken.values();
    super(`${notTaken.size} of the tasks were not taken, the first because: ${first?.message}`, { cause: first });
    this.notTaken = notTaken;
  }
}

/** As many tasks wait on the transport as may. None was taken; there is room again once the consumers have caught up. */
export class TransportFull extends UserError {
  override readonly name = 'TransportFull';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'Try again when the consumers have caught up; `recency doctor` says more.';
  }
}

/** Puts tasks on a transport. */
export interface TaskPublisher {
  /** Would tasks be taken now? To be asked before rows are claimed. @throws TransportFull, and what says that it cannot be told */
  checkRoom(): Promise<void>;
  /**
   * Resolves once the transport has all of them durably.
   * @throws PartlyPublished where it can be told which were taken. Any other error: some may have been taken; publish all again
   */
  publish(tasks: readonly OutgoingTask[]): Promise<void>;
  close(): Promise<void>;
}

import type { DeliveredTask } from '../contracts/task.ts';
import { UserError } from '../contracts/user-error.ts';

/** A task to publish, with its CloudEvents 1.0 attributes. */
export interface OutgoingTask {
  readonly task: DeliveredTask;
  /** `ce_id`: unique within the source; a republished task keeps its id. */
  readonly id: string;
  /** `ce_source`: the publisher, for example `/recency/outbox` or `/recency/api`. */
  readonly source: string;
  /** `ce_time`: when it happened, ms since 1970 UTC. */
  readonly time: number;
  /** W3C trace context of the cause, which consumers continue. What the task means does not depend on it. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The transport will never take this message: it is too large, or malformed. */
export class MessageRefused extends UserError {
  override readonly name = 'MessageRefused';
}

/** The transport did not take some of the tasks, or any; it took the others. */
export class PartlyPublished extends Error {
  override readonly name = 'PartlyPublished';
  /** Each task with its reason: MessageRefused, or an error of that part of the transport, which may take it later. */
  readonly notTaken: ReadonlyMap<OutgoingTask, Error>;

  constructor(notTaken: ReadonlyMap<OutgoingTask, Error>) {
    const [first] = notTaken.values();
    super(`the transport did not take ${notTaken.size} of the tasks; the first error: ${first?.message}`, {
      cause: first,
    });
    this.notTaken = notTaken;
  }
}

/** The transport holds its maximum of tasks and took none. There is room again once the consumers have caught up. */
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
  /** Resolves if tasks would be taken now. Call it before claiming rows. @throws TransportFull, or why that is unknown */
  checkRoom(): Promise<void>;
  /**
   * Resolves once the transport has stored all tasks durably.
   * @param onTaken called with the places of the tasks, in their order, where the transport says them: see `Transport.isWaiting`
   * @throws PartlyPublished if it is known which tasks were taken. After any other error some may have been: publish all again
   */
  publish(tasks: readonly OutgoingTask[], onTaken?: (places: readonly string[]) => void): Promise<void>;
  close(): Promise<void>;
}

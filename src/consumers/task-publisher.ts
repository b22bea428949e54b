import type { Task } from '../contracts/task.ts';

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

/** Puts tasks on a transport. */
export interface TaskPublisher {
  /** Resolves once the transport has all of them durably. Rejects otherwise; some may have been taken: publish all again. */
  publish(tasks: readonly OutgoingTask[]): Promise<void>;
  close(): Promise<void>;
}

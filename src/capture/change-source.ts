/** Where changes come from: the binary log, or topics that another program fills from it. */
import type { RowChange } from './row-change.ts';

export interface ChangeBatch {
  /** In the order of their commits. Empty: only time has passed. */
  readonly changes: readonly RowChange[];
  /** Everything before it is in this batch or an earlier one: saved once the tasks are published. Undefined: as before. */
  readonly position: string | undefined;
  /** When the newest change was committed, ms since 1970 UTC; undefined: the batch is empty. */
  readonly at: number | undefined;
  /** Capture's own row as it came back with the changes; undefined: it did not. */
  readonly echo: Echo | undefined;
}

/** A write of capture's own row. */
export interface Echo {
  /** Its `saved_at`, ms since 1970 UTC. */
  readonly at: number;
  /** Its `fences`: the number of the write. */
  readonly fence: number;
}

export interface ChangeSource {
  /**
   * Resolves as soon as there is anything, or with an empty batch after `waitMs` or when the signal is aborted.
   * @throws CaptureGap; SourceDenied; any other error means that the source must be opened again, where it was saved
   */
  next(waitMs: number, signal: AbortSignal): Promise<ChangeBatch>;
  /** Everything that `next` has given is published. A source that keeps its own position saves it. */
  published?(): Promise<void>;
  close(): Promise<void>;
}

/** Changes are missing, or cannot be read: whatever was built before them may be wrong. */
export class CaptureGap extends Error {
  override readonly name = 'CaptureGap';
  /** For the metrics. */
  readonly reason: GapReason;

  constructor(reason: GapReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export const GAP_REASONS = ['first_start', 'server', 'position', 'statement', 'unreadable'] as const;

/**
 * - `first_start`: there is no position yet
 * - `server`: another MySQL server than the position's
 * - `position`: the server does not have the log, or Kafka the topics, from the position on
 * - `statement`: a statement changed rows, or what they mean, without row events: TRUNCATE, ALTER, DROP, a view
 * - `unreadable`: rows that cannot be read: compressed, partial, or of another shape than the mapping says
 */
export type GapReason = (typeof GAP_REASONS)[number];

/** Where changes come from: the binary log, or topics that another program fills from it. */

/** What every source of changes delivers, and what the mapping turns into tasks. */

/**
 * A value of a column. Ids and every BIGINT are decimal text, exact to 2^64 − 1; other whole numbers may be numbers where
 * these are exact. Texts are texts, and BINARY and its like are bytes. Any other type is the source's text for it: the same
 * value always has the same text, and no mapping may read more than that of it (column-types.ts).
 */
export type Value = string | number | Buffer | null;

/** By column name, as the table declares it. A source may leave out columns that the mapping does not name. */
export type Row = Readonly<Record<string, Value>>;

/** One row that a committed transaction has changed. */
export interface RowChange {
  readonly schema: string;
  readonly table: string;
  readonly kind: 'insert' | 'update' | 'delete';
  /** The row as it was; undefined for an insert. */
  readonly before: Row | undefined;
  /** The row as it is now; undefined for a delete. */
  readonly after: Row | undefined;
}

/** Whether two values of one column are the same bytes. */
export function isUnchanged(before: Value | undefined, after: Value | undefined): boolean {
  if (Buffer.isBuffer(before) && Buffer.isBuffer(after)) return before.equals(after);
  return before === after || (!Buffer.isBuffer(before) && !Buffer.isBuffer(after) && String(before) === String(after));
}

export interface ChangeBatch {
  /** In the order of their commits. Empty: only time has passed. */
  readonly changes: readonly RowChange[];
  /** When the newest change was committed, ms since 1970 UTC; undefined: there is none. */
  readonly at: number | undefined;
  /** Capture's own writes as they came back with the changes, oldest first. */
  readonly echoes: readonly Echo[];
}

/** A write of capture's own row. */
export interface Echo {
  /** Its `saved_at`, ms since 1970 UTC. */
  readonly at: number;
  /** Its `fences`: the number of the write. */
  readonly fence: number;
  /** Its `nonce`; empty: the process that wrote it knew of none. */
  readonly nonce: string;
  /**
   * Where reading may go on so that this write comes by again: everything before is in this batch or an earlier one.
   * Undefined: the source keeps its own position, or has none here.
   */
  readonly position: string | undefined;
}

export interface ChangeSource {
  /** Grows whenever anything arrives: a source that is slow is not silent. */
  readonly received: number;
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

export const GAP_REASONS = ['first_start', 'server', 'mapping', 'position', 'statement', 'unreadable'] as const;

/**
 * - `first_start`: there is no position yet
 * - `server`: another MySQL server than the position's, or one that is set up so that changes may have been missed
 * - `mapping`: another mapping than before: of what only this one has, no earlier change has a hint
 * - `position`: the log, or the topics, are not there from the position on, or are not those that the position was read in
 * - `statement`: a statement that is not known to be harmless: it may change rows, or what they mean, without row events
 * - `unreadable`: what cannot be read: compressed, partial, of an unknown type, or of another shape than the mapping says
 */
export type GapReason = (typeof GAP_REASONS)[number];

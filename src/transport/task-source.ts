/**
 * The interface between transports and consumers. A source delivers and acknowledges batches; the consumer decodes, retries and
 * dead-letters. Nothing here is specific to a transport: one conformance suite runs over every implementation.
 *
 * Delivery is at least once, in no guaranteed order; the protocol of the index needs none.
 */

/** One delivery of a message. Redeliveries of the same message, and nothing else, have the same position. */
export interface Delivery {
  /** Where the message is in its transport: `kafka:<topic>:<partition>:<offset>`, `streams:<key>:<entry>`. */
  readonly position: string;
  /** The bytes as received; null for a tombstone. */
  readonly body: Buffer | null;
  /** CloudEvents attributes (`ce_id`, `ce_type`, …) and the publisher's other headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the transport took the message, ms since 1970 UTC; −1 if unknown. */
  readonly timestamp: number;
  /** Set when this stands for messages that the transport's client could not read; the body holds the raw bytes. */
  readonly unreadable?: UnreadableMessages;
}

interface UnreadableMessages {
  /** Human-readable: what is wrong. */
  readonly reason: string;
  /** The offset of the last message; the position contains the first one. */
  readonly lastOffset: string;
}

/** The right to work on a batch. It is passed down to whatever does the work. */
export interface BatchLease {
  /**
   * Call between the steps of long work; calling often is cheap. Proves to the transport that this consumer is alive (a
   * heartbeat, an XCLAIM) and that the batch is still its own.
   * @throws BatchLost when another consumer has the batch: stop working on it
   */
  renew(): Promise<void>;
}

/** The input of one call of the handler: at most 500 deliveries, which are acknowledged together. */
export interface Batch {
  readonly deliveries: readonly Delivery[];
  readonly lease: BatchLease;
}

/**
 * Handles a batch. When it resolves, the batch is acknowledged; when it rejects, the batch is delivered again after a back-off.
 * Calls overlap only where one is slow: then the next batch is delivered beside it, up to a bound. Batches at the same time
 * never share a partition.
 */
export type BatchHandler = (batch: Batch) => Promise<void>;

/** Deliveries of one batch, at most, unless fewer are wanted. */
export const MAX_BATCH = 500;

/** A batch that takes longer is slow, ms: others are delivered beside it. */
export const SLOW_BATCH_MS = 500;

/** Batches at once, at most, unless another number is wanted: slow ones, and one that is not. */
export const BATCHES_AT_ONCE = 4;

/**
 * Whether a consumer group has ever consumed, kept outside the transport, which may lose it. It is asked before the group's
 * positions are read, and recorded after they have been written: so members that start a new group at the same time do not
 * take each other's beginning for lost positions.
 */
export interface GroupHistory {
  hasStarted(): Promise<boolean>;
  recordStart(): Promise<void>;
}

export const LOSS_REASONS = [
  'offset_out_of_range',
  'group_without_offsets',
  'gap',
  'end_lost',
  'stream_lost',
  'set_aside',
  'position_moved',
] as const;

/** Tasks that will never be delivered: the indexes can no longer be trusted, and a new epoch is due. */
export interface Loss {
  readonly reason: (typeof LOSS_REASONS)[number];
  /** Human-readable: which partition or stream, which offsets. */
  readonly detail: string;
  /** The partitions concerned: only their consumers have to catch up. Left out: everything that the group consumes. */
  readonly partitions?: readonly number[];
}

/** The group's progress in the places (partitions, a stream) that it consumes: tells when it has caught up after a loss. */
export interface GroupPositions {
  /** The places of a loss, by names that are unique to this transport, topic and group. */
  placesOf(loss: Loss): readonly string[];
  /** Is this a place of this group? */
  owns(place: string): boolean;
  /** The current end. @throws if it is unknown */
  endOf(place: string): Promise<string>;
  /** Has the group processed everything up to `end`? @throws if it is unknown */
  isPast(place: string, end: string): Promise<boolean>;
}

/** Whether a source can receive tasks. */
export interface SourceState {
  readonly isReady: boolean;
  /** Human-readable, without anything confidential. */
  readonly detail: string;
}

export interface TaskSource {
  /**
   * Delivers batches until `stop`. Resolves after the last batch has been acknowledged or given back. A source runs once.
   * Rejects when the source cannot recover (a wrong password; SourceStalled: a handler hangs that neither settles nor renews
   * its lease); the process should then fail. Whatever may be fixed meanwhile (an unavailable server, a missing permission) is
   * retried, and `state` says why.
   * `onLoss` is awaited before anything behind the loss is delivered.
   */
  run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void>;
  /** Begins no new batch; the current one may finish. Resolves when `run` has ended, so a handler must not await it. */
  stop(): Promise<void>;
  /** The number of messages not yet acknowledged; undefined if unknown. */
  lag(): Promise<number | undefined>;
  state(): SourceState;
}

/** The batch belongs to another consumer, or this process is stopping. It will be delivered again. */
export class BatchLost extends Error {
  override readonly name = 'BatchLost';
}

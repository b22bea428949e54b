/**
 * Where tasks come from. A source delivers; the consumer loop decodes, batches, retries, dead-letters; the source
 * acknowledges what the loop has finished. Nothing here names a transport, and one conformance suite runs over every
 * implementation.
 *
 * Delivery is at least once and in no promised order: the protocol needs none.
 */

/** One delivery of one message. A redelivery of the same message has the same position; nothing else has. */
export interface Delivery {
  /** The message's place in its transport: `kafka:<topic>:<partition>:<offset>`, `streams:<key>:<entry>`. */
  readonly position: string;
  /** The bytes as they came; null is a tombstone. */
  readonly body: Buffer | null;
  /** CloudEvents attributes (`ce_id`, `ce_type`, …) and whatever else the publisher sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the transport took the message, ms since 1970 UTC; −1 when it cannot be told. */
  readonly timestamp: number;
  /** Set when these are messages that the transport's client could not read; the body is what came, as it came. */
  readonly unreadable?: Unreadable;
}

export interface Unreadable {
  /** For people: what is wrong with it. */
  readonly reason: string;
  /** The offset of the last message in it; the position has that of the first. */
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

/** What one call of the handler works on: at most 500 deliveries, acknowledged together. */
export interface Batch {
  readonly deliveries: readonly Delivery[];
  readonly lease: BatchLease;
}

/**
 * Resolves: acknowledge the batch. Rejects: do not; the deliveries come again after a pause that grows to a bound.
 * Calls never overlap.
 */
export type BatchHandler = (batch: Batch) => Promise<void>;

/** Tasks that will never be delivered: the indexes cannot be trusted any more and a new epoch is due. */
export interface Loss {
  readonly reason: 'offset_out_of_range' | 'group_without_offsets' | 'gap' | 'end_lost' | 'stream_lost';
  /** For people: which partition or stream, which offsets. */
  readonly detail: string;
  /** Where: only their consumers have to catch up. Left out: everything that the group consumes. */
  readonly partitions?: readonly number[];
}

/** Where the group stands in the places (partitions, a stream) that it consumes, for whoever waits for it to catch up. */
export interface GroupPositions {
  /** The places of a loss, each by a name that no other transport, topic and group has. */
  placesOf(loss: Loss): readonly string[];
  /** Is this a place of this group? */
  owns(place: string): boolean;
  /** The end of what is there now. @throws when it cannot be told now */
  endOf(place: string): Promise<string>;
  /** Has the group processed everything up to there? @throws when it cannot be told now */
  isPast(place: string, end: string): Promise<boolean>;
}

/** Whether a source gets tasks, or would get them if there were any. */
export interface SourceState {
  readonly isReady: boolean;
  /** For people, and fit to be told to anybody. */
  readonly detail: string;
}

export interface TaskSource {
  /**
   * Delivers batches until `stop`. Resolves after the last batch in work was acknowledged or given back.
   * Rejects when the source cannot go on by itself (a wrong password; SourceStalled: a handler hangs that neither settles
   * nor keeps its batch alive); the process should then end with a failure. A source runs once. What somebody may fix
   * meanwhile (a server that is away, a missing permission) is tried again and again, and `state` tells.
   * `onLoss` is awaited before anything behind the loss is delivered.
   */
  run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void>;
  /** No new batch from now on; the one in work may finish. Resolves when `run` has ended: not to be awaited in a handler. */
  stop(): Promise<void>;
  /** Deliveries waiting behind what is acknowledged, in all; undefined when it cannot be told now. */
  lag(): Promise<number | undefined>;
  state(): SourceState;
}

export class BatchLost extends Error {
  override readonly name = 'BatchLost';
}

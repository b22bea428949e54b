/**
 * Capture: changes of rows, from MySQL's own log, become tasks. One loop: a batch of changes → the fence → the tasks to the
 * transport → the position.
 *
 * # The fence: no hint before its commit can be seen
 *
 * A task is a hint that sends a worker to MySQL, and the protocol is correct because the task is published after the commit
 * (../index/protocol.ts). Whoever reads the binary log can be too early. MySQL and MariaDB write and sync a transaction to the
 * log first, and commit it in InnoDB afterwards: with semi-synchronous replication (AFTER_SYNC) a network round trip later, or
 * seconds where a replica is slow. In between a replica has the rows, and every other session still sees the old ones. A hint
 * published then lets a worker read the old state, write it, and acknowledge the task: the index is wrong, and nothing will ever
 * correct it.
 *
 * So between reading a batch and publishing its tasks, capture commits a small write of its own: it updates its row in
 * `recency_capture`, which is in the log as well. Both servers commit in InnoDB in the order of the log (MySQL with
 * binlog_order_commits = ON, which is checked at the start; MariaDB always). Everything in the batch was in the log when the
 * write began, so it comes before the write in the log, and is committed, and visible, when that write's commit has returned.
 * Owners that are found through another table are looked up after the fence too, for the same reason.
 *
 * The same write saves the position up to which tasks were published before, so a batch costs one commit.
 *
 * # A restart, and two processes
 *
 * Tasks are hints: repeated or in another order they do no harm. So the position is saved after the transport has the tasks, and
 * a process that is killed at any moment begins again at the saved one. A lease lets one process capture at a time. One that was
 * suspended and comes back may publish hints once more, but its position is refused, by the fencing token.
 *
 * # A gap
 *
 * Where changes are missing or cannot be read (no position yet, another server, a log that was purged, TRUNCATE, ALTER, rows of
 * another shape), nobody knows what they were. Then the position is set to the present, and after that a new epoch begins: an
 * index of the new epoch is read after the epoch's commit, so it has everything before the position, and what comes after is
 * captured.
 *
 * # Silence
 *
 * A connection that is broken without a word, or a reader that stops, looks like a site where nothing happens. So the row is
 * written every second in any case, and must come back in the log. What has come back, with everything before it published, is
 * saved with the next write: so others know which changes are on their way no longer (../index/index-drain-barrier.ts).
 */
import type { Logger } from 'pino';
import { UserError } from '../contracts/user-error.ts';
import { readCapture, type SavedCapture, saveCapture } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import { type Fence, StaleFence } from '../mysql/leases.ts';
import { backoffMs, DEFAULT_BACKOFF, pause } from '../timing/backoff.ts';
import { SourceStalled } from '../timing/stall-detector.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource, type GapReason } from './change-source.ts';
import { type HintBatch, ShapeMismatch } from './hints.ts';
import { lookUpIds } from './look-ups.ts';
import type { PatientPublisher } from './publishing.ts';

export interface CaptureOptions {
  readonly database: Database;
  /** The name of its row in `recency_capture`. */
  readonly source: string;
  /** Opens the source where it was saved. */
  readonly open: (position: string) => ChangeSource;
  /** The position of the present. */
  readonly present: () => Promise<string>;
  /** Identity of the server that the log belongs to. */
  readonly server: () => Promise<string>;
  /** Checks that the server's log can be captured now. Throws a UserError that says what is wrong. */
  readonly check: () => Promise<void>;
  /** Begins a new epoch. @param why for people */
  readonly newEpoch: (why: string) => Promise<void>;
  readonly begin: () => HintBatch;
  readonly publisher: Pick<PatientPublisher, 'publish'>;
  readonly logger: Logger;
  /** Wall clock, ms since 1970 UTC; and a monotonic one, ms. */
  readonly clock: { readonly wall: () => number; readonly now: () => number };
  /** How long the source may be silent, ms. */
  readonly stallMs: number;
  readonly onBatch?: (counts: BatchCounts) => void;
  readonly onGap?: (reason: GapReason) => void;
}

export interface BatchCounts {
  readonly rows: number;
  readonly tasks: number;
  readonly oddIds: number;
}

/** Between two writes, if no batch needs one sooner, ms. */
const HEARTBEAT_MS = 1_000;

export class Capture {
  readonly #options: CaptureOptions;
  /** Up to which everything is published. */
  #published: SavedCapture = { position: '', server: '', published: 0 };
  #savedAt = 0;
  #lastHeard = 0;
  #lagMs: number | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** How long ago the newest write that has come back was made, or how old the newest change read is, ms; undefined: unknown. */
  get lagMs(): number | undefined {
    if (this.#lagMs === undefined) return undefined;
    // Between two of its own writes nothing can be late.
    const silentMs = this.#options.clock.now() - this.#lastHeard - HEARTBEAT_MS;
    return this.#lagMs + Math.max(0, silentMs);
  }

  /** When something was last read, by the monotonic clock, ms; 0: never. */
  get lastHeard(): number {
    return this.#lastHeard;
  }

  /**
   * Captures until aborted.
   * @throws UserError: the server cannot be captured as it is set up, or another process has the lease
   */
  async run(fence: Fence, signal: AbortSignal): Promise<void> {
    const { logger, onGap } = this.#options;
    for (let failures = 0; !signal.aborted; failures++) {
      const begun = this.#options.clock.now();
      try {
        await this.#session(fence, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CaptureGap) {
          onGap?.(error.reason);
          const retried = await this.#beginAnew(error, fence).catch((failure: unknown) => failure);
          if (retried === undefined) continue;
          mustBeTemporary(retried);
          logger.warn({ err: retried }, 'capture could not begin anew; retrying');
        } else {
          mustBeTemporary(error);
          logger.warn({ err: error }, 'the source of changes failed; opening it again where it was saved');
        }
        if (this.#options.clock.now() - begun > 60_000) failures = 0;
        await pause(backoffMs(failures, DEFAULT_BACKOFF), signal);
      }
    }
  }

  async #session(fence: Fence, signal: AbortSignal): Promise<void> {
    const { database, source: name, open, server: identity, clock } = this.#options;
    const saved = await readCapture(database, name);
    const server = await identity();
    if (saved === undefined || saved.position === '')
      throw new CaptureGap('first_start', 'nothing was captured before');
    if (saved.server !== server)
      throw new CaptureGap('server', 'another MySQL server than the one that was captured before');
    this.#published = saved;
    await this.#save(fence);
    const source = open(saved.position);
    let silentSince = clock.now();
    try {
      while (!signal.aborted) {
        const batch = await source.next(this.#waitMs(), signal);
        if (batch.changes.length > 0 || batch.echo !== undefined) silentSince = clock.now();
        await this.#handle(batch, fence, signal);
        await source.published?.();
        if (clock.now() >= this.#savedAt + HEARTBEAT_MS) await this.#save(fence);
        const silentMs = clock.now() - silentSince;
        if (silentMs > this.#options.stallMs) throw stalled(silentMs);
      }
      await this.#save(fence);
    } finally {
      await source.close();
    }
  }

  async #handle(batch: ChangeBatch, fence: Fence, signal: AbortSignal): Promise<void> {
    const { begin, database, publisher, onBatch, clock } = this.#options;
    const { changes, position, at = clock.wall(), echo } = batch;
    if (echo !== undefined || changes.length > 0) {
      this.#lastHeard = clock.now();
      this.#lagMs = Math.max(0, clock.wall() - (echo?.at ?? at));
    }
    const hints = derive(begin(), changes);
    if (hints.tasks.length > 0 || hints.wanted.length > 0) {
      await this.#save(fence);
      await lookUpIds(database, hints);
      await publisher.publish(hints.tasks, at, signal);
    }
    if (position !== undefined) this.#published = { ...this.#published, position };
    if (echo !== undefined)
      this.#published = { ...this.#published, published: Math.max(this.#published.published, echo.fence) };
    if (changes.length > 0) onBatch?.({ rows: changes.length, tasks: hints.tasks.length, oddIds: hints.oddIds });
  }

  /** Saves the position, and is the fence: what was read before is visible when it resolves. */
  async #save(fence: Fence): Promise<void> {
    const { database, source, clock } = this.#options;
    await saveCapture(database, source, this.#published, fence, clock.wall());
    this.#savedAt = clock.now();
  }

  #waitMs(): number {
    return Math.max(1, this.#savedAt + HEARTBEAT_MS - this.#options.clock.now());
  }

  /** The order counts: an index of the new epoch has everything up to the position, and the rest is captured. */
  async #beginAnew({ reason, message }: CaptureGap, fence: Fence): Promise<void> {
    const { check, present, server, newEpoch, logger } = this.#options;
    await check();
    const position = await present();
    const log = { reason, position };
    const text = `${message}; a new epoch begins, and every index is built again when it is next read`;
    if (reason === 'first_start') logger.info(log, text);
    else logger.error(log, text);
    await newEpoch(`capture: ${message}`);
    this.#published = { position, server: await server(), published: 0 };
    await this.#save(fence);
  }
}

/** A mistake of the set-up, or another holder of the lease, ends the process; everything else passes. */
function mustBeTemporary(error: unknown): void {
  if (error instanceof StaleFence) throw error;
  if (error instanceof UserError && error.kind !== 'unavailable') throw error;
}

function derive(hints: HintBatch, changes: ChangeBatch['changes']): HintBatch {
  try {
    for (const change of changes) hints.add(change);
    return hints;
  } catch (error) {
    throw error instanceof ShapeMismatch ? new CaptureGap('unreadable', error.message, { cause: error }) : error;
  }
}

function stalled(silentMs: number): SourceStalled {
  const seconds = Math.round(silentMs / 1000);
  return new SourceStalled(
    `the source of changes has been silent for ${seconds} s, although Recency itself writes to it`,
  );
}

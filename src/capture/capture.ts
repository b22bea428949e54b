/**
 * Capture: changes of rows, from MySQL's own log, become tasks. One loop: a batch of changes → the fence → the tasks to the
 * transport → the position.
 *
 * # The fence: no hint before its commit can be seen
 *
 * A task is a hint that sends a worker to MySQL, and the protocol is correct because the task is published after the commit
 * (../index/protocol.ts). A reader of the binary log can be too early. MySQL and MariaDB write and sync a transaction to the
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
 * # The position proves itself
 *
 * What is saved is the place in front of a write of capture's own row that has come back, with its nonce. Reading begins there,
 * and that write must come by first: otherwise this is not the log in which the position was saved (log-proof.ts). A source that
 * keeps its own position is given no place; there the end of MySQL's log is saved with each write, and looked at before the source
 * is opened (open-sources.ts).
 *
 * # A gap
 *
 * Where changes are missing or cannot be read (no position yet, another server or log, another mapping, a log that was purged,
 * whatever is not known to be harmless), nobody knows what they were. Then the position is set to the present, and after that a
 * new epoch begins: an index of the new epoch is read after the epoch's commit, so it has everything before the position, and
 * what comes after is captured.
 *
 * Settings, replication and the server's address can change while capture runs, and the log does not say so. So the server is checked
 * again at intervals, and what is wrong then is a gap too: changes may be missing since the check before.
 *
 * # Silence
 *
 * A connection that is broken without a word, or a reader that stops, looks like a site where nothing happens. So the row is
 * written every second in any case, and must come back in the log. Silent is a source from which no byte comes; a transaction that
 * takes minutes to arrive is not. Alive is one that gets further than before: what is read again says nothing. What has come back, with everything before it published, is
 * saved with the next write: so others know which changes are on their way no longer (../index/index-drain-barrier.ts).
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { UserError } from '../contracts/user-error.ts';
import { readCapture, type SavedCapture, saveCapture } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import { type Fence, StaleFence } from '../mysql/leases.ts';
import { backoffMs, DEFAULT_BACKOFF, pause } from '../timing/loop.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource, type GapReason } from './change-source.ts';
import { type HintBatch, ShapeMismatch } from './hints.ts';
import { type LogAnchor, LogProof } from './log-proof.ts';
import { lookUpIds } from './look-ups.ts';
import { Progress, Silence } from './progress.ts';
import type { PatientPublisher } from './publishing.ts';

export interface CaptureOptions {
  readonly database: Database;
  /** The name of its row in `recency_capture`. */
  readonly source: string;
  /** Opens the source where it was saved. */
  readonly open: (position: string) => ChangeSource;
  /** Of a source that saves its position by itself: what proves that MySQL's log is still the one that it reads. */
  readonly anchor?: LogAnchor;
  /** The position of the present. */
  readonly present: () => Promise<string>;
  /** Identity of the server that the log belongs to, and of what it does not log. */
  readonly server: () => Promise<string>;
  /** Checks that the server's log can be captured now, and at intervals. Throws a UserError that says what is wrong. */
  readonly check: () => Promise<void>;
  /** Begins a new epoch. @param why for people */
  readonly newEpoch: (why: string) => Promise<void>;
  readonly begin: () => HintBatch;
  /** The mapping by which `begin` makes hints (mapping.ts, mappingDigest). */
  readonly mapping: string;
  readonly publisher: Pick<PatientPublisher, 'publish'>;
  readonly logger: Logger;
  /** Wall clock, ms since 1970 UTC; and a monotonic one, ms. */
  readonly clock: { readonly wall: () => number; readonly now: () => number };
  /** How long the source may be silent, and the time between two checks of the server, ms. */
  readonly stallMs: number;
  /** Waits so many ms between two attempts. Left out: of real time. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onBatch?: (counts: BatchCounts) => void;
  readonly onGap?: (reason: GapReason) => void;
}

export interface BatchCounts {
  readonly rows: number;
  readonly tasks: number;
  readonly oddIds: number;
}

const NOWHERE: SavedCapture = { position: '', proof: '', server: '', mapping: '', published: 0, writes: 0 };

/** Between two writes, if no batch needs one sooner, ms. */
const HEARTBEAT_MS = 1_000;

export class Capture {
  readonly #options: CaptureOptions;
  /** Up to which everything is published. */
  #published: SavedCapture = NOWHERE;
  #savedAt = 0;
  readonly #progress = new Progress();
  #lag: { readonly ms: number; readonly measuredAt: number } | undefined;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** How long ago the newest write that has come back was made, or how old the newest change read is, ms; undefined: unknown. */
  get lagMs(): number | undefined {
    if (this.#lag === undefined) return undefined;
    // Between two of its own writes nothing can be late.
    const silentMs = this.#options.clock.now() - this.#lag.measuredAt - HEARTBEAT_MS;
    return this.#lag.ms + Math.max(0, silentMs);
  }

  /** When reading last got further than ever before, by the monotonic clock, ms; 0: never. */
  get lastHeard(): number {
    return this.#progress.at;
  }

  /**
   * Captures until aborted.
   * @throws UserError: the server cannot be captured as it is set up, or another process has the lease
   */
  async run(fence: Fence, signal: AbortSignal): Promise<void> {
    const { logger, onGap, pause: wait = pause } = this.#options;
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
          logger.warn({ err: retried, gap: error.message }, 'capture could not begin anew after a gap; retrying');
        } else {
          mustBeTemporary(error);
          logger.warn({ err: error }, 'the source of changes failed; opening it again where it was saved');
        }
        if (this.#progress.at > begun) failures = 0;
        await wait(backoffMs(failures, DEFAULT_BACKOFF), signal);
      }
    }
  }

  async #session(fence: Fence, signal: AbortSignal): Promise<void> {
    const { database, source: name, open, mapping, clock, anchor, stallMs } = this.#options;
    const saved = (await readCapture(database, name)) ?? NOWHERE;
    this.#published = saved;
    if (saved.position === '') throw new CaptureGap('first_start', 'nothing was captured before');
    await this.#mustBeSameServer();
    if (saved.proof === '')
      throw new CaptureGap('position', 'what was captured ended with a gap, or by an earlier version');
    if (saved.mapping !== mapping)
      throw new CaptureGap('mapping', 'the mapping is not the one by which changes were captured before');
    await this.#save(fence);
    await anchor?.prove(saved, signal);
    const proof = anchor === undefined ? new LogProof(saved.proof) : undefined;
    this.#progress.begin(`${saved.position} ${saved.published}`);
    const source = open(saved.position);
    const silence = new Silence(clock.now(), stallMs);
    let checkedAt = clock.now();
    try {
      while (!signal.aborted) {
        const batch = await source.next(this.#waitMs(), signal);
        silence.check(source.received, clock.now());
        this.#notice(batch, source.received);
        for (const echo of batch.echoes) proof?.see(echo);
        await this.#handle(batch, fence, signal);
        await source.published?.();
        if (clock.now() >= this.#savedAt + HEARTBEAT_MS) await this.#beat(fence);
        if (clock.now() >= checkedAt + stallMs) {
          await this.#mustStayCapturable();
          checkedAt = clock.now();
        }
        silence.goOn(clock.now());
      }
      await this.#save(fence);
    } finally {
      await source.close();
    }
  }

  /** @throws CaptureGap */
  async #mustBeSameServer(): Promise<void> {
    if ((await this.#options.server()) === this.#published.server) return;
    const text = 'another MySQL server than the one that was captured, or it has replicated rows that it does not log';
    throw new CaptureGap('server', text);
  }

  /** What decides whether changes are logged can be changed at any time, and so can the server's address. @throws CaptureGap */
  async #mustStayCapturable(): Promise<void> {
    await this.#mustBeSameServer();
    try {
      await this.#options.check();
    } catch (error) {
      if (!isLasting(error)) throw error;
      throw new CaptureGap('server', `changes may have been missed. ${error.message}`, { cause: error });
    }
  }

  /** What a batch says about how far reading is, if it was not read before. */
  #notice({ changes, echoes, at }: ChangeBatch, received: number): void {
    const { clock } = this.#options;
    if (!this.#progress.isNew(received, clock.now())) return;
    const newest = echoes.at(-1)?.at ?? (changes.length > 0 ? at : undefined);
    if (newest !== undefined) this.#lag = { ms: Math.max(0, clock.wall() - newest), measuredAt: clock.now() };
  }

  async #handle({ changes, at, echoes }: ChangeBatch, fence: Fence, signal: AbortSignal): Promise<void> {
    const { begin, database, publisher, onBatch, clock } = this.#options;
    const hints = derive(begin(), changes);
    if (hints.tasks.length > 0 || hints.wanted.length > 0) {
      await this.#save(fence);
      await lookUpIds(database, hints);
      await publisher.publish(hints.tasks, at ?? clock.wall(), signal);
    }
    for (const echo of echoes) {
      this.#published = { ...this.#published, published: Math.max(this.#published.published, echo.fence) };
      const { position, nonce: proof } = echo;
      if (position !== undefined) this.#published = { ...this.#published, position, proof };
    }
    if (changes.length > 0) onBatch?.({ rows: changes.length, tasks: hints.tasks.length, oddIds: hints.oddIds });
  }

  /** Saves the position, and is the fence: what was read before is visible when it resolves. @throws CaptureGap */
  async #save(fence: Fence, nonce = newNonce()): Promise<void> {
    const { database, source, clock } = this.#options;
    const isSaved = await saveCapture(database, source, this.#published, fence, { nonce, at: clock.wall() });
    if (!isSaved) throw new CaptureGap('position', "capture's row in `recency_capture` was deleted, or set back");
    this.#published = { ...this.#published, writes: this.#published.writes + 1 };
    this.#savedAt = clock.now();
  }

  /** Without anything to publish. */
  async #beat(fence: Fence): Promise<void> {
    const nonce = newNonce();
    const position = await this.#options.anchor?.end();
    if (position !== undefined) this.#published = { ...this.#published, position, proof: nonce };
    await this.#save(fence, nonce);
  }

  #waitMs(): number {
    return Math.max(1, this.#savedAt + HEARTBEAT_MS - this.#options.clock.now());
  }

  /** The order counts: an index of the new epoch has everything up to the position, and the rest is captured. */
  async #beginAnew({ reason, message }: CaptureGap, fence: Fence): Promise<void> {
    const { check, present, server, mapping, newEpoch, logger } = this.#options;
    // A gap is not forgotten where the check ends this process. And this is a fence: a server sends its log before it commits, and a
    // position of the present from before that commit would lead to the same gap again. The row may count its writes anew.
    if (this.#published.proof !== '') {
      this.#published = { ...this.#published, proof: '', published: 0, writes: 0 };
      await this.#save(fence);
    }
    await check();
    const position = await present();
    const log = { reason, position };
    const text = `${message}; a new epoch begins, and every index is built again when it is next read`;
    if (reason === 'first_start') logger.info(log, text);
    else logger.error(log, text);
    await newEpoch(`capture: ${message}`);
    // The write that saves it is the first one behind it.
    const proof = newNonce();
    this.#published = { ...NOWHERE, position, proof, server: await server(), mapping };
    await this.#save(fence, proof);
  }
}

const newNonce = (): string => randomBytes(16).toString('base64url');

/** A mistake of the set-up, or another holder of the lease, ends the process; everything else passes. */
function mustBeTemporary(error: unknown): void {
  if (error instanceof StaleFence || isLasting(error)) throw error;
}

const isLasting = (error: unknown): error is UserError => error instanceof UserError && error.kind !== 'unavailable';

function derive(hints: HintBatch, changes: ChangeBatch['changes']): HintBatch {
  try {
    for (const change of changes) hints.add(change);
    return hints;
  } catch (error) {
    throw error instanceof ShapeMismatch ? new CaptureGap('unreadable', error.message, { cause: error }) : error;
  }
}

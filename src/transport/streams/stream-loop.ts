import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../../mysql/database.ts';
import { type RedisClient, untilReady } from '../../redis/connection.ts';
import { RedisUnavailable } from '../../redis/unavailable.ts';
import { type Backoff, backoffMs, pause } from '../../timing/backoff.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import type { BatchHandler, Loss, SourceState } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';
import { deliveryOf, type RawEntry } from './entries.ts';
import { EntryLease } from './entry-lease.ts';
import type { LossCheck } from './loss-check.ts';

export interface StreamLoopOptions {
  readonly reader: RedisClient;
  readonly group: ConsumerGroup;
  readonly stream: string;
  readonly losses: LossCheck;
  readonly handler: BatchHandler;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly progress: StallDetector;
  readonly logger: Logger;
  readonly idleMs: number;
  readonly backoff: Backoff;
  readonly now: () => number;
  /** Aborted: no new batch. */
  readonly stopping: AbortSignal;
}

/** Entries in one batch at the most. */
const BATCH = 500;

/** A read waits so long when there is nothing; a stop waits for it. */
export const BLOCK_MS = 500;

/** For the reading connection to come up. */
const READY_MS = 500;

/** Between two rounds of tidying, ms. */
const TIDY_MS = 1_000;

/** The onLoss of a caller failed: it is told again. */
class LossNotReported extends Error {
  override readonly name = 'LossNotReported';
}

/** Reads a stream by a consumer group, batch after batch. */
export class StreamLoop {
  readonly #options: StreamLoopOptions;
  #mustCheck = true;
  #isWorking = false;
  #state: SourceState = { isReady: false, detail: 'the stream has not been read yet' };
  #nextClaim = Number.NEGATIVE_INFINITY;
  #nextTidying = Number.NEGATIVE_INFINITY;

  constructor(options: StreamLoopOptions) {
    this.#options = options;
    // The server may have begun anew with an older copy of its data; ioredis goes on as if nothing had been.
    options.reader.on('ready', () => {
      this.#mustCheck = true;
    });
  }

  get state(): SourceState {
    return this.#state;
  }

  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Until `stopping`. @throws what does not pass by itself: no permission, a key that holds no stream */
  async run(): Promise<void> {
    const { stopping, progress, backoff, logger } = this.#options;
    for (let failures = 0; !stopping.aborted; ) {
      try {
        await this.#round();
        failures = 0;
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#mustCheck = true;
        this.#state = { isReady: false, detail: `the stream cannot be read: ${(error as Error).name}` };
        progress.mark();
        logger.warn({ err: error }, 'the stream cannot be read; trying on');
        await pause(backoffMs(failures++, backoff), stopping);
      }
    }
  }

  async #round(): Promise<void> {
    await untilReady(this.#options.reader, READY_MS);
    await this.#check();
    this.#state = { isReady: true, detail: 'reading the stream' };
    const entries = await this.#next();
    // The connection may have been made anew while we waited for these.
    await this.#check();
    if (entries.length > 0) await this.#deliver(entries);
    await this.#tidy();
  }

  async #check(): Promise<void> {
    const { losses, onLoss } = this.#options;
    if (!this.#mustCheck && !losses.isDue) return;
    await losses.run(async (loss) => {
      await onLoss(loss).catch((cause: unknown) => {
        throw new LossNotReported(loss.detail, { cause });
      });
    });
    this.#mustCheck = false;
  }

  /** What others have left behind comes first. */
  async #next(): Promise<RawEntry[]> {
    const { group, reader, losses, idleMs, now } = this.#options;
    if (now() >= this.#nextClaim) {
      const { entries, deleted } = await group.claimIdle(idleMs, BATCH);
      losses.sawDeleted(deleted);
      if (entries.length > 0 || deleted.length > 0) return entries;
      this.#nextClaim = now() + idleMs / 4;
    }
    return group.read(reader, BATCH, BLOCK_MS);
  }

  async #deliver(entries: readonly RawEntry[]): Promise<void> {
    const { stream, losses } = this.#options;
    const ids = entries.map(([id]) => id.toString());
    losses.saw(String(ids.at(-1)));
    const deliveries = entries.map((entry) => deliveryOf(stream, entry));
    const lease = new EntryLease({ ...this.#options, ids });
    this.#isWorking = true;
    try {
      await this.#untilDone(ids, lease, () => this.#options.handler({ deliveries, lease }));
    } finally {
      this.#isWorking = false;
      lease.end();
    }
  }

  /** Until the batch is acknowledged, belongs to another consumer, or is given up because the source stops. */
  async #untilDone(ids: readonly string[], lease: EntryLease, work: () => Promise<void>): Promise<void> {
    const { group, stopping, progress, backoff, logger } = this.#options;
    for (let failures = 0; ; failures++) {
      try {
        if (failures > 0) await lease.confirm();
        await work();
        return await group.acknowledge(ids);
      } catch (error) {
        if (lease.isLost) return;
        if (stopping.aborted) return await group.giveUp(ids);
        const delayMs = backoffMs(failures, backoff);
        logger.warn({ err: error, first: ids[0], delayMs }, 'a batch was given back; it comes again');
        await pause(delayMs, stopping);
        if (stopping.aborted) return await group.giveUp(ids);
      } finally {
        progress.mark();
      }
    }
  }

  async #tidy(): Promise<void> {
    const { group, now } = this.#options;
    if (now() < this.#nextTidying) return;
    this.#nextTidying = now() + TIDY_MS;
    await group.trim();
    this.#mustCheck = true;
  }
}

function isPassing(error: unknown): boolean {
  // What is noted outside of Redis is in MySQL, which may be away.
  if (error instanceof RedisUnavailable || error instanceof DatabaseUnavailable) return true;
  // Whether it is a loss that the stream or its group is gone is found out before the next read.
  return error instanceof LossNotReported || isGone(error);
}

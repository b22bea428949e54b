import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../../mysql/database.ts';
import { type RedisClient, untilReady } from '../../redis/connection.ts';
import { RedisUnavailable } from '../../redis/unavailable.ts';
import { type Backoff, backoffMs, pause } from '../../timing/backoff.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { type BatchHandler, type BatchLease, BatchLost, type Loss, type SourceState } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';
import { deliveryOf, type RawEntry } from './entries.ts';
import type { LossCheck } from './loss-check.ts';

export interface StreamLoopOptions {
  readonly reader: RedisClient;
  readonly group: ConsumerGroup;
  readonly stream: string;
  readonly losses: LossCheck;
  readonly handler: BatchHandler;
  readonly batchSize: number;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly progress: StallDetector;
  readonly logger: Logger;
  /** Entries that are not renewed for this long may be claimed by other consumers, ms. */
  readonly idleMs: number;
  readonly backoff: Backoff;
  readonly now: () => number;
  /** Aborted when no new batch is to begin. */
  readonly stopping: AbortSignal;
}

/** Entries of one batch, at most, unless fewer are wanted. */
export const MAX_BATCH = 500;

/** How long a read waits when there is nothing, ms. Stopping waits for it. */
export const BLOCK_MS = 500;

/** How long to wait for the reading connection, ms. */
const READY_MS = 500;

/** Between two trims, ms. */
const TIDY_MS = 1_000;

/** `onLoss` failed: the loss is reported again. */
class LossNotReported extends Error {
  override readonly name = 'LossNotReported';
}

/** Reads a stream as a member of a consumer group, batch after batch. */
export class StreamLoop {
  readonly #options: StreamLoopOptions;
  #mustCheck = true;
  #isWorking = false;
  #state: SourceState = { isReady: false, detail: 'the stream has not been read yet' };
  #nextClaim = Number.NEGATIVE_INFINITY;
  #nextTidying = Number.NEGATIVE_INFINITY;

  constructor(options: StreamLoopOptions) {
    this.#options = options;
    // The server may have restarted with an older copy of its data; ioredis carries on as if nothing had happened.
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

  /** Reads until `stopping`. @throws what does not pass by itself: a missing permission, a key that is not a stream */
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
        logger.warn({ err: error }, 'the stream cannot be read; retrying');
        await pause(backoffMs(failures++, backoff), stopping);
      }
    }
  }

  async #round(): Promise<void> {
    await untilReady(this.#options.reader, READY_MS);
    await this.#check();
    this.#state = { isReady: true, detail: 'reading the stream' };
    const entries = await this.#next();
    // The connection may have been lost and made again during the read.
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

  /** Entries that other consumers have left behind come first. */
  async #next(): Promise<RawEntry[]> {
    const { group, reader, losses, idleMs, batchSize, now } = this.#options;
    if (now() >= this.#nextClaim) {
      const { entries, deleted } = await group.claimIdle(idleMs, batchSize);
      losses.sawDeleted(deleted);
      if (entries.length > 0 || deleted.length > 0) return entries;
      this.#nextClaim = now() + idleMs / 4;
    }
    return group.read(reader, batchSize, BLOCK_MS);
  }

  async #deliver(entries: readonly RawEntry[]): Promise<void> {
    const { stream, losses } = this.#options;
    const ids = entries.map(([id]) => id.toString());
    losses.saw(String(ids.at(-1)));
    const deliveries = entries.map((entry) => deliveryOf(stream, entry));
    const lease = new EntryLease(ids, this.#options);
    this.#isWorking = true;
    try {
      await this.#untilDone(ids, lease, () => this.#options.handler({ deliveries, lease }));
    } finally {
      this.#isWorking = false;
      lease.end();
    }
  }

  /** Retries until the batch is acknowledged, belongs to another consumer, or is given up because the source stops. */
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
        logger.warn({ err: error, first: ids[0], delayMs }, 'a batch failed; it is delivered again');
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
  // The mark is kept in MySQL, which may be unavailable.
  if (error instanceof RedisUnavailable || error instanceof DatabaseUnavailable) return true;
  // If the stream or its group is gone, the check before the next read decides whether that is a loss.
  return error instanceof LossNotReported || isGone(error);
}

/** Keeps entries from being claimed by other consumers while they are worked on, however long that takes. */
class EntryLease implements BatchLease {
  readonly #ids: readonly string[];
  readonly #options: StreamLoopOptions;
  readonly #background: NodeJS.Timeout;
  #renewedAt: number;
  #isLost = false;

  /** @param ids of the entries */
  constructor(ids: readonly string[], options: StreamLoopOptions) {
    this.#ids = ids;
    this.#options = options;
    this.#renewedAt = options.now();
    this.#background = setInterval(() => {
      this.#claim().catch((error: unknown) =>
        options.logger.warn({ err: error }, 'stream entries could not be renewed; retrying'),
      );
    }, options.idleMs / 3);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Cheap to call often: asks Redis only now and then. @throws BatchLost, RedisUnavailable */
  async renew(): Promise<void> {
    const { now, idleMs, progress } = this.#options;
    progress.mark();
    if (this.#isLost || now() - this.#renewedAt >= idleMs / 10) await this.confirm();
  }

  /** Asks Redis whether all entries are still ours. @throws BatchLost, RedisUnavailable */
  async confirm(): Promise<void> {
    if (!this.#isLost) await this.#claim();
    if (this.#isLost) throw new BatchLost(`the batch at ${this.#ids[0]} now belongs to another consumer`);
  }

  end(): void {
    clearInterval(this.#background);
  }

  async #claim(): Promise<void> {
    const { group, now } = this.#options;
    const owned = await group.renew(this.#ids).catch((error: unknown) => {
      if (isGone(error)) return 0;
      throw error;
    });
    this.#renewedAt = now();
    if (owned < this.#ids.length) this.#isLost = true;
  }
}

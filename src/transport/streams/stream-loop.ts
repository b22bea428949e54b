import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../../mysql/database.ts';
import { type RedisClient, untilReady } from '../../redis/connection.ts';
import { RedisUnavailable } from '../../redis/unavailable.ts';
import { settledWithin } from '../../timing/deadline.ts';
import { type Backoff, backoffMs, pause } from '../../timing/loop.ts';
import type { StallDetector, WatchedCall } from '../../timing/stall-detector.ts';
import type { BatchHandler, Loss, SourceState } from '../task-source.ts';
import { type ConsumerGroup, isGone } from './consumer-group.ts';
import { deliveryOf, type RawEntry } from './entries.ts';
import { EntryLease } from './entry-lease.ts';
import type { LossCheck } from './loss-check.ts';

interface StreamLoopOptions {
  readonly reader: RedisClient;
  readonly group: ConsumerGroup;
  readonly stream: string;
  readonly losses: LossCheck;
  readonly handler: BatchHandler;
  readonly batchSize: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs: number;
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

/** Reads a stream as a member of a consumer group, batch after batch; beside a slow one, the next. */
export class StreamLoop {
  readonly #options: StreamLoopOptions;
  #mustCheck = true;
  /** It may have been given entries that it does not know of. */
  #mayHaveOwn = false;
  /** Each ends when its batch is acknowledged, belongs to another consumer, or is given up. */
  readonly #working = new Set<Promise<void>>();
  /** What a batch ended with. */
  #failure: { readonly error: unknown } | undefined;
  #state: SourceState = { isReady: false, detail: 'the stream has not been read yet' };
  #nextClaim = Number.NEGATIVE_INFINITY;
  #nextTidying = Number.NEGATIVE_INFINITY;

  constructor(options: StreamLoopOptions) {
    this.#options = options;
    // The server may have restarted with an older copy of its data; ioredis carries on as if nothing had happened.
    options.reader.on('ready', () => {
      this.#mustCheck = true;
      this.#mayHaveOwn = true;
    });
  }

  get state(): SourceState {
    return this.#state;
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
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
    await Promise.all(this.#working);
    if (this.#failure === undefined) return;
    if (!isPassing(this.#failure.error)) throw this.#failure.error;
    logger.warn({ err: this.#failure.error }, 'a slow batch was not given back; another consumer will take it over');
  }

  async #round(): Promise<void> {
    await untilReady(this.#options.reader, READY_MS);
    await this.#check();
    this.#state = { isReady: true, detail: 'reading the stream' };
    const entries = await this.#next();
    // The connection may have been lost and made again during the read.
    await this.#check();
    if (entries.length > 0) await this.#deliver(entries);
    this.#throwFailure();
    await this.#tidy();
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
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

  /** Its own entries come first, and then those that other consumers have left behind. */
  async #next(): Promise<RawEntry[]> {
    const { group, reader, losses, idleMs, batchSize, now } = this.#options;
    const own = await this.#own();
    if (own.length > 0) return own;
    if (now() >= this.#nextClaim) {
      const { entries, deleted } = await group.claimIdle(idleMs, batchSize);
      losses.sawDeleted(deleted);
      if (!(await group.mark(entries, false))) losses.sawMoved();
      if (entries.length > 0 || deleted.length > 0) return entries;
      this.#nextClaim = now() + idleMs / 4;
    }
    const entries = await group.read(reader, batchSize, BLOCK_MS);
    if (!(await group.mark(entries, true))) losses.sawMoved();
    return entries;
  }

  /**
   * What it was given over a connection that is gone, or has acknowledged to a master that was replaced before its replica knew. Nobody
   * else takes these while it is alive.
   */
  async #own(): Promise<RawEntry[]> {
    if (!this.#mayHaveOwn || this.isWorking) return [];
    const { group, reader, losses, batchSize } = this.#options;
    const entries = await group.readOwn(reader, batchSize);
    if (!(await group.mark(entries, false))) losses.sawMoved();
    this.#mayHaveOwn = entries.length > 0;
    return entries;
  }

  /** Resolves when the next batch may be read. */
  async #deliver(entries: readonly RawEntry[]): Promise<void> {
    const { batchesAtOnce, slowMs } = this.#options;
    const work = this.#work(entries)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#working.delete(work));
    this.#working.add(work);
    if (batchesAtOnce === 1) return work;
    if (await settledWithin(work, slowMs)) return;
    if (this.#working.size >= batchesAtOnce) await Promise.race(this.#working);
  }

  async #work(entries: readonly RawEntry[]): Promise<void> {
    const { stream, losses, handler, progress } = this.#options;
    const ids = entries.map(([id]) => id.toString());
    losses.saw(String(ids.at(-1)));
    const deliveries = entries.map((entry) => deliveryOf(stream, entry));
    const call = progress.begin();
    const lease = new EntryLease(ids, call, this.#options);
    try {
      await this.#untilDone(ids, lease, call, () => handler({ deliveries, lease }));
    } finally {
      call.end();
      lease.end();
    }
  }

  /** Retries until the batch is acknowledged, belongs to another consumer, or is given up because the source stops. */
  async #untilDone(
    ids: readonly string[],
    lease: EntryLease,
    call: WatchedCall,
    work: () => Promise<void>,
  ): Promise<void> {
    const { group, stopping, backoff, logger } = this.#options;
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
        call.mark();
      }
    }
  }

  async #tidy(): Promise<void> {
    const { group, losses, now } = this.#options;
    if (now() < this.#nextTidying) return;
    this.#nextTidying = now() + TIDY_MS;
    await group.trim(losses.recordedUpTo);
    this.#mustCheck = true;
  }
}

function isPassing(error: unknown): boolean {
  // The record is in MySQL, which may be unavailable.
  if (error instanceof RedisUnavailable || error instanceof DatabaseUnavailable) return true;
  // If the stream or its group is gone, the check before the next read decides whether that is a loss.
  return error instanceof LossNotReported || isGone(error);
}

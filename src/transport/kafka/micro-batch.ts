import { setImmediate as turn } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { type Batch, type BatchHandler, BatchLost } from '../task-source.ts';

export interface MicroBatcherOptions<T> {
  /** Handles the items of one batch. Every item of the batch gets the error that it throws. */
  readonly work: (items: readonly T[]) => Promise<void>;
  /** May the item join a batch of the others? Left out: always. */
  readonly fits?: (item: T, others: readonly T[]) => boolean;
  /** Left out: calls never overlap. */
  readonly beside?: BesideSlowCalls<T>;
}

/** Calls overlap only where one has become slow: the next one begins beside it. */
export interface BesideSlowCalls<T> {
  /** A call that takes longer is slow, ms. */
  readonly slowMs: number;
  /** Calls at once, at most. */
  readonly atOnce: number;
  /** The call with these items has become slow. */
  readonly onSlow: (items: readonly T[]) => void;
}

interface Entry<T> {
  readonly item: T;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Combines many small calls into few: items added in one turn of the event loop, or while a call is running, share a call.
 * So batches are small while there is little to do and grow with the load.
 */
export class MicroBatcher<T> {
  readonly #options: MicroBatcherOptions<T>;
  readonly #queue: Entry<T>[] = [];
  #calls = 0;
  /** The next call waits for one that is not slow, or not yet. */
  #isBusy = false;

  constructor(options: MicroBatcherOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the item's batch is done. @throws what `work` throws */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#queue.push({ item, done });
    this.#begin();
    return done.promise;
  }

  #begin(): void {
    const { beside } = this.#options;
    if (this.#isBusy || this.#queue.length === 0 || this.#calls >= (beside?.atOnce ?? 1)) return;
    this.#isBusy = true;
    this.#calls++;
    void this.#call();
  }

  async #call(): Promise<void> {
    await turn();
    const batch = this.#take();
    const items = batch.map(({ item }) => item);
    const slowness = this.#watch(items);
    try {
      await this.#options.work(items);
      for (const { done } of batch) done.resolve();
    } catch (error) {
      for (const { done } of batch) done.reject(error);
    }
    clearTimeout(slowness.timer);
    this.#calls--;
    if (!slowness.isSlow) this.#isBusy = false;
    this.#begin();
  }

  #watch(items: readonly T[]): { isSlow: boolean; timer?: NodeJS.Timeout } {
    const { beside } = this.#options;
    if (beside === undefined) return { isSlow: false };
    const slowness = {
      isSlow: false,
      timer: setTimeout(() => {
        slowness.isSlow = true;
        this.#isBusy = false;
        beside.onSlow(items);
        this.#begin();
      }, beside.slowMs),
    };
    return slowness;
  }

  /** The first item, and those behind it up to one that does not fit. */
  #take(): Entry<T>[] {
    const { fits = () => true } = this.#options;
    const taken: T[] = [];
    for (const { item } of this.#queue) {
      if (taken.length > 0 && !fits(item, taken)) break;
      taken.push(item);
    }
    return this.#queue.splice(0, taken.length);
  }
}

/** Deliveries of one partition. */
export interface PartitionBatch extends Batch {
  /** The partition's last batch was given back, or was slow: handled alone, so that no other partition suffers again. */
  readonly isSuspect: boolean;
  /** Called when the call that handles the batch has become slow. */
  readonly onSlow: () => void;
}

export interface BatchAcrossPartitionsOptions {
  readonly handler: BatchHandler;
  readonly progress: Pick<StallDetector, 'begin'>;
  /** May a new batch begin? If not, batches that wait are given back. */
  readonly mayBegin: () => boolean;
  /** Deliveries of one batch, at most: kafkajs may fetch thousands, and each batch has its own heartbeats and commit. */
  readonly batchSize: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs: number;
}

/**
 * Hands the batches of several partitions to the handler as one. Otherwise a dozen partitions with a task or two each would
 * cost a dozen statements and scripts, one after the other.
 */
export function batchAcrossPartitions(options: BatchAcrossPartitionsOptions): MicroBatcher<PartitionBatch> {
  const { handler, progress, mayBegin, batchSize, batchesAtOnce, slowMs } = options;
  const onSlow = (batches: readonly PartitionBatch[]) => {
    for (const batch of batches) batch.onSlow();
  };
  return new MicroBatcher({
    ...(batchesAtOnce > 1 ? { beside: { slowMs, atOnce: batchesAtOnce, onSlow } } : {}),
    fits: (batch, others) => {
      const all = [batch, ...others];
      const size = all.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      return size <= batchSize && !all.some(({ isSuspect }) => isSuspect);
    },
    work: async (batches) => {
      if (!mayBegin()) throw new BatchLost('the source is stopping, or the group is rebalancing');
      const call = progress.begin();
      const renew = async () => {
        for (const { lease } of batches) await lease.renew();
        call.mark();
      };
      try {
        await handler({ deliveries: batches.flatMap(({ deliveries }) => deliveries), lease: { renew } });
      } finally {
        call.end();
      }
    },
  });
}

export interface OffsetCommit {
  readonly partition: number;
  /** The next offset to deliver. */
  readonly offset: string;
  readonly payload: Pick<EachBatchPayload, 'commitOffsetsIfNecessary'>;
  /** Aborted when the partition is no longer ours. */
  readonly signal: AbortSignal;
}

/** Commits the offsets of partitions that were handled together with one request. */
export function commitAcrossPartitions(topic: string): MicroBatcher<OffsetCommit> {
  return new MicroBatcher({
    work: async (commits) => {
      const owned = commits.filter(({ signal }) => !signal.aborted);
      const partitions = owned.map(({ partition, offset }) => ({ partition, offset }));
      await owned[0]?.payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
    },
  });
}

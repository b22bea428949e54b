import { setImmediate as turn } from 'node:timers/promises';
import type { EachBatchPayload } from 'kafkajs';
import { type Batch, type BatchHandler, BatchLost } from '../task-source.ts';

export interface MicroBatcherOptions<T> {
  /** Handles the items of one batch; calls never overlap. Every item of the batch gets the error that it throws. */
  readonly work: (items: readonly T[]) => Promise<void>;
  /** May the item join a batch of the others? Left out: always. */
  readonly fits?: (item: T, others: readonly T[]) => boolean;
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
  #isWorking = false;

  constructor(options: MicroBatcherOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the item's batch is done. @throws what `work` throws */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#queue.push({ item, done });
    if (!this.#isWorking) void this.#work();
    return done.promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#queue.length > 0) {
      await turn();
      const batch = this.#take();
      try {
        await this.#options.work(batch.map(({ item }) => item));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#isWorking = false;
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
  /** The partition's last batch was given back: handled alone, so that it cannot make the others fail again. */
  readonly isSuspect: boolean;
}

/** Deliveries of one batch, at most, unless fewer are wanted: kafkajs may fetch thousands, and each batch has its own heartbeats and commit. */
export const MAX_BATCH = 500;

export interface BatchAcrossPartitionsOptions {
  readonly handler: BatchHandler;
  /** May a new batch begin? If not, batches that wait are given back. */
  readonly mayBegin: () => boolean;
  /** Deliveries of one batch, at most. */
  readonly batchSize: number;
}

/**
 * Hands the batches of several partitions to the handler as one. Otherwise a dozen partitions with a task or two each would
 * cost a dozen statements and scripts, one after the other.
 */
export function batchAcrossPartitions(options: BatchAcrossPartitionsOptions): MicroBatcher<PartitionBatch> {
  const { handler, mayBegin, batchSize } = options;
  return new MicroBatcher({
    fits: (batch, others) => {
      const all = [batch, ...others];
      const size = all.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
      return size <= batchSize && !all.some(({ isSuspect }) => isSuspect);
    },
    work: async (batches) => {
      if (!mayBegin()) throw new BatchLost('the source is stopping, or the group is rebalancing');
      const renew = async () => {
        for (const { lease } of batches) await lease.renew();
      };
      await handler({ deliveries: batches.flatMap(({ deliveries }) => deliveries), lease: { renew } });
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

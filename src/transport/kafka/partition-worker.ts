import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import type { Batches } from '../../timing/batches.ts';
import { type Backoff, backoffMs } from '../../timing/loop.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import type { BatchHandler, Loss } from '../task-source.ts';
import type { Assignment, OwnedPartition } from './assignment.ts';
import { KafkaPermissionMissing } from './errors.ts';
import { deliveredIn, deliveryOf, type FetchedMessage, fetchedIn } from './fetched-message.ts';
import type { LogEndCheck } from './log-end-check.ts';
import { gapsIn, lossOfGaps, lossOfReturn } from './losses.ts';
import {
  batchAcrossPartitions,
  commitAcrossPartitions,
  type OffsetCommit,
  type PartitionBatch,
} from './micro-batch.ts';
import type { TopicAdmin } from './topic-admin.ts';

interface PartitionWorkerOptions {
  readonly topic: string;
  readonly group: string;
  readonly handler: BatchHandler;
  /** Deliveries of one batch, at most. */
  readonly batchSize: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs: number;
  readonly onLoss: (loss: Loss) => Promise<void>;
  /** Called with the permission that keeps a batch from being done, each time; with undefined when one is done that was not before. */
  readonly onFault: (fault: KafkaPermissionMissing | undefined) => Promise<void>;
  readonly admin: TopicAdmin;
  readonly logEnds: LogEndCheck | undefined;
  readonly progress: StallDetector;
  readonly backoff: Backoff;
  /** Between two heartbeats while a handler works, ms. */
  readonly heartbeatMs: number;
  readonly logger: Logger;
  /** May a new batch begin? Not while the source stops or the group rebalances. */
  readonly mayBegin: () => boolean;
}

/** What kafkajs has fetched of one partition. */
interface PartitionFetch {
  readonly payload: EachBatchPayload;
  readonly assignment: Assignment;
  readonly owned: OwnedPartition;
}

/** `paused`: what is left is delivered again, by the caller that returned it. */
type End = 'done' | 'paused';

/**
 * Hands what was fetched to the handler, together with what was fetched of other partitions, and commits what it has done.
 * kafkajs fetches nothing more before everything that it has fetched is done. So a partition whose batch is slow is paused,
 * and its work goes on while kafkajs fetches the others.
 */
export class PartitionWorker {
  readonly #options: PartitionWorkerOptions;
  readonly #batches: Batches<PartitionBatch, void>;
  readonly #commits: Batches<OffsetCommit, void>;
  readonly #working = new Set<Promise<unknown>>();

  constructor(options: PartitionWorkerOptions) {
    this.#options = options;
    this.#batches = batchAcrossPartitions(options);
    this.#commits = commitAcrossPartitions(options.topic);
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  /** Resolves when the fetches in work, slow ones too, have been worked through or given back. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#working);
  }

  /**
   * Works through one fetch, batch by batch; a batch is committed when its handler has resolved. When the handler rejects, the
   * partition is paused and what is left of the fetch is delivered again. So is what is left when the partition is lost.
   * Resolves early when a batch is slow: the partition is paused, and resumes when the fetch is done.
   * @throws what kafkajs throws for a commit
   */
  async workThrough(fetch: PartitionFetch): Promise<void> {
    const slow = Promise.withResolvers<'slow'>();
    const work = this.#work(fetch, () => slow.resolve('slow'));
    this.#working.add(work);
    const forget = () => this.#working.delete(work);
    work.then(forget, forget);
    if ((await Promise.race([work, slow.promise])) === 'slow') void this.#goOnBeside(fetch, work);
  }

  /** Never rejects. */
  async #goOnBeside(fetch: PartitionFetch, work: Promise<End>): Promise<void> {
    const { payload, assignment } = fetch;
    const resume = payload.pause();
    try {
      if ((await work) === 'done' && !assignment.signal.aborted) resume();
    } catch (error) {
      // A commit failed. What kafkajs has to do about it, it finds out by itself: it goes on fetching and sending heartbeats.
      assignment.membership.note(error);
      this.#giveBack(fetch, error);
    }
  }

  async #work(fetch: PartitionFetch, onSlow: () => void): Promise<End> {
    const { payload, assignment } = fetch;
    const messages = deliveredIn(payload.batch);
    const { batchSize } = this.#options;
    for (let from = 0; from < messages.length; from += batchSize) {
      if (!this.#mayGoOn(fetch) || !payload.isRunning() || payload.isStale()) return 'done';
      const some = messages.slice(from, from + batchSize);
      try {
        if (from === 0) await this.#requireContinuity(fetch);
        await this.#handle(some, fetch, onSlow);
      } catch (error) {
        this.#giveBack(fetch, error);
        return 'paused';
      }
      if (assignment.signal.aborted) return 'done';
      await this.#commit(some, fetch);
    }
    return 'done';
  }

  #mayGoOn({ assignment }: PartitionFetch): boolean {
    return this.#options.mayBegin() && assignment.membership.isOpen;
  }

  /** Reports a loss before anything behind it is delivered. */
  async #requireContinuity({ payload, assignment, owned }: PartitionFetch): Promise<void> {
    await owned.looking;
    const { logEnds, onLoss, progress } = this.#options;
    const { partition } = owned;
    const first = BigInt(String(payload.batch.messages[0]?.offset));
    const next = owned.next ?? first;
    const gaps = gapsIn(next, fetchedIn(payload.batch));
    const unreported = gaps.filter((gap) => !owned.gaps.has(gap));
    const loss = lossOfReturn(partition, next, first) ?? lossOfGaps(partition, unreported);
    if (loss !== undefined) await onLoss(loss);
    await logEnds?.ofFetch(assignment, partition, BigInt(payload.batch.highWatermark));
    owned.next = first;
    owned.gaps = new Set(gaps);
    progress.mark();
  }

  async #handle(messages: readonly FetchedMessage[], fetch: PartitionFetch, whenSlow: () => void): Promise<void> {
    const { payload, assignment, owned } = fetch;
    const { progress, heartbeatMs } = this.#options;
    const { topic, partition } = payload.batch;
    const deliveries = messages
      .filter(({ isPlaceholder }) => !isPlaceholder)
      .map((message) => deliveryOf(message, topic, partition));
    if (deliveries.length === 0) return;
    const renew = async () => {
      await assignment.membership.beat(payload.heartbeat);
      progress.mark();
      assignment.membership.requireHeld(String(deliveries[0]?.position));
    };
    // One step of a fan-out may take longer than a session. A handler that hangs in a source that has ended keeps nothing.
    const background = setInterval(() => {
      if (!assignment.signal.aborted) void assignment.membership.beat(payload.heartbeat);
    }, heartbeatMs / 3);
    const isSuspect = owned.failures > 0 || owned.isSlow;
    owned.isSlow = false;
    const onSlow = () => {
      owned.isSlow = true;
      whenSlow();
    };
    try {
      await this.#batches.run({ deliveries, lease: { renew }, isSuspect, onSlow });
    } finally {
      clearInterval(background);
      progress.mark();
    }
  }

  /** Pauses the partition for a while; the others go on. */
  #giveBack(fetch: PartitionFetch, error: unknown): void {
    if (!this.#mayGoOn(fetch)) return;
    const { payload, assignment, owned } = fetch;
    const { backoff, logger, onFault } = this.#options;
    const delayMs = backoffMs(owned.failures++, backoff);
    if (error instanceof KafkaPermissionMissing) void onFault(error);
    logger.warn({ err: error, partition: owned.partition, delayMs }, 'a batch failed; it is delivered again');
    assignment.later(delayMs, payload.pause());
  }

  async #commit(messages: readonly FetchedMessage[], fetch: PartitionFetch): Promise<void> {
    const { payload, assignment, owned } = fetch;
    const { signal, membership } = assignment;
    const lastOffset = String(messages.at(-1)?.offset);
    const next = BigInt(lastOffset) + 1n;
    await this.#commits.run({ partition: owned.partition, offset: next.toString(), payload, signal });
    // The commit of a slow batch may outlast the assignment: kafkajs then fetches from what the group has.
    if (signal.aborted) return;
    payload.resolveOffset(lastOffset);
    owned.next = next;
    if (owned.failures > 0) void this.#options.onFault(undefined);
    owned.failures = 0;
    this.#options.progress.mark();
    await membership.beat(payload.heartbeat);
  }
}

import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { settledWithin } from '../../timing/deadline.ts';
import { type Backoff, backoffMs, DEFAULT_BACKOFF, pause } from '../../timing/loop.ts';
import { DEFAULT_STALL_MS, StallDetector } from '../../timing/stall-detector.ts';
import {
  BATCHES_AT_ONCE,
  type BatchHandler,
  type GroupHistory,
  type Loss,
  MAX_BATCH,
  SLOW_BATCH_MS,
  type SourceState,
  type TaskSource,
} from '../task-source.ts';
import { createKafka, type KafkaSettings } from './client.ts';
import { isPassing, KafkaPermissionMissing, missingPermission } from './errors.ts';
import { LogEndCheck } from './log-end-check.ts';
import { KafkaSession } from './session.ts';
import { DEFAULT_PARTITIONS, TopicAdmin } from './topic-admin.ts';
import { explainedFault } from './topic-reader.ts';

export interface KafkaTaskSourceOptions {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly group: string;
  readonly history: GroupHistory;
  /** Must this group have consumed before, because indexes exist? Asked if it has no positions. */
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  /** The ends that publishers have recorded; without it, a log that loses its end goes unnoticed. */
  readonly ends?: KafkaEnds;
  /** Number of partitions, if the topic has to be created. */
  readonly partitions?: number;
  /** The brokers give a consumer's partitions to others after this long without a heartbeat, ms. */
  readonly sessionTimeoutMs?: number;
  /** Between two heartbeats, ms. */
  readonly heartbeatMs?: number;
  /** The brokers wait this long for all members of a group to join again, ms. */
  readonly rebalanceTimeoutMs?: number;
  /** A batch may go on for this long after a rebalance has begun, ms. */
  readonly rebalanceGraceMs?: number;
  /** Deliveries of one batch, at most. */
  readonly batchSize?: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce?: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs?: number;
  /** Does the topic have one of its own for dead letters? Left out: yes. */
  readonly hasDeadLetters?: boolean;
  /** `run` rejects after this long without progress, ms. */
  readonly stallMs?: number;
  /** Between attempts to handle a batch, and to connect. */
  readonly backoff?: Backoff;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

const DEFAULTS = {
  partitions: DEFAULT_PARTITIONS,
  sessionTimeoutMs: 20_000,
  heartbeatMs: 3_000,
  rebalanceTimeoutMs: 60_000,
  rebalanceGraceMs: 5_000,
  batchSize: MAX_BATCH,
  batchesAtOnce: BATCHES_AT_ONCE,
  slowMs: SLOW_BATCH_MS,
  stallMs: DEFAULT_STALL_MS,
  backoff: DEFAULT_BACKOFF,
  now: () => performance.now(),
};

/** Closing the connection must not delay the end for longer than this when the brokers are unavailable, ms. */
const CLOSE_MS = 1_000;

/** Time between two log lines about the same missing permission, ms. */
const FAULT_LOG_INTERVAL_MS = 60_000;

type Options = KafkaTaskSourceOptions & typeof DEFAULTS;

/**
 * Consumes tasks from a Kafka topic as a member of a consumer group. kafkajs is no longer maintained, so nothing outside this
 * folder depends on it, and its traps are avoided here (each is named where it occurs).
 *
 * While the brokers are unavailable or a permission is missing, it retries, and its state says why. `run` rejects for what
 * does not pass by itself: a wrong password, a stalled consumer.
 */
export class KafkaTaskSource implements TaskSource {
  readonly #options: Options;
  readonly #admin: TopicAdmin;
  readonly #stopping = new AbortController();
  #session: KafkaSession | undefined;
  #running: Promise<void> | undefined;
  #fault: Error | undefined;
  #faultLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KafkaTaskSourceOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#admin = new TopicAdmin(createKafka(options.kafka), options.topic, options.hasDeadLetters);
  }

  /** @throws SourceStalled; what kafkajs throws */
  run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    this.#running = this.#run(handler, onLoss);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const running = this.#running;
    // Over by itself: after a stall, the session has a handler that hangs and is not waited for.
    if (running === undefined) return;
    void this.#session?.stop();
    await running.catch(() => undefined);
  }

  async lag(): Promise<number | undefined> {
    const { group, kafka } = this.#options;
    const counted = this.#admin.lag(group);
    const isTold = await settledWithin(counted, kafka.requestTimeoutMs);
    if (this.#running === undefined) await this.#admin.close();
    return isTold ? counted.catch(() => undefined) : undefined;
  }

  state(): SourceState {
    if (this.#fault !== undefined) return { isReady: false, detail: describe(this.#fault) };
    return this.#session?.state ?? { isReady: false, detail: 'not started' };
  }

  async #run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    const progress = new StallDetector({ limitMs: this.#options.stallMs, now: this.#options.now });
    const ended = new AbortController();
    const stalled = progress.watch(async () => (await this.#session?.isWaiting()) ?? false, ended.signal);
    try {
      await Promise.race([stalled, this.#sessions(handler, onLoss, progress)]);
    } finally {
      ended.abort();
      // After a stall there is a handler that hangs. If it ever returns, the session ends.
      this.#stopping.abort();
      this.#session?.abandon();
      void this.#session?.stop();
      await settledWithin(this.#admin.close(), CLOSE_MS);
      this.#running = undefined;
    }
  }

  async #sessions(
    handler: BatchHandler,
    onLoss: (loss: Loss) => Promise<void>,
    progress: StallDetector,
  ): Promise<void> {
    const { backoff } = this.#options;
    const logEnds = this.#logEnds(onLoss);
    for (let failures = 0; !this.#stopping.signal.aborted; failures++) {
      const session = new KafkaSession({
        ...this.#options,
        admin: this.#admin,
        progress,
        logEnds,
        handler,
        onLoss,
        onFault: async (fault) => this.#note(await explainedFault(fault, this.#options)),
      });
      this.#session = session;
      try {
        await session.run();
      } catch (error) {
        const fault = await explainedFault(missingPermission(error, 'READ', this.#options) ?? error, this.#options);
        if (!isPassing(fault) && !(fault instanceof KafkaPermissionMissing)) throw error;
        if (session.hasWorked) failures = 0;
        this.#note(fault);
        progress.mark();
        await pause(backoffMs(failures, backoff), this.#stopping.signal);
      }
    }
  }

  /** Logs a missing permission as an error, when it is new and then once a minute; what passes by itself as a warning. */
  #note(fault: unknown): void {
    const { kafka, topic, group, now } = this.#options;
    const before = this.#fault?.message;
    this.#fault = fault === undefined || fault instanceof Error ? fault : new Error(String(fault));
    if (this.#fault instanceof KafkaPermissionMissing) {
      if (this.#fault.message === before && now() - this.#faultLoggedAt < FAULT_LOG_INTERVAL_MS) return;
      this.#faultLoggedAt = now();
      kafka.logger.error({ err: this.#fault, topic, group }, `no tasks are consumed: ${this.#fault.message}`);
    } else if (this.#fault !== undefined) {
      kafka.logger.warn({ err: this.#fault, topic, brokers: kafka.brokers }, 'no tasks can be consumed; retrying');
    }
  }

  #logEnds(onLoss: (loss: Loss) => Promise<void>): LogEndCheck | undefined {
    const { ends, kafka, now } = this.#options;
    if (ends === undefined) return undefined;
    return new LogEndCheck({ ends, admin: this.#admin, onLoss, logger: kafka.logger, now });
  }
}

/** Errors other than missing permissions by name only: their messages may contain addresses. */
function describe(fault: Error): string {
  return fault instanceof KafkaPermissionMissing ? fault.message : `Kafka is unavailable or refuses: ${fault.name}`;
}

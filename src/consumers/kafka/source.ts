import type { KafkaEnds } from '../../mysql/kafka-ends.ts';
import { DEFAULT_PAUSES, type Pauses, pause, pauseAfter } from '../pauses.ts';
import { DEFAULT_STALL_MS, ProgressWatch } from '../progress-watch.ts';
import { settledWithin } from '../settled-within.ts';
import type { BatchHandler, Loss, TaskSource } from '../task-source.ts';
import { type KafkaSettings, openKafka } from './client.ts';
import { isPassing } from './errors.ts';
import { LogEndCheck } from './log-end-check.ts';
import { startOf } from './losses.ts';
import { KafkaSession } from './session.ts';
import { TopicAdmin } from './topic-admin.ts';
import { DEFAULT_PARTITIONS } from './topics.ts';

export interface KafkaTaskSourceOptions {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly group: string;
  /** Do indexes exist, so that this group must have consumed before? */
  readonly expectsOffsets: () => Promise<boolean>;
  /** What publishers have recorded; without it, a log that loses its end goes unnoticed. */
  readonly ends?: KafkaEnds;
  /** Of the topic, when it has to be created. */
  readonly partitions?: number;
  /** ms after which the brokers give a silent consumer's partitions to others. */
  readonly sessionTimeoutMs?: number;
  /** Between two heartbeats, ms. */
  readonly heartbeatMs?: number;
  /** ms that the brokers wait for all members of a group to join again. */
  readonly rebalanceTimeoutMs?: number;
  /** ms that a batch in work may go on once a rebalance has begun. */
  readonly rebalanceGraceMs?: number;
  /** ms without progress after which `run` rejects. */
  readonly stallMs?: number;
  /** Between attempts: of a batch that was given back, and of a connection. */
  readonly pauses?: Pauses;
  /** ms that never go back. */
  readonly now?: () => number;
}

const DEFAULTS = {
  partitions: DEFAULT_PARTITIONS,
  sessionTimeoutMs: 20_000,
  heartbeatMs: 3_000,
  rebalanceTimeoutMs: 60_000,
  rebalanceGraceMs: 5_000,
  stallMs: DEFAULT_STALL_MS,
  pauses: DEFAULT_PAUSES,
  now: () => performance.now(),
};

/** Hanging up may not hold up the end when the brokers are away. */
const CLOSE_MS = 1_000;

type Options = KafkaTaskSourceOptions & typeof DEFAULTS;

/**
 * Tasks from a Kafka topic, by a consumer group. kafkajs is not maintained any more, so nothing of it is seen outside
 * of this folder, and its traps are stepped around here (each is named where it is).
 *
 * While the brokers are away it goes on trying. `run` rejects for what does not pass by itself: no permission, a wrong
 * password, a stalled consumer.
 */
export class KafkaTaskSource implements TaskSource {
  readonly #options: Options;
  readonly #admin: TopicAdmin;
  readonly #stopping = new AbortController();
  #session: KafkaSession | undefined;
  #running: Promise<void> | undefined;

  constructor(options: KafkaTaskSourceOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#admin = new TopicAdmin(openKafka(options.kafka), options.topic);
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
    const counted = this.#admin
      .offsets(group)
      .then((all) => all.reduce((sum, offsets) => sum + Number(offsets.high - startOf(offsets)), 0));
    const isTold = await settledWithin(counted, kafka.requestTimeoutMs);
    if (this.#running === undefined) await this.#admin.close();
    return isTold ? counted.catch(() => undefined) : undefined;
  }

  async #run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    const progress = new ProgressWatch({ limitMs: this.#options.stallMs, now: this.#options.now });
    const ended = new AbortController();
    const stalled = progress.watch(async () => (await this.#session?.isWaiting()) ?? false, ended.signal);
    try {
      await Promise.race([stalled, this.#sessions(handler, onLoss, progress)]);
    } finally {
      ended.abort();
      // After a stall there is a handler that hangs. Should it ever come back, the session ends.
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
    progress: ProgressWatch,
  ): Promise<void> {
    const { kafka, pauses } = this.#options;
    const logEnds = this.#logEnds(onLoss);
    for (let failures = 0; !this.#stopping.signal.aborted; failures++) {
      const session = new KafkaSession({ ...this.#options, admin: this.#admin, progress, logEnds, handler, onLoss });
      this.#session = session;
      try {
        await session.run();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (session.hasWorked) failures = 0;
        kafka.logger.warn({ err: error, brokers: kafka.brokers }, 'Kafka is away; trying on');
        progress.mark();
        await pause(pauseAfter(failures, pauses), this.#stopping.signal);
      }
    }
  }

  #logEnds(onLoss: (loss: Loss) => Promise<void>): LogEndCheck | undefined {
    const { ends, group, kafka, now } = this.#options;
    if (ends === undefined) return undefined;
    return new LogEndCheck({ ends, group, admin: this.#admin, onLoss, logger: kafka.logger, now });
  }
}

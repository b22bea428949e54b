import type { Logger } from 'pino';
import type { StreamRecord } from '../../mysql/stream-record.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { type Backoff, DEFAULT_BACKOFF } from '../../timing/loop.ts';
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
import { ConsumerGroup, MARKING } from './consumer-group.ts';
import { LossCheck } from './loss-check.ts';
import { RecordedStream } from './recorded-stream.ts';
import { BLOCK_MS, StreamLoop } from './stream-loop.ts';

export interface StreamsTaskSourceOptions {
  /** For commands that do not block. */
  readonly client: RedisClient;
  /** Opens a connection for blocking reads, whose commands may take `commandTimeoutMs`. The source closes it. */
  readonly openReader: (commandTimeoutMs: number) => RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly group: string;
  /** This process's name in the group; unique. */
  readonly consumer: string;
  readonly history: GroupHistory;
  /** Must this group have consumed before, because indexes exist? Asked if it has no positions. */
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  readonly logger: Logger;
  readonly record: StreamRecord;
  /** Other consumers may take over entries that are not renewed for this long, ms. */
  readonly idleMs?: number;
  /** Entries of one batch, at most. */
  readonly batchSize?: number;
  /** Batches at once, at most: a further one only beside slow ones. */
  readonly batchesAtOnce?: number;
  /** A batch that takes longer is slow, ms. */
  readonly slowMs?: number;
  /** `run` rejects after this long without progress, ms. */
  readonly stallMs?: number;
  /** Between attempts to handle a batch, and to reach Redis. */
  readonly backoff?: Backoff;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

/** A read may take this much longer than it blocks, ms. */
const READ_TIMEOUT_MS = 2_000;

const DEFAULTS = {
  idleMs: 30_000,
  batchSize: MAX_BATCH,
  batchesAtOnce: BATCHES_AT_ONCE,
  slowMs: SLOW_BATCH_MS,
  stallMs: DEFAULT_STALL_MS,
  backoff: DEFAULT_BACKOFF,
  now: () => performance.now(),
};

/**
 * Consumes tasks from a Redis stream as a member of a consumer group. Entries stay in the stream until every group has
 * acknowledged them. It retries while Redis is unavailable; `run` rejects for what does not pass by itself.
 */
export class StreamsTaskSource implements TaskSource {
  readonly #options: StreamsTaskSourceOptions & typeof DEFAULTS;
  readonly #group: ConsumerGroup;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #loop: StreamLoop | undefined;

  constructor(options: StreamsTaskSourceOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#group = new ConsumerGroup({ ...options, consumer: `${options.consumer}${MARKING}` });
  }

  /** @throws SourceStalled; an error of Redis that does not pass by itself */
  run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    this.#running = this.#run(handler, onLoss);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.catch(() => undefined);
  }

  async lag(): Promise<number | undefined> {
    const backlog = await this.#group.backlog().catch(() => undefined);
    return backlog && backlog.delivered + backlog.undelivered;
  }

  state(): SourceState {
    return this.#loop?.state ?? { isReady: false, detail: 'not started' };
  }

  async #run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    const { openReader, stallMs, now } = this.#options;
    const progress = new StallDetector({ limitMs: stallMs, now });
    const reader = openReader(BLOCK_MS + READ_TIMEOUT_MS);
    const recorded = new RecordedStream(this.#options);
    const losses = new LossCheck({ ...this.#options, group: this.#group, recorded });
    const stopping = this.#stopping.signal;
    const loop = new StreamLoop({
      ...this.#options,
      reader,
      group: this.#group,
      losses,
      handler,
      onLoss,
      progress,
      stopping,
    });
    this.#loop = loop;
    const ended = new AbortController();
    // Entries delivered to other consumers are not ours to work on.
    const isWaiting = async () => loop.isWorking || ((await this.#undelivered()) ?? 0) > 0;
    const stalled = progress.watch(isWaiting, ended.signal);
    try {
      await Promise.race([stalled, loop.run()]);
      await this.#retire(losses);
    } catch (error) {
      throw explained(error, this.#options.stream);
    } finally {
      ended.abort();
      this.#stopping.abort();
      reader.disconnect();
    }
  }

  async #undelivered(): Promise<number | undefined> {
    return (await this.#group.backlog().catch(() => undefined))?.undelivered;
  }

  async #retire({ recordedUpTo }: LossCheck): Promise<void> {
    try {
      await this.#group.trim(recordedUpTo);
      await this.#group.retire();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'the stream was not tidied on shutdown; another consumer will do it');
    }
  }
}

function explained(error: unknown, stream: string): unknown {
  if (!(error instanceof Error && error.message.startsWith('WRONGTYPE'))) return error;
  const message = `the key ${stream} in Redis is not a stream; remove it or set another key prefix`;
  return new Error(message, { cause: error });
}

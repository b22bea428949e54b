import type { Logger } from 'pino';
import type { RedisClient } from '../../redis/connection.ts';
import { type Backoff, DEFAULT_BACKOFF } from '../../timing/backoff.ts';
import { DEFAULT_STALL_MS, StallDetector } from '../../timing/stall-detector.ts';
import type { BatchHandler, Loss, SourceState, TaskSource } from '../task-source.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { LossCheck, type StreamMark } from './loss-check.ts';
import { BLOCK_MS, StreamLoop } from './stream-loop.ts';

export interface StreamsTaskSourceOptions {
  /** For commands that answer at once. */
  readonly client: RedisClient;
  /** Opens a connection for reading, which blocks; its commands may take `commandTimeoutMs`. The source closes it. */
  readonly openReader: (commandTimeoutMs: number) => RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly group: string;
  /** This process's name in the group; no two may have the same. */
  readonly consumer: string;
  /** Do indexes exist, so that this group must have consumed before? */
  readonly expectsOffsets: () => Promise<boolean>;
  readonly logger: Logger;
  /** Where to note how far the group has come, outside of this Redis. */
  readonly mark?: StreamMark;
  /** ms after which others may take over what a silent consumer holds. */
  readonly idleMs?: number;
  /** ms without progress after which `run` rejects. */
  readonly stallMs?: number;
  /** Between attempts: of a batch that was given back, and while Redis is away. */
  readonly backoff?: Backoff;
  /** ms that never go back. */
  readonly now?: () => number;
}

/** ms more than it blocks that a read may take. */
const READ_TIMEOUT_MS = 2_000;

const DEFAULTS = {
  idleMs: 30_000,
  stallMs: DEFAULT_STALL_MS,
  backoff: DEFAULT_BACKOFF,
  now: () => performance.now(),
};

/**
 * Tasks from a Redis stream, by a consumer group. Entries stay in the stream until every group has acknowledged them.
 * While Redis is away it goes on trying; `run` rejects for what does not pass by itself.
 */
export class StreamsTaskSource implements TaskSource {
  readonly #options: StreamsTaskSourceOptions & typeof DEFAULTS;
  readonly #group: ConsumerGroup;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #loop: StreamLoop | undefined;

  constructor(options: StreamsTaskSourceOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#group = new ConsumerGroup(options);
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
    return this.#loop?.state ?? { isReady: false, detail: 'not begun' };
  }

  async #run(handler: BatchHandler, onLoss: (loss: Loss) => Promise<void>): Promise<void> {
    const { openReader, stallMs, now } = this.#options;
    const progress = new StallDetector({ limitMs: stallMs, now });
    const reader = openReader(BLOCK_MS + READ_TIMEOUT_MS);
    const losses = new LossCheck({ ...this.#options, group: this.#group });
    const stopping = this.#stopping.signal;
    const loop = new StreamLoop({
      ...{ ...this.#options, reader, group: this.#group, losses, handler, onLoss, progress, stopping },
    });
    this.#loop = loop;
    const ended = new AbortController();
    // What was delivered to others is theirs to get on with.
    const isWaiting = async () => loop.isWorking || ((await this.#undelivered()) ?? 0) > 0;
    const stalled = progress.watch(isWaiting, ended.signal);
    try {
      await Promise.race([stalled, loop.run()]);
      await this.#retire();
    } catch (error) {
      throw named(error, this.#options.stream);
    } finally {
      ended.abort();
      this.#stopping.abort();
      reader.disconnect();
    }
  }

  async #undelivered(): Promise<number | undefined> {
    return (await this.#group.backlog().catch(() => undefined))?.undelivered;
  }

  async #retire(): Promise<void> {
    try {
      await this.#group.trim();
      await this.#group.retire();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'the stream was left untidy; another consumer sees to it');
    }
  }
}

function named(error: unknown, stream: string): unknown {
  if (!(error instanceof Error && error.message.startsWith('WRONGTYPE'))) return error;
  const message = `the key ${stream} in Redis holds something else than a stream; remove it or set another key prefix`;
  return new Error(message, { cause: error });
}

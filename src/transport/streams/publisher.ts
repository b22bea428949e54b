import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { encodeTask } from '../cloud-events.ts';
import { type TaskPublisher, TransportFull } from '../task-publisher.ts';
import { entryFields } from './entries.ts';
import type { RecordedStream } from './recorded-stream.ts';

interface StreamRoomOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  /** Maximum number of entries in the stream. */
  readonly max: number;
}

/** How full a stream is, in entries. */
export interface StreamFill {
  readonly entries: number;
  readonly max: number;
}

/**
 * Keeps a stream from growing until it takes all of Redis's memory while nobody consumes it. Tasks that find no room wait
 * where they came from; a stream is never trimmed by length, which would lose tasks. Batches are added whole, and several
 * publishers may check at once, so the stream may exceed `max` by one batch per publisher.
 */
export class StreamRoom {
  readonly #options: StreamRoomOptions;

  constructor(options: StreamRoomOptions) {
    this.#options = options;
  }

  /** @throws RedisUnavailable */
  async fill(): Promise<StreamFill> {
    const { client, stream, max } = this.#options;
    return { entries: await reply(client.xlen(stream)), max };
  }

  /** Resolves if there is room for a batch. @throws TransportFull, RedisUnavailable */
  async check(): Promise<void> {
    const { entries, max } = await this.fill();
    if (entries >= max) throw new TransportFull(`the stream is full: it has ${entries} entries of at most ${max}`);
  }
}

interface StreamsTaskPublisherOptions {
  readonly recorded: Pick<RecordedStream, 'add'>;
  /** Without it the stream is unbounded. */
  readonly room?: Pick<StreamRoom, 'check'>;
}

/** Puts tasks on a Redis stream. They are as durable as that Redis: see its `appendonly` setting. */
export class StreamsTaskPublisher implements TaskPublisher {
  readonly #room: Pick<StreamRoom, 'check'> | undefined;
  readonly #recorded: Pick<RecordedStream, 'add'>;

  constructor({ recorded, room }: StreamsTaskPublisherOptions) {
    this.#room = room;
    this.#recorded = recorded;
  }

  async checkRoom(): Promise<void> {
    await this.#room?.check();
  }

  /** @throws TransportFull before any task is added, StreamNotOnRecord, RedisUnavailable, DatabaseUnavailable */
  async publish(...[tasks, onTaken]: Parameters<TaskPublisher['publish']>): Promise<void> {
    await this.#room?.check();
    const entries = tasks.map((task) => {
      const { body, headers } = encodeTask(task);
      return entryFields(body, headers);
    });
    const places = await this.#recorded.add(entries);
    onTaken?.(places);
  }

  async close(): Promise<void> {}
}

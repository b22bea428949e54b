import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { encodeTask } from '../cloud-events.ts';
import { type OutgoingTask, type TaskPublisher, TransportFull } from '../task-publisher.ts';
import { addEntries } from './add-entries.ts';
import { entryFields } from './entries.ts';

export interface StreamRoomOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  /** Entries that the stream may have. */
  readonly max: number;
}

/** How full a stream is. */
export interface StreamFill {
  readonly entries: number;
  readonly max: number;
}

/**
 * Keeps a stream from growing without end while nobody consumes it: in the end it would take all of Redis's memory. What
 * finds no room waits where it came from; a stream is never cut by length, which would lose tasks. A batch is taken whole, and
 * several publishers may each find room for one, so the stream may grow beyond `max` by a batch of each.
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

  /** Is there room for a batch? @throws TransportFull, RedisUnavailable */
  async check(): Promise<void> {
    const { entries, max } = await this.fill();
    if (entries >= max) throw new TransportFull(`the stream has ${entries} entries and may have ${max}`);
  }
}

export interface StreamsTaskPublisherOptions {
  /** Closed by whoever opened it. */
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  /** Without it the stream is not bounded. */
  readonly room?: Pick<StreamRoom, 'check'>;
}

/** Puts tasks on a Redis stream. They are as durable as that Redis is: see its `appendonly`. */
export class StreamsTaskPublisher implements TaskPublisher {
  readonly #options: StreamsTaskPublisherOptions;

  constructor(options: StreamsTaskPublisherOptions) {
    this.#options = options;
  }

  async checkRoom(): Promise<void> {
    await this.#options.room?.check();
  }

  /** @throws TransportFull before any was taken, RedisUnavailable */
  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    const { client, stream, room } = this.#options;
    await room?.check();
    const entries = tasks.map((task) => {
      const { body, headers } = encodeTask(task);
      return entryFields(body, headers);
    });
    await addEntries(client, stream, entries);
  }

  async close(): Promise<void> {}
}

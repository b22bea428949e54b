import type { RedisClient } from '../../redis/connection.ts';
import { encodeTask } from '../cloud-events.ts';
import type { OutgoingTask, TaskPublisher } from '../task-publisher.ts';
import { addEntries } from './add-entries.ts';
import { entryFields } from './entries.ts';

export interface StreamsTaskPublisherOptions {
  /** Closed by whoever opened it. */
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
}

/** Puts tasks on a Redis stream. They are as durable as that Redis is: see its `appendonly`. */
export class StreamsTaskPublisher implements TaskPublisher {
  readonly #options: StreamsTaskPublisherOptions;

  constructor(options: StreamsTaskPublisherOptions) {
    this.#options = options;
  }

  /** @throws RedisUnavailable */
  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    const { client, stream } = this.#options;
    const entries = tasks.map((task) => {
      const { body, headers } = encodeTask(task);
      return entryFields(body, headers);
    });
    await addEntries(client, stream, entries);
  }

  async close(): Promise<void> {}
}

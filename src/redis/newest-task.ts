import type { RedisClient } from './connection.ts';
import { reply } from './unavailable.ts';

const MEMBER = 'outbox';

/**
 * The id of the newest task that was seen in the outbox, kept in Redis, where no restore of MySQL sets it back. As a number: ids
 * beyond 2^53 lose their last digits, and their order is the same.
 */
export class KeptNewestTask {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#key = `${prefix}:newest-task`;
  }

  /** @returns undefined when none is known @throws RedisUnavailable */
  async read(): Promise<number | undefined> {
    const kept = await reply(this.#client.zscore(this.#key, MEMBER));
    return kept === null ? undefined : Number(kept);
  }

  /** Keeps the greatest. @throws RedisUnavailable */
  async save(id: number): Promise<void> {
    await reply(this.#client.zadd(this.#key, 'GT', id, MEMBER));
  }

  /** Keeps this one, although it may be smaller. @throws RedisUnavailable */
  async setBack(id: number): Promise<void> {
    await reply(this.#client.zadd(this.#key, id, MEMBER));
  }
}

import type { Id } from '../../../contracts/id.ts';
import type { Key } from '../../../contracts/key.ts';
import type { RedisClient } from '../../../redis/connection.ts';

export interface RecipeIndexOptions {
  readonly prefix: string;
  /** Contacts that an index keeps. */
  readonly max: number;
}

/**
 * The index of the recipe as it was published ("Using Redis as a Secondary Index for MySQL"): what a task says is
 * applied as it comes, each command a round trip of its own. It ends wrong when tasks change places; that is what it is
 * here to be compared with.
 */
export class RecipeIndex {
  readonly #client: RedisClient;
  readonly #options: RecipeIndexOptions;

  constructor(client: RedisClient, options: RecipeIndexOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** A contact of the user's uploaded a photo, or somebody who did became one. @param upload its time in ms */
  async add(user: Id, { id, at }: Key): Promise<void> {
    const key = this.#key(user);
    await this.#client.zadd(key, at, id);
    const size = await this.#client.zcard(key);
    if (size > this.#options.max) await this.#client.zremrangebyrank(key, 0, size - this.#options.max - 1);
  }

  /** A contact is none any more. */
  async remove(user: Id, contact: Id): Promise<void> {
    await this.#client.zrem(this.#key(user), contact);
  }

  /** The user's contacts, the most recently active first. */
  async recent(user: Id): Promise<Id[]> {
    return await this.#client.zrevrange(this.#key(user), 0, -1);
  }

  #key(user: Id): string {
    return `${this.#options.prefix}:recipe:${user}`;
  }
}

import type { Id } from '../../contracts/id.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { defineScript, type Script } from '../../redis/script.ts';
import { isSlotMoving, isWriteRefused } from '../../redis/unavailable.ts';
import type { Reading } from '../contact-index.ts';
import type { KeyNames } from './keys.ts';
import { readingOf } from './meta.ts';

const READ = new URL('./lua/read.lua', import.meta.url);

/** Reads indexes by lua/read.lua, which a master runs also while it refuses writes. */
export class IndexReader {
  readonly #names: KeyNames;
  readonly #read: Script;
  readonly #readUnflagged: Script;

  constructor(client: RedisClient, names: KeyNames) {
    this.#names = names;
    this.#read = defineScript(client, 'read', READ);
    this.#readUnflagged = defineScript(client, 'read_unflagged', READ, { unflagged: true });
  }

  /** One user's index, also while its slot moves to another node of a cluster. @throws RedisUnavailable */
  async read(user: Id, count: number, touch: boolean): Promise<Reading> {
    const keys = this.#names.all(user);
    // The note rarely exists, and while a slot moves Redis refuses a call if one of its keys does not exist there.
    const moving = (error: unknown) =>
      isSlotMoving(error) ? this.#call(keys.slice(0, 2), count, touch) : Promise.reject(error);
    const [reading] = await this.#call(keys, count, touch).catch(moving);
    return reading as Reading;
  }

  /**
   * The indexes of users of one bucket, in one call.
   * @throws RedisUnavailable; isSlotMoving: while some of the keys are on another node
   */
  readMany(users: readonly Id[], count: number, touch: boolean): Promise<Reading[]> {
    const keys = users.flatMap((user) => this.#names.all(user));
    return this.#call(keys, count, touch);
  }

  async #call(keys: string[], count: number, touch: boolean): Promise<Reading[]> {
    const args = [count, touch ? 1 : 0];
    const unflagged = (error: unknown) =>
      isWriteRefused(error) ? this.#readUnflagged(keys, [...args, 1]) : Promise.reject(error);
    const replies = await this.#read(keys, [...args, 0]).catch(unflagged);
    return (replies as unknown[]).map(readingOf);
  }
}

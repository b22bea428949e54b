import type { Id } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { defineScript, type Script } from '../../redis/script.ts';
import { reply } from '../../redis/unavailable.ts';
import type { FanOutCursor, Steps } from '../protocol.ts';

/** How long a cursor is kept, ms. When nobody has resumed it by then, another worker has done its tasks from the start. */
const CURSOR_MS = 24 * 3_600_000;

/** Cursors of unfinished fan-outs in Redis, one key for each owner. When one is lost, its fan-out starts from the first follower. */
export class RedisFanOutCursors implements Pick<Steps, 'loadCursors' | 'saveCursors' | 'clearCursors'> {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #save: Script;

  constructor(client: RedisClient, prefix: string, kind: Kind = CONTACTS) {
    this.#client = client;
    this.#prefix = kind.name === CONTACTS.name ? `${prefix}:fanout` : `${prefix}:fanout:${kind.name}`;
    this.#save = defineScript(client, 'save_cursor', new URL('./lua/save-cursor.lua', import.meta.url));
  }

  loadCursors(owners: readonly Id[]): Promise<(FanOutCursor | undefined)[]> {
    return Promise.all(
      owners.map(async (owner) => {
        const text = await reply(this.#client.get(this.#key(owner)));
        return text === null ? undefined : (JSON.parse(text) as FanOutCursor);
      }),
    );
  }

  async saveCursors(cursors: readonly FanOutCursor[]): Promise<void> {
    await Promise.all(
      cursors.map((cursor) => this.#save([this.#key(cursor.owner)], [JSON.stringify(cursor), CURSOR_MS])),
    );
  }

  async clearCursors(owners: readonly Id[]): Promise<void> {
    await Promise.all(owners.map((owner) => reply(this.#client.unlink(this.#key(owner)))));
  }

  #key(owner: Id): string {
    return `${this.#prefix}:{${owner}}`;
  }
}

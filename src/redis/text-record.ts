import type { z } from 'zod';
import { defineScript, type RedisClient, type Script } from './connection.ts';
import { reply } from './unavailable.ts';

/** A text under a key, which is replaced only if it is still what was read. */
export class TextRecord {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #replace: Script;

  constructor(client: RedisClient, key: string) {
    this.#client = client;
    this.#key = key;
    this.#replace = defineScript(client, 'text_replace', new URL('./lua/text-replace.lua', import.meta.url));
  }

  /** Are other masters in use than the one that has it? */
  get isCluster(): boolean {
    return this.#client.isCluster;
  }

  /** @returns undefined: there is none @throws RedisUnavailable */
  async read(): Promise<string | undefined> {
    return (await reply(this.#client.get(this.#key))) ?? undefined;
  }

  /**
   * @param before what was read; undefined: there was none
   * @returns false: another process was first @throws RedisUnavailable
   */
  async replace(before: string | undefined, after: string): Promise<boolean> {
    return (await this.#replace([this.#key], [before ?? '', after])) === 1;
  }
}

/** What a text says as JSON; undefined: there is none, or it has another shape. */
export function valueIn<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

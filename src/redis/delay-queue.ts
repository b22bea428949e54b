import type { RedisClient } from './connection.ts';
import { defineScript, type Script } from './script.ts';
import { reply } from './unavailable.ts';

/** Items that were taken together. */
export interface Held<T> {
  readonly items: readonly T[];
  /** Which taking it was: only that one's hold can be ended with it. */
  readonly leaseEnd: string;
}

/** Nothing is put off for longer, ms: what seems to be due later was put off before the clock of Redis was set back. */
const LONGEST_DELAY_MS = 60_000;

/**
 * Work for later. Items are texts; one that waits already is not added again. What is taken is held under a lease and
 * comes back when it is not finished in time: at least once.
 */
export class DelayQueue {
  readonly #client: RedisClient;
  readonly #due: string;
  readonly #held: string;
  readonly #put: Script;
  readonly #take: Script;
  readonly #finish: Script;
  readonly #waiting: Script;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#due = `${prefix}:{delay}:due`;
    this.#held = `${prefix}:{delay}:held`;
    this.#put = defineScript(client, 'delay_put', new URL('./lua/delay-put.lua', import.meta.url));
    this.#take = defineScript(client, 'delay_take', new URL('./lua/delay-take.lua', import.meta.url));
    this.#finish = defineScript(client, 'delay_finish', new URL('./lua/delay-finish.lua', import.meta.url));
    this.#waiting = defineScript(client, 'delay_waiting', new URL('./lua/delay-waiting.lua', import.meta.url));
  }

  /** @param delayMs from now, a minute at the most @throws RangeError, RedisUnavailable */
  async put(items: readonly string[], delayMs: number): Promise<void> {
    if (delayMs > LONGEST_DELAY_MS)
      throw new RangeError(`${delayMs} ms is longer than the ${LONGEST_DELAY_MS} allowed`);
    if (items.length > 0) await this.#put([this.#due], [delayMs, ...items]);
  }

  /** Due items, at most `count`, to be finished within `leaseMs`. @throws RedisUnavailable */
  async take(count: number, leaseMs: number): Promise<Held<string>> {
    const [leaseEnd = '', ...items] = (await this.#take(
      [this.#due, this.#held],
      [count, leaseMs, LONGEST_DELAY_MS],
    )) as string[];
    return { items, leaseEnd };
  }

  /** These are done. What was put off again and taken by somebody else stays theirs. @throws RedisUnavailable */
  async finish({ items, leaseEnd }: Held<string>): Promise<void> {
    if (items.length > 0) await this.#finish([this.#held], [leaseEnd, ...items]);
  }

  /** These are wanted no more, whether they wait or are held. @throws RedisUnavailable */
  async drop(items: readonly string[]): Promise<void> {
    if (items.length === 0) return;
    await Promise.all([this.#due, this.#held].map((key) => reply(this.#client.zrem(key, ...items))));
  }

  /** Every item that waits or is held; of the items given, if any are, those that do. @throws RedisUnavailable */
  async waiting(items: readonly string[] = []): Promise<string[]> {
    return (await this.#waiting([this.#due, this.#held], items)) as string[];
  }

  /** How many items wait or are held. @throws RedisUnavailable */
  async size(): Promise<number> {
    const [due, held] = await Promise.all([
      reply(this.#client.zcard(this.#due)),
      reply(this.#client.zcard(this.#held)),
    ]);
    return due + held;
  }
}

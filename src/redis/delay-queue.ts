import type { RedisClient } from './connection.ts';
import { defineScript, type Script } from './script.ts';
import { reply } from './unavailable.ts';

/** Items that were taken together. */
export interface Held<T> {
  readonly items: readonly T[];
  /** Which taking it was: only that one's hold can be ended with it. */
  readonly leaseEnd: string;
}

/** Items looked at in one call, at the most: some 0.3 ms of Redis's time. */
const ITEMS_A_CALL = 200;

/** Ranges asked for in one call, at the most. */
const RANGES_A_CALL = 200;

/** Above every text that begins with what comes before it. */
const ABOVE = '\uffff';

/**
 * Nothing is put off or held for longer, ms: what seems to be due, or held, beyond that was put there before the clock of
 * Redis was set back.
 */
const LONGEST_MS = 180_000;

/**
 * Work for later. Items are texts; one that waits already is not added again. What is taken is held under a lease and
 * comes back when it is not finished in time: at least once.
 */
export class DelayQueue {
  readonly #client: RedisClient;
  readonly #due: string;
  readonly #held: string;
  readonly #all: string;
  readonly #put: Script;
  readonly #take: Script;
  readonly #finish: Script;
  readonly #drop: Script;
  readonly #extend: Script;
  readonly #waiting: Script;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#due = `${prefix}:{delay}:due`;
    this.#held = `${prefix}:{delay}:held`;
    this.#all = `${prefix}:{delay}:all`;
    this.#put = defineScript(client, 'delay_put', new URL('./lua/delay-put.lua', import.meta.url));
    this.#take = defineScript(client, 'delay_take', new URL('./lua/delay-take.lua', import.meta.url));
    this.#finish = defineScript(client, 'delay_finish', new URL('./lua/delay-finish.lua', import.meta.url));
    this.#drop = defineScript(client, 'delay_drop', new URL('./lua/delay-drop.lua', import.meta.url));
    this.#extend = defineScript(client, 'delay_extend', new URL('./lua/delay-extend.lua', import.meta.url));
    this.#waiting = defineScript(client, 'delay_waiting', new URL('./lua/delay-waiting.lua', import.meta.url));
  }

  /** @param delayMs from now, three minutes at the most @throws RangeError, RedisUnavailable */
  async put(items: readonly string[], delayMs: number): Promise<void> {
    mustBeAllowed(delayMs);
    if (items.length > 0) await this.#put([this.#due, this.#all], [delayMs, ...items]);
  }

  /** Due items, at most `count`, to be finished within `leaseMs`. @throws RedisUnavailable */
  async take(count: number, leaseMs: number): Promise<Held<string>> {
    const [leaseEnd = '', ...items] = (await this.#take(
      [this.#due, this.#held, this.#all],
      [count, leaseMs, LONGEST_MS],
    )) as string[];
    return { items, leaseEnd };
  }

  /** These are done. What was put off again and taken by somebody else stays theirs. @throws RedisUnavailable */
  async finish({ items, leaseEnd }: Held<string>): Promise<void> {
    if (items.length > 0) await this.#finish([this.#due, this.#held, this.#all], [leaseEnd, ...items]);
  }

  /**
   * The same items, those still held, under a lease that ends `leaseMs` from now, three minutes at the most.
   * @throws RangeError, RedisUnavailable
   */
  async extend({ items, leaseEnd }: Held<string>, leaseMs: number): Promise<Held<string>> {
    mustBeAllowed(leaseMs);
    if (items.length === 0) return { items, leaseEnd };
    const [later = '', ...held] = (await this.#extend([this.#held], [leaseEnd, leaseMs, ...items])) as string[];
    return { items: held, leaseEnd: later };
  }

  /** These are wanted no more, whether they wait or are held. @throws RedisUnavailable */
  async drop(items: readonly string[]): Promise<void> {
    if (items.length > 0) await this.#drop([this.#due, this.#held, this.#all], items);
  }

  /**
   * The items that wait or are held and begin with one of these texts, each once: page by page, so that no call keeps
   * Redis from others. An item that waits or is held all the while is among them, wherever it moves meanwhile.
   * @param beginnings '' is that of every item
   * @throws RedisUnavailable
   */
  async waiting(beginnings: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    let ranges = beginnings.map((text) => [`[${text}`, `(${text}${ABOVE}`]);
    while (ranges.length > 0) {
      const asked = ranges.slice(0, RANGES_A_CALL).flat();
      const reply = await this.#waiting([this.#due, this.#held, this.#all], [ITEMS_A_CALL, ...asked]);
      const [passed, readUpTo, ...items] = reply as [number, string, ...string[]];
      for (const item of items) found.add(item);
      ranges = ranges.slice(passed);
      const [next, ...others] = ranges;
      if (next !== undefined && readUpTo !== '') ranges = [[`(${readUpTo}`, next[1] as string], ...others];
    }
    return found;
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

function mustBeAllowed(ms: number): void {
  if (ms > LONGEST_MS) throw new RangeError(`${ms} ms is longer than the ${LONGEST_MS} allowed`);
}

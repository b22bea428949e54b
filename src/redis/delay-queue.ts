import { defineScript, type RedisClient, type Script } from './connection.ts';
import { DELAY_TAG } from './hash-tags.ts';
import { reply } from './unavailable.ts';

/** Items that were taken together, under one lease. */
export interface Held<T> {
  readonly items: readonly T[];
  /** Identifies the call that took them: only its own hold can be ended with it. */
  readonly leaseEnd: string;
}

/** Items examined in one call, at most: some 0.3 ms of Redis's time. */
const ITEMS_A_CALL = 200;

/** Ranges requested in one call, at most. */
const RANGES_A_CALL = 200;

/** Sorts after every text that continues the one before it. */
const ABOVE = '\uffff';

/**
 * Nothing is delayed or held for longer, ms. An item that seems to be due, or held, beyond that was put there before the clock
 * of Redis was set back.
 */
const LONGEST_MS = 180_000;

/** The keys of a queue, in one slot of a cluster. */
export function delayKeys(prefix: string) {
  const key = (name: string) => `${prefix}:{${DELAY_TAG}}:${name}`;
  return { due: key('due'), held: key('held'), all: key('all'), waiting: key('waiting') };
}

/**
 * A queue of delayed work. Items are texts; one that is put while it waits is due at the earlier of both times. Items are taken
 * under a lease and come again if they are not finished in time, so each is done at least once.
 */
export class DelayQueue {
  /** The sharded channel that says that an item has begun to wait. */
  readonly waitingChannel: string;
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
    const { due, held, all, waiting } = delayKeys(prefix);
    this.#due = due;
    this.#held = held;
    this.#all = all;
    this.waitingChannel = waiting;
    this.#put = defineScript(client, 'delay_put', new URL('./lua/delay-put.lua', import.meta.url));
    this.#take = defineScript(client, 'delay_take', new URL('./lua/delay-take.lua', import.meta.url));
    this.#finish = defineScript(client, 'delay_finish', new URL('./lua/delay-finish.lua', import.meta.url));
    this.#drop = defineScript(client, 'delay_drop', new URL('./lua/delay-drop.lua', import.meta.url));
    this.#extend = defineScript(client, 'delay_extend', new URL('./lua/delay-extend.lua', import.meta.url));
    this.#waiting = defineScript(client, 'delay_waiting', new URL('./lua/delay-waiting.lua', import.meta.url));
  }

  /** @param delayMs from now, at most three minutes @throws RangeError, RedisUnavailable */
  async put(items: readonly string[], delayMs: number): Promise<void> {
    mustBeAllowed(delayMs);
    if (items.length > 0) await this.#put([this.#due, this.#all, this.waitingChannel], [delayMs, ...items]);
  }

  /** Due items, at most `count`, to be finished within `leaseMs`, at most three minutes. @throws RangeError, RedisUnavailable */
  async take(count: number, leaseMs: number): Promise<Held<string>> {
    mustBeAllowed(leaseMs);
    const [leaseEnd = '', ...items] = (await this.#take(
      [this.#due, this.#held, this.#all],
      [count, leaseMs, LONGEST_MS],
    )) as string[];
    return { items, leaseEnd };
  }

  /** These items are done. An item that was delayed again and taken by another worker stays with that worker. @throws RedisUnavailable */
  async finish({ items, leaseEnd }: Held<string>): Promise<void> {
    if (items.length > 0) await this.#finish([this.#due, this.#held, this.#all], [leaseEnd, ...items]);
  }

  /**
   * Extends the lease to `leaseMs` from now, at most three minutes, and returns the items that are still held.
   * @throws RangeError, RedisUnavailable
   */
  async extend({ items, leaseEnd }: Held<string>, leaseMs: number): Promise<Held<string>> {
    mustBeAllowed(leaseMs);
    if (items.length === 0) return { items, leaseEnd };
    const [later = '', ...held] = (await this.#extend([this.#held], [leaseEnd, leaseMs, ...items])) as string[];
    return { items: held, leaseEnd: later };
  }

  /** Removes items, whether they wait or are held. @throws RedisUnavailable */
  async drop(items: readonly string[]): Promise<void> {
    if (items.length > 0) await this.#drop([this.#due, this.#held, this.#all], items);
  }

  /**
   * The items that wait or are held and begin with one of these prefixes, each once. Read page by page, so that no call blocks
   * Redis for long. An item that waits or is held throughout is among them, wherever it moves meanwhile.
   * @param prefixes '' matches every item
   * @param onAnswer called with the replication id of the server that answered, for each page
   * @throws RedisUnavailable, what `onAnswer` throws
   */
  async waiting(prefixes: readonly string[], onAnswer?: (replicationId: string) => void): Promise<Set<string>> {
    const found = new Set<string>();
    let ranges = prefixes.map((text) => [`[${text}`, `(${text}${ABOVE}`]);
    while (ranges.length > 0) {
      const asked = ranges.slice(0, RANGES_A_CALL).flat();
      const reply = await this.#waiting([this.#due, this.#held, this.#all], [ITEMS_A_CALL, ...asked]);
      const [replicationId, passed, readUpTo, ...items] = reply as [string, number, string, ...string[]];
      onAnswer?.(replicationId);
      for (const item of items) found.add(item);
      ranges = ranges.slice(passed);
      const [next, ...others] = ranges;
      if (next !== undefined && readUpTo !== '') ranges = [[`(${readUpTo}`, next[1] as string], ...others];
    }
    return found;
  }

  /** For how long the first item has been due, or its lease has been over, ms; 0: none is. @throws RedisUnavailable */
  async overdueMs(): Promise<number> {
    const first = (key: string) => reply(this.#client.zrange(key, '0', '0', 'WITHSCORES'));
    const [due, held, [seconds]] = await Promise.all([first(this.#due), first(this.#held), reply(this.#client.time())]);
    const since = Math.min(...[due, held].map(([, score]) => Number(score ?? Number.POSITIVE_INFINITY)));
    return Math.max(0, Number(seconds) * 1_000 - since);
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

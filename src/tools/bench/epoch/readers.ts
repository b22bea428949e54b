import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../../../contracts/id.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';

/** One read, timed from when it was due, so that waiting for a connection counts. */
export interface Read {
  /** When it was due, on the clock of `performance.now()`. */
  readonly at: number;
  readonly ms: number;
  readonly source: 'index' | 'database' | 'none';
  /** Differs from plain SQL and is not a 503. */
  readonly wrong: boolean;
}

export interface ReadersOptions {
  readonly origin: string;
  readonly connections: number;
  /** The ids of the first page according to plain SQL. */
  readonly expected: ReadonlyMap<Id, string>;
}

export const LIMIT = 10;

/**
 * Reads recency lists over several connections and checks every answer. Connections take turns, because a server closes
 * one that stays idle.
 */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #idle: MeasuringClient[];

  constructor(options: ReadersOptions) {
    this.#options = options;
    this.#idle = Array.from({ length: options.connections }, () => new MeasuringClient(options.origin));
  }

  close(): void {
    for (const client of this.#idle) client.close();
  }

  /** Reads each user once, as fast as possible. */
  async readAll(users: readonly Id[], signal: AbortSignal): Promise<void> {
    const waiting = users.values();
    const lane = async (client: MeasuringClient) => {
      for (const user of waiting) {
        signal.throwIfAborted();
        await this.#read(client, user, performance.now());
      }
    };
    await Promise.all(this.#idle.map(lane));
  }

  /**
   * Starts `rate` reads per second, whether or not earlier ones are answered.
   * @param isOver called after every read with all reads so far, in the order of their answers
   */
  async run(
    rate: number,
    nextUser: () => Id,
    isOver: (reads: readonly Read[]) => boolean,
    signal: AbortSignal,
  ): Promise<Read[]> {
    const reads: Read[] = [];
    const due: { user: Id; at: number }[] = [];
    const working = new Set<Promise<void>>();
    let failure: unknown;
    const work = async (client: MeasuringClient) => {
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        reads.push(await this.#read(client, next.user, next.at));
      }
      this.#idle.push(client);
    };
    const begin = performance.now();
    for (let n = 0; !isOver(reads); n++) {
      signal.throwIfAborted();
      if (failure !== undefined) throw failure;
      const at = begin + (n * 1000) / rate;
      const early = at - performance.now();
      if (early > 0) await pause(early);
      due.push({ user: nextUser(), at });
      const client = this.#idle.shift();
      if (client === undefined) continue;
      const worker: Promise<void> = work(client)
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => working.delete(worker));
      working.add(worker);
    }
    await Promise.all(working);
    if (failure !== undefined) throw failure;
    return reads;
  }

  async #read(client: MeasuringClient, user: Id, at: number): Promise<Read> {
    const { status, body } = await client.get(`/v1/users/${user}/contacts/recent?limit=${LIMIT}`);
    const ms = performance.now() - at;
    if (status !== 200) return { at, ms, source: 'none', wrong: status !== 503 };
    const { contacts, answer } = JSON.parse(body) as {
      contacts: { id: Id }[];
      answer: { source: 'index' | 'database' };
    };
    const is = contacts.map(({ id }) => id).join(' ');
    return { at, ms, source: answer.source, wrong: is !== this.#options.expected.get(user) };
  }
}

/** Picks users so that the n-th most popular is picked 1/n as often as the first. The ranking is random. */
export function zipf(users: readonly Id[], random: () => number): () => Id {
  const order = users.map((user) => ({ user, lot: random() })).sort((a, b) => a.lot - b.lot);
  let total = 0;
  const sums = order.map((_, i) => {
    total += 1 / (i + 1);
    return total;
  });
  return () => {
    const lot = random() * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < lot) low = middle + 1;
      else high = middle;
    }
    return order[low]?.user ?? '';
  };
}

import type { RedisClient } from '../redis/connection.ts';
import { reply } from '../redis/unavailable.ts';
import { settledWithin } from '../timing/deadline.ts';
import { pause } from '../timing/loop.ts';
import type { BatchLease, Delivery } from '../transport/task-source.ts';

/** A small task that has waited for longer is late, ms. */
const LATE_MS = 1_000;

/** How long a note that small tasks are late holds, ms: a consumer that goes on finding late ones renews it. */
const NOTE_MS = 2_000;

/** How long what the note said is believed, ms. */
const KNOWN_MS = 250;

/** The longest that a segment waits at once, ms. Then it takes a step: small tasks that are late for hours must not end it. */
const MOST_MS = 5_000;

const LOOK_MS = 100;

/** The longest that one step of a segment waits for small tasks in work beside it, ms: a lane that is never idle must not stop it. */
const BESIDE_MS = 30;

interface LanePaceOptions {
  readonly client: RedisClient;
  /** Of every key in Redis. */
  readonly prefix: string;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

/**
 * Lets the bulk lane yield to small tasks. In a process with both lanes, a segment takes no step while small tasks are in work:
 * each of their steps would wait for the replies of a segment, thousands of rows, to be read. And whichever processes have which
 * lane, consumers of small tasks note in Redis that they find late ones, and those of segments look for the note between two
 * steps. It is for the pace alone: without Redis nobody looks.
 */
export class LanePace {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #clock: () => number;
  readonly #now: () => number;
  #notedAt = Number.NEGATIVE_INFINITY;
  #inWork = 0;
  #idle = Promise.withResolvers<void>();
  #known = { isLate: false, until: Number.NEGATIVE_INFINITY };

  constructor({ client, prefix, clock = Date.now, now = () => performance.now() }: LanePaceOptions) {
    this.#client = client;
    this.#key = `${prefix}:lanes:late`;
    this.#clock = clock;
    this.#now = now;
  }

  /** Small tasks were delivered. Waits for nothing. @returns to be called when they are done, or given back */
  delivered(deliveries: readonly Pick<Delivery, 'timestamp'>[]): () => void {
    this.#noteLate(deliveries);
    if (this.#inWork === 0) this.#idle = Promise.withResolvers();
    this.#inWork++;
    return () => {
      this.#inWork--;
      if (this.#inWork === 0) this.#idle.resolve();
    };
  }

  #noteLate(deliveries: readonly Pick<Delivery, 'timestamp'>[]): void {
    const known = deliveries.map(({ timestamp }) => timestamp).filter((timestamp) => timestamp > 0);
    const isLate = known.length > 0 && this.#clock() - Math.min(...known) > LATE_MS;
    if (!isLate || this.#now() - this.#notedAt < NOTE_MS / 4) return;
    this.#notedAt = this.#now();
    void reply(this.#client.set(this.#key, '1', 'PX', NOTE_MS)).catch(() => undefined);
  }

  /** Waits while small tasks are in work beside it, a moment at most, and while any are late. @param lease of the segment, kept meanwhile @throws what `renew` throws */
  async yieldToSmall(lease: BatchLease): Promise<void> {
    if (this.#inWork > 0) await settledWithin(this.#idle.promise, BESIDE_MS);
    const until = this.#now() + MOST_MS;
    while ((await this.#isLate()) && this.#now() < until) {
      await pause(LOOK_MS);
      await lease.renew();
    }
  }

  async #isLate(): Promise<boolean> {
    if (this.#now() >= this.#known.until) {
      const isLate = await reply(this.#client.exists(this.#key)).catch(() => 0);
      this.#known = { isLate: isLate === 1, until: this.#now() + KNOWN_MS };
    }
    return this.#known.isLate;
  }
}

import type { Redis } from 'ioredis';
import type { Id } from '../../../contracts/id.ts';

/** An uploaded photo, as a task's payload describes it. */
export interface Upload {
  readonly owner: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
}

/**
 * The timed part of a fan-out.
 * - `redis`: MySQL's answers are known in advance; only the indexes are written
 * - `total`: followers and pairs are read from MySQL page by page, and the task is acknowledged
 * - `total_from_payload`: the same without the pairs, for variants that trust the task
 */
export const PARTS = ['redis', 'total', 'total_from_payload'] as const;
export type Part = (typeof PARTS)[number];

/**
 * An owner's first photo is new to every index, which trims another contact; at the next one the owner is there
 * already.
 */
export const PHOTOS = ['first', 'next'] as const;
export type UploadNumber = (typeof PHOTOS)[number];

export const VARIANT_NAMES = ['recency', 'recipe', 'recipe_pipelined', 'raw_zadd', 'denormalised'] as const;
export type FanOutVariantName = (typeof VARIANT_NAMES)[number];

/** One way to bring an upload into the index of every follower. */
export interface FanOutVariant {
  readonly name: FanOutVariantName;
  /** The parts that it has. */
  readonly parts: readonly Part[];
  /** Before each fan-out, not timed. */
  prepare(upload: Upload): Promise<void>;
  fanOut(upload: Upload, part: Part): Promise<void>;
  /** After each fan-out, not timed. */
  tidy(): Promise<void>;
  members(user: Id): Promise<readonly Id[]>;
}

const GROUP = 'bench';

/** A fan-out's task on its own stream: delivered before the clock starts, acknowledged while it runs. */
export class Acknowledger {
  readonly #client: Redis;
  readonly #stream: string;
  #delivered: string | undefined;

  private constructor(client: Redis, stream: string) {
    this.#client = client;
    this.#stream = stream;
  }

  static async on(client: Redis, stream: string): Promise<Acknowledger> {
    await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    return new Acknowledger(client, stream);
  }

  async deliver(): Promise<void> {
    const id = await this.#client.xadd(this.#stream, '*', 'type', 'recency.photo.uploaded');
    await this.#client.xreadgroup('GROUP', GROUP, 'worker', 'COUNT', 1, 'STREAMS', this.#stream, '>');
    this.#delivered = id ?? undefined;
  }

  async acknowledge(): Promise<void> {
    if (this.#delivered === undefined) throw new Error('nothing was delivered');
    await this.#client.xack(this.#stream, GROUP, this.#delivered);
  }
}

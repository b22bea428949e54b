import type { Redis } from 'ioredis';
import type { Id } from '../../../contracts/id.ts';

/** A photo that somebody uploaded: what a task's payload says. */
export interface Upload {
  readonly owner: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
}

/**
 * What a fan-out does, and what of it is counted.
 * - `redis`: what MySQL says is known beforehand; only the indexes are written
 * - `total`: the followers and the pairs are read from MySQL page by page, and the task is acknowledged
 * - `total_from_payload`: the same without the pairs, for those who believe the task
 */
export const PARTS = ['redis', 'total', 'total_from_payload'] as const;
export type Part = (typeof PARTS)[number];

/** The first photo of an owner is new to every index, which trims somebody else for it; at the next one the owner is in already. */
export const PHOTOS = ['first', 'next'] as const;
export type Photo = (typeof PHOTOS)[number];

export const VARIANT_NAMES = ['recency', 'recipe', 'recipe_pipelined', 'raw_zadd'] as const;
export type VariantName = (typeof VARIANT_NAMES)[number];

/** One way to bring an upload into the index of every follower. */
export interface FanOutVariant {
  readonly name: VariantName;
  /** Of which it has a figure. */
  readonly parts: readonly Part[];
  /** Before each fan-out, and not counted. */
  prepare(upload: Upload): Promise<void>;
  fanOut(upload: Upload, part: Part): Promise<void>;
  /** After each fan-out, and not counted. */
  tidy(): Promise<void>;
  /** The index of one follower, as the arm keeps it. */
  members(user: Id): Promise<readonly Id[]>;
}

const GROUP = 'bench';

/** The task of a fan-out on a stream of its own: delivered before the clock runs, acknowledged within. */
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

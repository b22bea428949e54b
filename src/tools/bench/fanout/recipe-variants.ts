import type { ChainableCommander, Redis } from 'ioredis';
import pLimit from 'p-limit';
import type { Id } from '../../../contracts/id.ts';
import { FOLLOWERS_A_PAGE } from '../../../index/fan-out.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import { readFollowers } from '../../../mysql/statements/followers.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { readNeighbours } from '../../../mysql/statements/pairs.ts';
import { chunks } from '../../../timing/batches.ts';
import { RecipeIndex } from '../../harness/variants/recipe.ts';
import type { Crowd } from './crowd.ts';
import {
  type Acknowledger,
  type FanOutVariant,
  type FanOutVariantName,
  PARTS,
  type Part,
  type Upload,
} from './variant.ts';

export interface RecipeVariantOptions {
  readonly name: Exclude<FanOutVariantName, 'recency' | 'denormalised'>;
  readonly client: Redis;
  readonly primary: KindDatabase;
  /** Prefix of the keys of all variants. */
  readonly prefix: string;
  readonly max: number;
  readonly crowd: Crowd;
  readonly acknowledger: Acknowledger;
}

/** How a variant writes an upload into the sets of some followers. */
interface Writer {
  /** Concurrent calls for 500 followers each, in the parts that also query MySQL. */
  readonly atOnce: number;
  write(users: readonly Id[], upload: Upload): Promise<void>;
  /** After each fan-out, not timed. */
  tidy?(users: readonly Id[]): Promise<void>;
}

/** Writes what the task says into sorted sets of its own, without checking it against MySQL. */
export class RecipeVariant implements FanOutVariant {
  readonly name: FanOutVariantName;
  readonly parts = PARTS;
  readonly #options: RecipeVariantOptions;
  readonly #followers: readonly Id[];
  readonly #writer: Writer;
  readonly #keyOf: (user: Id) => string;

  constructor(options: RecipeVariantOptions) {
    const { name, client, max } = options;
    const prefix = `${options.prefix}:${name}`;
    this.name = name;
    this.#options = options;
    this.#followers = options.crowd.followers;
    this.#keyOf = (user) => `${prefix}:recipe:${user}`;
    const writers = {
      recipe: () => published(new RecipeIndex(client, { prefix, max })),
      recipe_pipelined: () => pipelinedRecipe(client, this.#keyOf, max),
      raw_zadd: () => rawZadd(client, this.#keyOf, max),
    };
    this.#writer = writers[name]();
  }

  /** Fills the sets to `max` with the newest photos that were there before. */
  async fill(): Promise<void> {
    const { client, crowd, max } = this.#options;
    const members = crowd.known.slice(-max).flatMap(({ id, at }) => [at, id]);
    for (const user of this.#followers) await client.zadd(this.#keyOf(user), ...members);
  }

  async prepare(): Promise<void> {
    await this.#options.acknowledger.deliver();
  }

  async fanOut(upload: Upload, part: Part): Promise<void> {
    if (part === 'redis') return await this.#writer.write(this.#followers, upload);
    const limit = pLimit(this.#writer.atOnce);
    const calls: Promise<void>[] = [];
    let page = await this.#pageAfter('0', upload);
    while (page.length > 0) {
      for (const users of chunks(page, PAIRS_A_CALL)) calls.push(limit(() => this.#bring(users, upload, part)));
      // The next page is read while this one is worked on, as Recency does.
      page = page.length < FOLLOWERS_A_PAGE ? [] : await this.#pageAfter(page.at(-1) ?? '0', upload);
    }
    await Promise.all(calls);
    await this.#options.acknowledger.acknowledge();
  }

  async tidy(): Promise<void> {
    await this.#writer.tidy?.(this.#followers);
  }

  async members(user: Id): Promise<Id[]> {
    return await this.#options.client.zrevrange(this.#keyOf(user), 0, -1);
  }

  #pageAfter(after: Id | '0', { owner }: Upload): Promise<Id[]> {
    return readFollowers(this.#options.primary, { owner, after }, FOLLOWERS_A_PAGE);
  }

  async #bring(users: readonly Id[], upload: Upload, part: Part): Promise<void> {
    await this.#writer.write(part === 'total' ? await this.#whoMaySee(users, upload) : users, upload);
  }

  async #whoMaySee(users: readonly Id[], { owner, at }: Upload): Promise<Id[]> {
    const pairs = users.map((user) => ({ user, contact: owner }));
    const { rows } = await readNeighbours(this.#options.primary, pairs);
    return rows.filter((row) => row.related && row.lastUploadAt >= at).map((row) => row.user);
  }
}

/** As many as Recency has: while one waits for MySQL another one works in Redis. */
const CALLS_AT_ONCE = 4;

/** Flickr's recipe as it was published: three commands per follower, one after the other. */
function published(index: RecipeIndex): Writer {
  return {
    atOnce: 1,
    write: async (users, { owner: id, at }) => {
      for (const user of users) await index.add(user, { id, at });
    },
  };
}

/**
 * The same commands the fastest way that ioredis has: all three for 500 followers in one pipeline. ZREMRANGEBYRANK with
 * negative ranks does nothing if there is nothing to trim, so it need not wait for ZCARD. Auto-pipelining, and two
 * pipelines with only the trims that are due, were slower.
 */
function pipelinedRecipe(client: Redis, keyOf: (user: Id) => string, max: number): Writer {
  return {
    atOnce: CALLS_AT_ONCE,
    write: (users, { owner, at }) =>
      pipelined(client, users, (pipeline, user) => {
        const key = keyOf(user);
        pipeline.zadd(key, at, owner);
        pipeline.zcard(key);
        pipeline.zremrangebyrank(key, 0, -(max + 1));
      }),
  };
}

/** Bare ZADD: no trim, no protocol, wrong in the end; the limit of client, wire and server. */
function rawZadd(client: Redis, keyOf: (user: Id) => string, max: number): Writer {
  return {
    atOnce: CALLS_AT_ONCE,
    write: (users, { owner, at }) =>
      pipelined(client, users, (pipeline, user) => pipeline.zadd(keyOf(user), at, owner)),
    // Back to the size of the others, or its sets would grow.
    tidy: (users) => pipelined(client, users, (pipeline, user) => pipeline.zremrangebyrank(keyOf(user), 0, -(max + 1))),
  };
}

/** Followers in one pipeline. */
const PIPELINE = 500;

/** While Redis works on one, the client builds the next. */
const PIPELINES_AT_ONCE = 2;

/** @throws the first error among the replies */
async function pipelined(
  client: Redis,
  users: readonly Id[],
  add: (pipeline: ChainableCommander, user: Id) => void,
): Promise<void> {
  const limit = pLimit(PIPELINES_AT_ONCE);
  const send = async (page: readonly Id[]) => {
    const pipeline = client.pipeline();
    for (const user of page) add(pipeline, user);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  };
  await Promise.all(Array.from(chunks(users, PIPELINE), (page) => limit(send, page)));
}

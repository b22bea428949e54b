import type { ChainableCommander, Redis } from 'ioredis';
import pLimit from 'p-limit';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../index/chunks.ts';
import { FOLLOWERS_A_PAGE } from '../../../index/fan-out.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import type { Database } from '../../../mysql/database.ts';
import { readFollowers, readNeighbours } from '../../../mysql/pairs.ts';
import { RecipeIndex } from '../../harness/variants/recipe.ts';
import type { Crowd } from './crowd.ts';
import { type Acknowledger, type FanOutVariant, PARTS, type Part, type Upload, type VariantName } from './variant.ts';

export interface PayloadVariantOptions {
  readonly name: VariantName;
  readonly client: Redis;
  readonly primary: Database;
  /** Of all arms' keys. */
  readonly prefix: string;
  readonly max: number;
  /** Calls of 500 followers under way at once, where MySQL is asked as well. */
  readonly atOnce: number;
  readonly crowd: Crowd;
  readonly acknowledger: Acknowledger;
}

/** Writes what the task says, without a look at what is true, into sorted sets of its own. */
export abstract class PayloadVariant implements FanOutVariant {
  readonly name: VariantName;
  readonly parts = PARTS;
  protected readonly client: Redis;
  protected readonly prefix: string;
  protected readonly followers: readonly Id[];
  readonly #options: PayloadVariantOptions;

  constructor(options: PayloadVariantOptions) {
    this.name = options.name;
    this.client = options.client;
    this.prefix = `${options.prefix}:${options.name}`;
    this.followers = options.crowd.followers;
    this.#options = options;
  }

  /** The sets as they would be by now: full, with the newest of those whom everybody knows. */
  async fill(): Promise<void> {
    const { crowd, max } = this.#options;
    const members = crowd.known.slice(-max).flatMap(({ id, at }) => [at, id]);
    for (const user of this.followers) await this.client.zadd(this.key(user), ...members);
  }

  async prepare(): Promise<void> {
    await this.#options.acknowledger.deliver();
  }

  async fanOut(upload: Upload, part: Part): Promise<void> {
    if (part === 'redis') return await this.write(this.followers, upload);
    const limit = pLimit(this.#options.atOnce);
    const calls: Promise<void>[] = [];
    let page = await this.#page(upload.owner, '0');
    while (page.length > 0) {
      for (const users of chunks(page, PAIRS_A_CALL)) calls.push(limit(() => this.#bring(users, upload, part)));
      page = await this.#after(upload.owner, page);
    }
    await Promise.all(calls);
    await this.#options.acknowledger.acknowledge();
  }

  async tidy(): Promise<void> {}

  async members(user: Id): Promise<Id[]> {
    return await this.client.zrevrange(this.key(user), 0, -1);
  }

  /** Brings the upload into the set of each. */
  protected abstract write(users: readonly Id[], upload: Upload): Promise<void>;

  protected key(user: Id): string {
    return `${this.prefix}:recipe:${user}`;
  }

  #page(owner: Id, after: Id | '0'): Promise<Id[]> {
    return readFollowers(this.#options.primary, owner, after, FOLLOWERS_A_PAGE);
  }

  /** Read while the pages before it are worked on, as Recency does. */
  #after(owner: Id, page: readonly Id[]): Promise<Id[]> {
    const last = page.at(-1);
    return last === undefined || page.length < FOLLOWERS_A_PAGE ? Promise.resolve([]) : this.#page(owner, last);
  }

  async #bring(users: readonly Id[], upload: Upload, part: Part): Promise<void> {
    await this.write(part === 'total' ? await this.#whoMaySee(users, upload) : users, upload);
  }

  async #whoMaySee(users: readonly Id[], { owner, at }: Upload): Promise<Id[]> {
    const { rows } = await readNeighbours(
      this.#options.primary,
      users.map((user) => ({ user, contact: owner })),
    );
    return rows.filter((row) => row.related && row.lastUploadAt >= at).map((row) => row.user);
  }
}

type RecipeVariantOptions = Omit<PayloadVariantOptions, 'name' | 'atOnce'>;

/** As many as Recency has: while one waits for MySQL another works in Redis. */
const CALLS_AT_ONCE = 4;

/** Flickr's recipe as it was published: three commands a follower, one after the other. */
export class RecipeVariant extends PayloadVariant {
  readonly #index: RecipeIndex;

  constructor(options: RecipeVariantOptions) {
    super({ ...options, name: 'recipe', atOnce: 1 });
    this.#index = new RecipeIndex(options.client, { prefix: this.prefix, max: options.max });
  }

  protected async write(users: readonly Id[], { owner: id, at }: Upload): Promise<void> {
    for (const user of users) await this.#index.add(user, { id, at });
  }
}

/** Followers in one pipeline. */
const PIPELINE = 500;

/** While Redis works on one, the client makes the next. */
const PIPELINES_AT_ONCE = 2;

/**
 * The same commands the best way that ioredis has for them: all three of 500 followers in one pipeline. ZREMRANGEBYRANK by
 * negative ranks does nothing where there is nothing to trim, so that it need not wait for ZCARD. Auto-pipelining, and
 * two pipelines with only the trims that are due, were slower.
 */
export class PipelinedRecipeVariant extends PayloadVariant {
  readonly #max: number;

  constructor(options: RecipeVariantOptions) {
    super({ ...options, name: 'recipe_pipelined', atOnce: CALLS_AT_ONCE });
    this.#max = options.max;
  }

  protected async write(users: readonly Id[], { owner, at }: Upload): Promise<void> {
    await pipelined(this.client, users, (pipeline, user) => {
      const key = this.key(user);
      pipeline.zadd(key, at, owner);
      pipeline.zcard(key);
      pipeline.zremrangebyrank(key, 0, -(this.#max + 1));
    });
  }
}

/** Bare ZADD: no trim, no protocol, nothing right in the end; the limit of client, wire and server. */
export class RawZaddVariant extends PayloadVariant {
  readonly #max: number;

  constructor(options: RecipeVariantOptions) {
    super({ ...options, name: 'raw_zadd', atOnce: CALLS_AT_ONCE });
    this.#max = options.max;
  }

  protected async write(users: readonly Id[], { owner, at }: Upload): Promise<void> {
    await pipelined(this.client, users, (pipeline, user) => {
      pipeline.zadd(this.key(user), at, owner);
    });
  }

  /** Back to the size of the others, or its sets would grow. */
  override async tidy(): Promise<void> {
    await pipelined(this.client, this.followers, (pipeline, user) => {
      pipeline.zremrangebyrank(this.key(user), 0, -(this.#max + 1));
    });
  }
}

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

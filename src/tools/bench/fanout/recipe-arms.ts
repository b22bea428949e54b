import type { ChainableCommander, Redis } from 'ioredis';
import pLimit from 'p-limit';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../index/chunks.ts';
import { RecipeIndex } from '../../harness/arms/recipe-index.ts';
import type { Upload } from './arm.ts';
import { PayloadArm, type PayloadArmOptions } from './payload-arm.ts';

type ArmOptions = Omit<PayloadArmOptions, 'name' | 'atOnce'>;

/** As many as Recency has: while one waits for MySQL another works in Redis. */
const CALLS_AT_ONCE = 4;

/** Flickr's recipe as it was published: three commands a follower, one after the other. */
export class RecipeArm extends PayloadArm {
  readonly #index: RecipeIndex;

  constructor(options: ArmOptions) {
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
export class PipelinedRecipeArm extends PayloadArm {
  readonly #max: number;

  constructor(options: ArmOptions) {
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
export class RawZaddArm extends PayloadArm {
  readonly #max: number;

  constructor(options: ArmOptions) {
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

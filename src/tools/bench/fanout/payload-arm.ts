import type { Redis } from 'ioredis';
import pLimit from 'p-limit';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../index/chunks.ts';
import { FOLLOWERS_A_PAGE } from '../../../index/fan-out.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import type { Database } from '../../../mysql/database.ts';
import { readFollowers, readNeighbours } from '../../../mysql/pairs.ts';
import type { Acknowledger } from './acknowledger.ts';
import { type ArmName, type FanOutArm, PARTS, type Part, type Upload } from './arm.ts';
import type { Crowd } from './crowd.ts';

export interface PayloadArmOptions {
  readonly name: ArmName;
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
export abstract class PayloadArm implements FanOutArm {
  readonly name: ArmName;
  readonly parts = PARTS;
  protected readonly client: Redis;
  protected readonly prefix: string;
  protected readonly followers: readonly Id[];
  readonly #options: PayloadArmOptions;

  constructor(options: PayloadArmOptions) {
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

import type { Redis } from 'ioredis';
import type { Id } from '../../src/contracts/id.ts';
import { GROUPS, type Kind } from '../../src/contracts/kind.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { LONG_AGO, rewriteMeta } from '../support/index-meta.ts';

/** Which of a user's two keys. */
export type Which = 'z' | 'm';

/** A key, its expiry in Unix milliseconds (negative: none), and its value as DUMP gives it. */
type Saved = readonly [key: Buffer, expiresAt: number, value: Buffer];

// One command each, because work in the background goes on writing.
const SAVE = `
local saved = redis.call('KEYS', ARGV[1] .. ':*')
for i, key in ipairs(saved) do saved[i] = {key, redis.call('PEXPIRETIME', key), redis.call('DUMP', key)} end
return saved`;
const DISCARD_AND_RESTORE = `
redis.call('FLUSHALL')
for i = 1, #ARGV, 3 do
  redis.call('RESTORE', ARGV[i], math.max(0, ARGV[i + 1]), ARGV[i + 2], 'ABSTTL')
end`;

/** Faults of a Redis of the test's own. */
export class Disturbances {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #delayQueues: readonly string[];
  #saved: readonly Saved[] | undefined;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#delayQueues = [prefix, `${prefix}:${GROUPS.name}`];
  }

  async evict(user: Id, which: Which, kind: Kind): Promise<void> {
    await this.#redis.del(this.#key(user, which, kind));
  }

  /** Makes the index look unread for a long time. */
  async leaveIdle(user: Id, kind: Kind): Promise<void> {
    const key = this.#key(user, 'm', kind);
    if ((await this.#redis.type(key)) === 'string') await rewriteMeta(this.#redis, key, { day: LONG_AGO });
  }

  /** Replaces a key by one of another type. */
  async obstruct(user: Id, which: Which, kind: Kind): Promise<void> {
    const key = this.#key(user, which, kind);
    await this.#redis.multi().del(key).rpush(key, 'not an index').exec();
  }

  async removeObstructions(): Promise<void> {
    for (const key of await this.#keys()) if ((await this.#redis.type(key)) === 'list') await this.#redis.del(key);
  }

  async flush(): Promise<void> {
    await this.#redis.flushall();
  }

  async flushScripts(): Promise<void> {
    await this.#redis.script('FLUSH');
  }

  /** Records the state of a replica that lags from now on. */
  async remember(): Promise<void> {
    this.#saved = (await this.#redis.callBuffer('EVAL', SAVE, '0', this.#prefix)) as Saved[];
  }

  /** Fails over to the recorded state: writes since then are lost. False: nothing was recorded. */
  async restore(): Promise<boolean> {
    if (this.#saved === undefined) return false;
    await this.#redis.call('EVAL', DISCARD_AND_RESTORE, '0', ...this.#saved.flat());
    return true;
  }

  /** Makes delayed work due now, and lets the leases of work in progress end. */
  async letTimePass(leasesToo: boolean): Promise<void> {
    const names = leasesToo ? ['due', 'held'] : ['due'];
    for (const key of this.#delayQueues.flatMap((queue) => names.map((name) => `${queue}:{delay}:${name}`))) {
      const items = await this.#redis.zrange(key, '0', '-1');
      if (items.length > 0) await this.#redis.zadd(key, 'XX', ...items.flatMap((item) => ['1', item]));
    }
  }

  #key(user: Id, which: Which, kind: Kind): string {
    const names = new KeyNames(this.#prefix, kind);
    return which === 'z' ? names.set(user) : names.meta(user);
  }

  /** Everything that Recency keeps in Redis: indexes, fan-out cursors, the delay queue and any stream. */
  #keys(): Promise<string[]> {
    return this.#redis.keys(`${this.#prefix}:*`);
  }
}

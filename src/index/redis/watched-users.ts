import type { Id } from '../../contracts/id.ts';
import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';
import { DelayQueue, delayKeys } from '../../redis/delay-queue.ts';
import { reply } from '../../redis/unavailable.ts';
import { chunks } from '../../timing/batches.ts';

/** Signals that come together within this time are one check, ms. */
const TOGETHER_MS = 10;

const USED_MS = 1_000;

/** Users in one call, so that none blocks Redis for long. */
const USERS_A_CALL = 500;

/**
 * The users who are watched or streamed, and the queue of those who are to be checked. All of it is in one slot of a cluster. What is lost
 * with Redis is restored from MySQL (push/sweep.ts).
 */
export class WatchedUsers {
  /** Items are user ids. */
  readonly queue: DelayQueue;
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #streamed: string;
  /** The sharded channel of {@link stream}ed users whose heads may have changed: ids with a space between them. */
  readonly changed: string;
  readonly #keys: readonly string[];
  readonly #signal: Script;
  /** Until then it is not asked whether anybody is watched or streamed. Monotonic, ms. */
  #usedUntil = Number.NEGATIVE_INFINITY;

  /** @param prefix of every key in Redis */
  constructor(client: RedisClient, prefix: string) {
    const own = `${prefix}:push`;
    const { due, all } = delayKeys(own);
    this.#client = client;
    this.queue = new DelayQueue(client, own);
    this.#key = `${own}:{delay}:watched`;
    this.#streamed = `${own}:{delay}:streamed`;
    this.changed = `${own}:{delay}:changed`;
    this.#keys = [this.#key, due, all, this.#streamed, this.changed, this.queue.waitingChannel];
    this.#signal = defineScript(client, 'signal', new URL('./lua/signal.lua', import.meta.url));
  }

  /** From here on a change of what these users see asks for a check. @throws RedisUnavailable */
  async add(users: readonly Id[]): Promise<void> {
    for (const some of chunks(users, USERS_A_CALL)) await reply(this.#client.sadd(this.#key, ...some));
  }

  /** @throws RedisUnavailable */
  async remove(users: readonly Id[]): Promise<void> {
    for (const some of chunks(users, USERS_A_CALL)) await reply(this.#client.srem(this.#key, ...some));
  }

  /** Removes every trace of a user. @throws RedisUnavailable */
  async forget(user: Id): Promise<void> {
    await this.remove([user]);
    await this.queue.drop([user]);
    await reply(this.#client.zrem(this.#streamed, user));
  }

  /**
   * Asks for a check of those of these users who are watched. It may be called at any time after the change is committed and
   * the index refreshed: a user who is watched only later is checked after that anyway.
   * @throws RedisUnavailable
   */
  async signal(users: readonly Id[]): Promise<void> {
    if (users.length === 0) return;
    // Usually nobody at all is watched or streamed: find that out without sending the users. Where somebody was a moment ago it
    // is not asked again: to send them in vain does no harm.
    if (performance.now() > this.#usedUntil) {
      if ((await reply(this.#client.exists(this.#key, this.#streamed))) === 0) return;
      this.#usedUntil = performance.now() + USED_MS;
    }
    await Promise.all(chunks(users, USERS_A_CALL).map((some) => this.#signal(this.#keys, [TOGETHER_MS, ...some])));
  }

  /**
   * Somebody streams what these users see: for so long a change of it is told on the {@link changed} channel. Those whose time is over
   * are forgotten.
   * @param now ms since 1970 UTC @param forMs from now
   * @throws RedisUnavailable
   */
  async stream(users: readonly Id[], now: number, forMs: number): Promise<void> {
    for (const some of chunks(users, USERS_A_CALL)) {
      await reply(this.#client.zadd(this.#streamed, ...some.flatMap((user) => [now + forMs, user])));
    }
    await reply(this.#client.zremrangebyscore(this.#streamed, '-inf', now));
  }

  /** Asks for a check of these users, watched or not. @param delayMs from now @throws RedisUnavailable */
  async check(users: readonly Id[], delayMs = 0): Promise<void> {
    for (const some of chunks(users, USERS_A_CALL)) await this.queue.put(some, delayMs);
  }
}

import type { Config } from '../config/config.ts';
import type { Id } from '../contracts/id.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import type { RedisClient } from '../redis/connection.ts';
import { loop } from '../timing/loop.ts';
import { closeRedis, openRedisClient } from './open-redis.ts';
import { inBackground, type ProcessContext } from './run-process.ts';

/** How long a user counts as streamed, and how often that is renewed, ms. */
const STREAMED_MS = 90_000;
const RENEW_MS = 30_000;

/** Users who begin to be streamed are told to Redis together, after this, ms. */
const TOGETHER_MS = 20;

const AFTER_FAILURE_MS = 1_000;

/** What is streamed, and who is told of a change. */
export interface Hinted {
  /** Everybody who is streamed now. */
  users(): readonly Id[];
  hint(users: readonly Id[]): void;
}

/**
 * Has the workers tell this process which streamed users' indexes they have refreshed, over a sharded channel of Redis. It may
 * lose what is told, and an account may not be allowed to subscribe: every head is looked at every second all the same.
 */
export class StreamHints {
  readonly #watched: WatchedUsers;
  readonly #began = new Set<Id>();

  constructor(redis: RedisClient, { keyPrefix }: Pick<Config, 'keyPrefix'>) {
    this.#watched = new WatchedUsers(redis, keyPrefix);
  }

  /** A user begins to be streamed. */
  readonly onUser = (user: Id): void => {
    this.#began.add(user);
  };

  /** Listens, and keeps Redis informed, until the process ends. */
  start(context: ProcessContext, hinted: Hinted): void {
    const { config, logger, resources } = context;
    const client = resources.adopt(openRedisClient(config, 'streams', logger), closeRedis);
    const onFault = (err: unknown) => logger.debug({ err }, 'streams get no hints now; they look by themselves');
    client.on('smessage', (_channel: string, ids: string) => hinted.hint(ids.split(' ')));
    // Subscriptions of a connection that was lost are made again by the client.
    const subscribe = () => void client.ssubscribe(this.#watched.channel).catch(onFault);
    if (client.status === 'ready') subscribe();
    else client.once('ready', subscribe);
    let renewAt = 0;
    const round = async () => {
      const isRenewal = performance.now() >= renewAt;
      const users = isRenewal ? hinted.users() : [...this.#began];
      this.#began.clear();
      if (users.length > 0) await this.#watched.stream(users, Date.now(), STREAMED_MS);
      if (isRenewal) renewAt = performance.now() + RENEW_MS;
      return TOGETHER_MS;
    };
    const onError = (err: unknown) => {
      renewAt = 0;
      onFault(err);
      return AFTER_FAILURE_MS;
    };
    inBackground(context, (ending) => loop({ signal: ending, round, onError }));
  }
}

import { Access } from '../api/authorize.ts';
import { Streams } from '../api/streams/streams.ts';
import type { Config } from '../config/config.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex } from '../index/contact-index.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { isLate } from '../query/recent-answer.ts';
import type { RedisClient } from '../redis/connection.ts';
import { loop, pause, Wake } from '../timing/loop.ts';
import { listen } from './open-redis.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';

/** How long a user counts as streamed, and how often that is renewed, ms. */
const STREAMED_MS = 90_000;
const RENEW_MS = 30_000;

/** Users who begin to be streamed are told to Redis together, after this, ms. */
const TOGETHER_MS = 20;

const AFTER_FAILURE_MS = 1_000;

/** What is streamed, and who is told of a change. */
interface Hinted {
  /** Everybody who is streamed now. */
  users(): readonly Id[];
  hint(users: readonly Id[]): void;
}

/**
 * Has the workers tell this process which streamed users' indexes they have refreshed, over a sharded channel of Redis. It may
 * lose what is told, and an account may not be allowed to subscribe: every head is looked at every second all the same.
 */
class StreamHints {
  readonly #watched: WatchedUsers;
  readonly #began = new Set<Id>();
  readonly #wake = new Wake();

  constructor(redis: RedisClient, { keyPrefix }: Pick<Config, 'keyPrefix'>) {
    this.#watched = new WatchedUsers(redis, keyPrefix);
  }

  /** A user begins to be streamed. */
  readonly onUser = (user: Id): void => {
    if (this.#began.size === 0) this.#wake.now();
    this.#began.add(user);
  };

  /** Listens, and keeps Redis informed, until the process ends. */
  start(context: ProcessContext, hinted: Hinted): void {
    const onFault = (err: unknown) =>
      context.logger.debug({ err }, 'streams get no hints now; they look by themselves');
    const onMessage = (ids: string) => hinted.hint(ids.split(' '));
    listen(context, { name: 'streams', channels: [this.#watched.changed], onMessage, onFault });
    let renewAt = 0;
    const round = async () => {
      if (this.#began.size > 0) await pause(TOGETHER_MS);
      const isRenewal = performance.now() >= renewAt;
      const users = isRenewal ? hinted.users() : [...this.#began];
      this.#began.clear();
      if (users.length > 0) await this.#watched.stream(users, Date.now(), STREAMED_MS);
      if (isRenewal) renewAt = performance.now() + RENEW_MS;
      return this.#began.size > 0 ? 0 : Math.max(0, renewAt - performance.now());
    };
    const onError = (err: unknown) => {
      renewAt = 0;
      onFault(err);
      return AFTER_FAILURE_MS;
    };
    inBackground(context, (ending) => loop({ signal: ending, round, onError, wake: this.#wake }));
  }
}

interface StreamedStores extends Pick<Stores, 'primary' | 'redis'> {
  /** The database that answers: the primary, or a replica. */
  readonly reading: Database;
  readonly kinds: readonly {
    readonly kind: { readonly name: string };
    readonly index: Pick<ContactIndex, 'nonces'>;
  }[];
  readonly watermark: Pick<AppliedWatermark, 'lagMs'>;
}

/** The streams of the API. They are looked after until the process ends, which ends them. */
export function openStreams(
  context: ProcessContext,
  { primary, redis, reading, kinds, watermark }: StreamedStores,
): Streams {
  const { config, logger } = context;
  const hints = new StreamHints(redis, config);
  const streams = new Streams({
    nonces: async (kind, users) => (await kinds.find((of) => of.kind.name === kind)?.index.nonces(users)) ?? [],
    epoch: async () => (await readEpoch(primary)).token,
    isLate: () => isLate(watermark.lagMs(), config.exactWithinMs),
    isReplica: reading !== primary,
    findMs: config.requestTimeoutMs,
    most: config.openStreams,
    random: Math.random,
    now: () => performance.now(),
    onUser: hints.onUser,
    logger,
  });
  hints.start(context, streams);
  inBackground(context, (ending) => streams.run(ending));
  return streams;
}

/** Access by the API's tokens. Those that are replaced count from the next request on, and end the streams of those that are gone. */
export function renewedAccess(
  { config, logger, renewal }: Pick<ProcessContext, 'config' | 'logger' | 'renewal'>,
  streams: Pick<Streams, 'endRefused'>,
): Access {
  const access = new Access(config.tokens ?? []);
  renewal.onRenewed(({ tokens = [] }) => {
    access.replace(tokens);
    const ended = streams.endRefused();
    if (ended > 0) logger.info({ streams: ended }, 'streams were ended whose token is no longer allowed to read');
  });
  return access;
}

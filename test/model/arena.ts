import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';
import { pino } from 'pino';
import type { Database } from '../../src/mysql/database.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import type { Random } from '../../src/tools/demo/random.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { Bag } from './bag.ts';
import type { Carrier } from './carrier.ts';
import { TurnDatabase } from './turn-database.ts';

export interface ArenaOptions {
  /** URL of a separate, migrated database. */
  readonly mysqlUrl: string;
  /** URL of a separate Redis: histories flush it. */
  readonly redisUrl: string;
  /** Each history has its own key prefix, which starts with this. */
  readonly prefix: string;
  /** Carries tasks to the consumers of one history; a bag by default. */
  readonly openCarrier?: (prefix: string, random: Random) => Promise<Carrier>;
}

/** Real servers, shared by histories that run one after another. */
export class Arena {
  readonly pool: Pool;
  readonly primary: Database;
  /** The database for everything that takes turns. */
  readonly inTurns: TurnDatabase;
  readonly redis: Redis;
  /** The product's log; MODEL_LOG=debug shows it. */
  readonly logger = pino({ level: process.env.MODEL_LOG ?? 'silent' });
  readonly openCarrier: NonNullable<ArenaOptions['openCarrier']>;
  readonly #prefix: string;
  #histories = 0;

  private constructor({ mysqlUrl, redisUrl, prefix, openCarrier = async () => new Bag() }: ArenaOptions) {
    this.openCarrier = openCarrier;
    const options = { connections: 6, queue: 1_000, deadlineMs: 30_000 };
    this.pool = openSitePool(mysqlUrl, 3);
    this.primary = new ContactsDatabase(mysqlUrl, options);
    this.inTurns = new TurnDatabase(mysqlUrl, options);
    this.redis = openRedis(redisUrl, { commandTimeoutMs: 30_000, connectTimeoutMs: 5_000, name: 'model' }) as Redis;
    this.#prefix = prefix;
  }

  static async open(options: ArenaOptions): Promise<Arena> {
    const arena = new Arena(options);
    await untilReady(arena.redis, 5_000);
    return arena;
  }

  nextPrefix(): string {
    return `${this.#prefix}:${++this.#histories}`;
  }

  readonly freshNonce = (): string => randomBytes(9).toString('base64url');

  async close(): Promise<void> {
    this.redis.disconnect();
    await Promise.all([this.pool.end(), this.primary.close(), this.inTurns.close()]);
  }
}

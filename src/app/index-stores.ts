import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { DelayedWork } from '../index/deferred-work.ts';
import type { Steps } from '../index/protocol.ts';
import { Rechecks } from '../index/rechecks.ts';
import type { RedisContactIndex } from '../index/redis/redis-contact-index.ts';
import { stepsOn } from '../index/steps.ts';
import type { Database } from '../mysql/database.ts';
import { isAnyKeyLike } from '../redis/any-key.ts';
import type { RedisClient } from '../redis/connection.ts';
import { DelayQueue } from '../redis/delay-queue.ts';

/** The users' indexes, and all that is needed to change them. */
export interface IndexStores {
  readonly index: RedisContactIndex;
  readonly steps: Steps;
  /** The same for who has the time to build the index of a user with very many contacts. */
  readonly patient: Steps;
  readonly delayed: DelayedWork;
  readonly delayQueue: DelayQueue;
  readonly rechecks: Rechecks;
}

export function indexStores(config: Config, primary: Database, redis: RedisClient): IndexStores {
  const delayQueue = new DelayQueue(redis, config.keyPrefix);
  const delayed = new DelayedWork(delayQueue);
  const steps = stepsOn(
    { primary, redis, delayed },
    {
      max: config.max,
      min: config.min,
      prefix: config.keyPrefix,
      freshNonce: () => randomBytes(9).toString('base64url'),
      aloneMs: config.mysqlTimeoutMs,
      patientMs: config.mysqlBuildTimeoutMs,
    },
  );
  const { patient } = steps;
  return { index: steps.index, steps, patient, delayed, delayQueue, rechecks: new Rechecks(primary) };
}

/** Calls of SCAN, of a thousand keys each. */
const CALLS = 100;

/**
 * Are there indexes? Among very many keys of somebody else's the answer is yes, because then the mistake costs nothing but
 * an epoch that nobody needed.
 * @throws RedisUnavailable
 */
export async function doIndexesExist(redis: RedisClient, { keyPrefix }: Config): Promise<boolean> {
  return (await isAnyKeyLike(redis, `${keyPrefix}:{*}:*:m`, CALLS)) !== false;
}

import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { nextFencingToken } from '../mysql/leases.ts';
import { Leases, type LeasesOptions } from '../redis/lease.ts';
import type { Stores } from './open-stores.ts';

/** @param times of every lease asked for */
export function openLeases(
  { keyPrefix }: Config,
  { primary, redis }: Pick<Stores, 'primary' | 'redis'>,
  times: Pick<LeasesOptions, 'ttlMs' | 'retryMs'>,
): Leases {
  return new Leases(redis, {
    ...times,
    prefix: keyPrefix,
    freshOwner: () => randomBytes(12).toString('base64url'),
    nextToken: (name) => nextFencingToken(primary, name, Date.now()),
    now: () => performance.now(),
  });
}

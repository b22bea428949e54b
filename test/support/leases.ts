import { randomBytes } from 'node:crypto';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { Leases, type LeasesOptions } from '../../src/redis/lease.ts';
import type { Stores } from './stores.ts';

/** Leases as a process opens them; each call stands for another process. */
export function leasesOn(
  { redis, primary, prefix }: Pick<Stores, 'redis' | 'primary' | 'prefix'>,
  changes: Partial<LeasesOptions> = {},
): Leases {
  return new Leases(redis, {
    ...{ prefix, ttlMs: 10_000, retryMs: 10, now: () => performance.now() },
    freshHolder: () => randomBytes(9).toString('base64url'),
    nextToken: (name) => nextFencingToken(primary, name, Date.now()),
    ...changes,
  });
}

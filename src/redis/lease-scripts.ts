import type { RedisClient } from './connection.ts';
import { defineScript } from './script.ts';

/** One holder's lease, as Redis knows it. */
export interface OwnLease {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
}

/** Each is true when the lease was the owner's own. @throws RedisUnavailable */
export interface LeaseScripts {
  acquire(lease: OwnLease): Promise<boolean>;
  renew(lease: OwnLease): Promise<boolean>;
  release(lease: OwnLease): Promise<boolean>;
}

export function leaseScripts(client: RedisClient): LeaseScripts {
  const script = (name: string) =>
    defineScript(client, `lease_${name}`, new URL(`./lua/lease-${name}.lua`, import.meta.url));
  const [acquire, renew, release] = [script('acquire'), script('renew'), script('release')];
  return {
    acquire: async ({ key, owner, ttlMs }) => (await acquire([key], [owner, ttlMs])) === 1,
    renew: async ({ key, owner, ttlMs }) => (await renew([key], [owner, ttlMs])) === 1,
    release: async ({ key, owner }) => (await release([key], [owner])) === 1,
  };
}

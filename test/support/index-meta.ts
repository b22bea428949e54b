import type { RedisClient } from '../../src/redis/connection.ts';

/** What a user's key m says: see src/index/meta.ts. */
export interface Meta {
  readonly nonce: string;
  readonly epoch: string;
  /** Three digits. */
  readonly size: string;
  readonly floor: string;
}

/** Rewrites what the key m says, as only a hand can; its expiry stays. */
export async function rewriteMeta(redis: RedisClient, m: string, change: (meta: Meta) => string): Promise<void> {
  const [nonce = '', epoch = '', size = '', floor = ''] = String(await redis.get(m)).split(' ');
  await redis.set(m, change({ nonce, epoch, size, floor }), 'KEEPTTL');
}

/** Sets a size and a floor (undefined: none) by hand. */
export async function setMeta(
  redis: RedisClient,
  m: string,
  { size, floor }: { size?: number; floor: { at: number | string; id: string } | undefined },
): Promise<void> {
  const floorText = floor === undefined ? '-' : `${String(floor.at).padStart(16, '0')}${floor.id}`;
  await rewriteMeta(redis, m, (meta) =>
    [meta.nonce, meta.epoch, size === undefined ? meta.size : String(size).padStart(3, '0'), floorText].join(' '),
  );
}

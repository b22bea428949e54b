import type { RedisClient } from '../../src/redis/connection.ts';

/** The contents of a user's key m: see src/index/redis/index-reader.ts. */
interface Meta {
  readonly nonce: string;
  readonly epoch: string;
  /** Three digits. */
  readonly size: string;
  /** Day of the last use: days since 1970, four hex digits. */
  readonly day: string;
  readonly floor: string;
}

/** A day long ago. */
export const LONG_AGO = '0001';

/** Overwrites parts of the key m by hand. Undefined parts are left out. */
export async function rewriteMeta(
  redis: RedisClient,
  m: string,
  changes: { readonly [name in keyof Meta]?: string | undefined },
): Promise<void> {
  const [nonce, epoch, size, day, floor] = String(await redis.get(m)).split(' ');
  const fields = Object.values({ nonce, epoch, size, day, floor, ...changes });
  await redis.set(m, fields.filter((field) => field !== undefined).join(' '));
}

/** Overwrites size and floor (undefined: none) by hand. */
export async function setMeta(
  redis: RedisClient,
  m: string,
  { size, floor }: { size?: number; floor: { at: number | string; id: string } | undefined },
): Promise<void> {
  const floorText = floor === undefined ? '-' : `${String(floor.at).padStart(16, '0')}${floor.id}`;
  const sizeText = size === undefined ? {} : { size: String(size).padStart(3, '0') };
  await rewriteMeta(redis, m, { ...sizeText, floor: floorText });
}

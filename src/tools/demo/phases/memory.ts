import type { Id } from '../../../contracts/id.ts';
import { KeyNames } from '../../../index/redis/keys.ts';
import type { RedisClient } from '../../../redis/connection.ts';
import { shuffled } from '../random.ts';
import type { World } from '../world.ts';

/** What Redis holds for an index, keys and all, in bytes. */
export interface IndexMemory {
  /** The mean of a few hundred users, of whom most have fewer contacts than an index keeps. */
  readonly mean: number;
  /** Of the user with the most contacts, whose index is as large as one gets. */
  readonly full: number;
  readonly fullSize: number;
}

const USERS_ASKED = 500;

type Measured = Pick<World, 'redis' | 'place' | 'cast' | 'random'>;

export async function measureMemory({ redis, place, cast, random }: Measured): Promise<IndexMemory> {
  const { keyPrefix, max } = place.config;
  const names = new KeyNames(keyPrefix);
  const asked = shuffled(random, cast.followersOfStar).slice(0, USERS_ASKED);
  const sizes = await Promise.all(asked.map((user) => bytesOf(redis, names, user)));
  const mean = Math.round(sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length));
  const most = cast.measured.at(-1);
  const full = most === undefined ? 0 : await bytesOf(redis, names, most.user);
  return { mean, full, fullSize: Math.min(max, most?.contacts ?? 0) };
}

async function bytesOf(redis: RedisClient, names: KeyNames, user: Id): Promise<number> {
  const keys = [names.set(user), names.meta(user)];
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

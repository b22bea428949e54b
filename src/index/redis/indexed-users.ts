import { type Id, isId } from '../../contracts/id.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { scanKeys } from '../../redis/scan-keys.ts';
import { anyKeyOf, userOf } from './keys.ts';

/**
 * The users who have an index, or some of one, in no order; each may come several times, and a page may be empty. It goes
 * through all of Redis.
 * @throws RedisUnavailable
 */
export async function* indexedUsers(client: RedisClient, prefix: string): AsyncGenerator<readonly Id[]> {
  for await (const keys of scanKeys(client, anyKeyOf(prefix))) {
    const users = keys.map(userOf).filter((user) => user !== undefined && isId(user));
    yield [...new Set(users as Id[])];
  }
}

import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { reply } from './unavailable.ts';

const KEYS_A_CALL = 1_000;

/**
 * Every key like this on every master, a bounded call at a time, in no order. A key that is there all the while comes at
 * least once. A page may be empty: whoever asks has their say after each call.
 * @throws RedisUnavailable
 */
export async function* scanKeys(client: RedisClient, pattern: string): AsyncGenerator<readonly string[]> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await reply(node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_CALL));
      yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

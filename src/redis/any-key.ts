import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { reply } from './unavailable.ts';

const KEYS_A_CALL = 1_000;

/**
 * Is there a key like this? It gives up after so many calls among other keys; then nobody knows.
 * @throws RedisUnavailable
 */
export async function isAnyKeyLike(client: RedisClient, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  const answers = await Promise.all(nodes.map((node) => isAnyOn(node, pattern, calls)));
  if (answers.includes(true)) return true;
  return answers.includes('unknown') ? 'unknown' : false;
}

async function isAnyOn(node: Redis, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  let cursor = '0';
  for (let call = 0; call < calls; call++) {
    const [next, keys] = await reply(node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_CALL));
    if (keys.length > 0) return true;
    if (next === '0') return false;
    cursor = next;
  }
  return 'unknown';
}

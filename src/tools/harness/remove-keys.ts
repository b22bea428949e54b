import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from '../../redis/connection.ts';

const KEYS_A_CALL = 1_000;

/** Removes every key like this, on a cluster from each of its masters. */
export async function removeKeys(client: RedisClient, pattern: string): Promise<void> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  for (const node of nodes) {
    for await (const keys of node.scanStream({ match: pattern, count: KEYS_A_CALL })) {
      // One by one: on a cluster they lie in many slots.
      await Promise.all((keys as string[]).map((key) => node.unlink(key)));
    }
  }
}

import type { Redis } from 'ioredis';

const KEYS_ASKED = 1_000;

/** What Redis says of the keys alone, without the tables that they stand in: the mean of the first. */
export async function meanKeyBytes(client: Redis, keys: readonly string[]): Promise<number> {
  const asked = keys.slice(0, KEYS_ASKED);
  const sizes = await Promise.all(asked.map((key) => client.memory('USAGE', key)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) / asked.length;
}

/** Bytes, of everything. */
export async function usedMemory(client: Redis): Promise<number> {
  const used = /^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1];
  if (used === undefined) throw new Error('Redis does not tell its memory');
  return Number(used);
}

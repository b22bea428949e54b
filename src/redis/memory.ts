import type { RedisClient } from './connection.ts';
import { fieldOf, masterNodes } from './masters.ts';
import { reply } from './unavailable.ts';

/** Bytes, over all masters. */
export interface RedisMemory {
  readonly used: number;
  /** `maxmemory`; 0: no limit. */
  readonly max: number;
}

/** @throws RedisUnavailable */
export async function readMemory(client: RedisClient): Promise<RedisMemory> {
  const infos = await Promise.all(masterNodes(client).map((node) => reply(node.info('memory'))));
  const sum = (name: string) => infos.reduce((total, info) => total + Number(fieldOf(info, name) ?? Number.NaN), 0);
  return { used: sum('used_memory'), max: sum('maxmemory') };
}

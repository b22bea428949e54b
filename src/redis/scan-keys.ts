import type { Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { masterNodes } from './masters.ts';
import { reply } from './unavailable.ts';

const KEYS_A_CALL = 1_000;

/**
 * Every key that matches the pattern, on every master, in no order; a bounded number per call of SCAN. A key that exists
 * throughout comes at least once. A page may be empty, so that the caller gets control after each call.
 * @throws RedisUnavailable
 */
export async function* scanKeys(client: RedisClient, pattern: string): AsyncGenerator<readonly string[]> {
  for (const node of masterNodes(client)) yield* scanNode(node, pattern);
}

/**
 * Does any key match the pattern?
 * @param calls of SCAN on each master, after which the answer is 'unknown': there are too many other keys
 * @throws RedisUnavailable
 */
export async function isAnyKeyLike(client: RedisClient, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  const answers = await Promise.all(masterNodes(client).map((node) => isAnyOn(node, pattern, calls)));
  if (answers.includes(true)) return true;
  return answers.includes('unknown') ? 'unknown' : false;
}

async function isAnyOn(node: Redis, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  let cursor = '0';
  for (let call = 0; call < calls; call++) {
    const [next, keys] = await scan(node, pattern, cursor);
    if (keys.length > 0) return true;
    if (next === '0') return false;
    cursor = next;
  }
  return 'unknown';
}

async function* scanNode(node: Redis, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await scan(node, pattern, cursor);
    cursor = next;
    yield keys;
  } while (cursor !== '0');
}

function scan(node: Redis, pattern: string, cursor: string): Promise<[cursor: string, keys: string[]]> {
  return reply(node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_CALL));
}

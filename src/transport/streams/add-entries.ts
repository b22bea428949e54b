import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';

/** An entry to add: fields and values in turns. */
export type NewEntry = readonly (string | Buffer)[];

/** Commands in one pipeline at the most. */
const PIPELINE = 500;

/**
 * Adds entries at the end of a stream, in order.
 * @throws RedisUnavailable; some may have been added
 */
export async function addEntries(client: RedisClient, stream: string, entries: readonly NewEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += PIPELINE) {
    const pipeline = client.pipeline();
    for (const fields of entries.slice(from, from + PIPELINE)) pipeline.call('XADD', stream, '*', ...fields);
    const results = (await reply(pipeline.exec())) ?? [];
    for (const [error] of results) if (error !== null) await reply(Promise.reject(error));
  }
}

import type { Reading } from '../../src/index/contact-index.ts';
import type { MastersOnRecord } from '../../src/index/on-record.ts';
import type { Product } from '../load-product.ts';
import type { Index } from './world.ts';

/**
 * Reads an index as the API does.
 * @param replicationId of the master that has it
 * @param known the masters that the process has found on record
 * @returns undefined: Redis counts as unavailable
 */
export async function readIndex(
  { trustedReads, RedisUnavailable }: Product['code'],
  index: Index,
  replicationId: string,
  known: MastersOnRecord | undefined,
): Promise<Reading | undefined> {
  const warm = { state: 'warm', epoch: index.epoch, replicationId } as Reading;
  const watch = { known: () => known, distrust: () => undefined };
  const reads = trustedReads({ read: async () => warm, readMany: async () => [warm] }, watch);
  return await reads.read('1', 0, false).catch((error: unknown) => {
    if (error instanceof RedisUnavailable) return undefined;
    throw error;
  });
}

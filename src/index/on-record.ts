import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Epoch } from './contact-index.ts';

/** The Redis masters that a process is connected to, and that are on record. */
export interface MastersOnRecord {
  /** The number of the latest connection. */
  readonly connection: number;
  /** The epoch in which they are. Whenever others take their place, another one begins. */
  readonly epoch: Epoch;
}

interface Comparing {
  /** Undefined: not all of them are known to be. */
  readonly known: () => MastersOnRecord | undefined;
  /** @throws RedisUnavailable when they are not on record */
  readonly compare: () => Promise<void>;
  /** The epoch that was in force at some moment since then (`performance.now()`). */
  readonly epochSince: (time: number) => Promise<Epoch>;
}

/**
 * Does work on Redis that counts only where it is on record. What was written elsewhere is missing in the indexes that answer,
 * and so is what was written to a server that another one had replaced by then: its indexes may have been built before.
 * So Redis must have been on record since the work began, and must have been the same throughout. If another one came on record after
 * that moment, its indexes were built later than the change that the work is about.
 * @throws RedisUnavailable when it was not: the work must be done again; DatabaseUnavailable; what the work throws
 */
export async function whileOnRecord<T>(work: () => Promise<T>, { known, compare, epochSince }: Comparing): Promise<T> {
  if (known() === undefined) await compare();
  const before = known()?.connection;
  const begunAt = performance.now();
  const result = await work();
  if ((await epochSince(begunAt)) !== known()?.epoch) await compare();
  const after = known()?.connection;
  if (after !== undefined && after === before) return result;
  throw new RedisUnavailable('Redis was another server, or not known to be the one on record, while it was written to');
}

import { RedisUnavailable } from '../redis/unavailable.ts';
import type { ContactIndex, Reading } from './contact-index.ts';
import type { EpochWatch } from './epoch-watch.ts';

/** A mark that no epoch's token has. */
const UNKNOWN = '?';

/**
 * Reads indexes only while Redis is trusted, and treats it as unavailable otherwise. It checks after the read as well: a read
 * that was in flight when the connection broke is sent again, perhaps to a server that came back with an older state. That one may be gone
 * again by then, and the others be trusted: so no connection may have changed meanwhile. And each index must have been read from a server
 * that has been compared since its latest promotion: one that became a replica, and then master again, keeps its connections.
 *
 * An index of another epoch than that in which Redis is known to be on record counts as one of no epoch, whatever the rows say:
 * since then another Redis may have come on record, and be the one that the consumers write to.
 */
export function trustedReads(
  index: Pick<ContactIndex, 'read' | 'readMany'>,
  watch: Pick<EpochWatch, 'known' | 'distrust'>,
): Pick<ContactIndex, 'read' | 'readMany'> {
  const known = () => {
    const masters = watch.known();
    if (masters !== undefined) return masters;
    throw new RedisUnavailable('Redis is not available: its master has not been compared with those known');
  };
  const trusted = async (read: () => Promise<Reading[]>) => {
    const before = known();
    const found = await read();
    const masters = known();
    if (masters.connection !== before.connection)
      throw new RedisUnavailable('Redis is not available: it was connected to again while it was read');
    for (const reading of found) if (reading.state === 'warm') requireCompared(watch, reading.replicationId);
    return found.map((reading) => asOf(masters.epoch, reading));
  };
  return {
    read: async (user, count, touch) => {
      const [reading] = await trusted(async () => [await index.read(user, count, touch)]);
      return reading as Reading;
    },
    readMany: (users, count, touch) => trusted(() => index.readMany(users, count, touch)),
  };
}

/** @throws RedisUnavailable if the masters are known, and the one that has answered was promoted since they were compared */
export function requireCompared(watch: Pick<EpochWatch, 'known' | 'distrust'>, replicationId: string): void {
  if (watch.known()?.replicationIds.includes(replicationId) ?? true) return;
  watch.distrust();
  throw new RedisUnavailable('Redis is not available: a master was promoted since it was compared with those known');
}

function asOf(epoch: string, reading: Reading): Reading {
  if (reading.state !== 'warm' || reading.epoch === epoch) return reading;
  return { ...reading, epoch: UNKNOWN + reading.epoch };
}

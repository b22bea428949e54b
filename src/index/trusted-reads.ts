import { RedisUnavailable } from '../redis/unavailable.ts';
import type { ContactIndex, Reading } from './contact-index.ts';
import type { EpochWatch } from './epoch-watch.ts';

/** A mark that no epoch's token has. */
const UNKNOWN = '?';

/**
 * Reads indexes only while Redis is trusted, and treats it as unavailable otherwise. It checks after the read as well: a read
 * that was in flight when the connection broke is sent again, perhaps to a server that came back with an older state. That one may be gone
 * again by then, and the others be trusted: so no connection may have changed meanwhile.
 *
 * An index of another epoch than that in which Redis is known to be on record counts as one of no epoch, whatever the rows say:
 * since then another Redis may have come on record, and be the one that the consumers write to.
 */
export function trustedReads(
  index: Pick<ContactIndex, 'read' | 'readMany'>,
  watch: Pick<EpochWatch, 'known'>,
): Pick<ContactIndex, 'read' | 'readMany'> {
  const known = () => {
    const masters = watch.known();
    if (masters !== undefined) return masters;
    throw new RedisUnavailable('Redis is not available: its master has not been compared with those known');
  };
  const trusted = async <T>(read: () => Promise<T>) => {
    const before = known();
    const found = await read();
    const { connection, epoch } = known();
    if (connection === before.connection) return { found, epoch };
    throw new RedisUnavailable('Redis is not available: it was connected to again while it was read');
  };
  return {
    read: async (user, count, touch) => {
      const { found, epoch } = await trusted(() => index.read(user, count, touch));
      return asOf(epoch, found);
    },
    readMany: async (users, count, touch) => {
      const { found, epoch } = await trusted(() => index.readMany(users, count, touch));
      return found.map((reading) => asOf(epoch, reading));
    },
  };
}

function asOf(epoch: string, reading: Reading): Reading {
  if (reading.state !== 'warm' || reading.epoch === epoch) return reading;
  return { ...reading, epoch: UNKNOWN + reading.epoch };
}

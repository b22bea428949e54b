import { RedisUnavailable } from '../redis/unavailable.ts';
import type { ContactIndex, Reading } from './contact-index.ts';
import type { EpochWatch } from './epoch-watch.ts';

/** A mark that no epoch's token has. */
const UNKNOWN = '?';

/**
 * Reads indexes only while Redis is trusted, and treats it as unavailable otherwise. It checks after the read as well: a read
 * that was in flight when the connection broke is sent again, perhaps to a server that came back with an older state.
 *
 * An index of another epoch than that in which Redis is known to be on record counts as one of no epoch, whatever the rows say:
 * since then another Redis may have come on record, and be the one that the consumers write to.
 */
export function trustedReads(
  index: Pick<ContactIndex, 'read' | 'readMany'>,
  watch: Pick<EpochWatch, 'epoch'>,
): Pick<ContactIndex, 'read' | 'readMany'> {
  const knownEpoch = () => {
    const epoch = watch.epoch();
    if (epoch !== undefined) return epoch;
    throw new RedisUnavailable('Redis is not available: its master has not been compared with those known');
  };
  const trusted = async <T>(read: () => Promise<T>) => {
    knownEpoch();
    const found = await read();
    return { found, epoch: knownEpoch() };
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

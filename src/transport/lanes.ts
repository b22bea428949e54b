import { inTurn } from '../index/drain-barrier.ts';
import type { GroupPositions } from './task-source.ts';
import type { Transport } from './transport.ts';

/** The small lane, and behind it the bulk lane, where plans and segments of large audiences travel. */
export interface LanedTransport extends Transport {
  readonly small: Transport;
  readonly bulk: Transport;
}

/**
 * Two transports as one. What a site publishes and consumers take first is the small lane; what must have drained, and where
 * something may be lost, is both. The bulk lane is drained twice: the plans that were in it have left segments there.
 */
export function withBulkLane(small: Transport, bulk: Transport): LanedTransport {
  return {
    ...small,
    small,
    bulk,
    untilAnswers: async (signal, withinMs) => {
      await small.untilAnswers(signal, withinMs);
      await bulk.untilAnswers(signal, withinMs);
    },
    barrier: inTurn([small.barrier, bulk.barrier, bulk.barrier]),
    strictBarrier: inTurn([small.strictBarrier, bulk.strictBarrier, bulk.strictBarrier]),
    positions: positionsOfBoth(small.positions, bulk.positions),
    close: async () => {
      await Promise.all([small.close(), bulk.close()]);
    },
  };
}

/** Where a loss is, only its own lane can say: see `Transport.positions` of each. */
function positionsOfBoth(small: GroupPositions, bulk: GroupPositions): GroupPositions {
  const ownerOf = (place: string) => (small.owns(place) ? small : bulk);
  return {
    placesOf: (loss) => small.placesOf(loss),
    owns: (place) => small.owns(place) || bulk.owns(place),
    endOf: (place) => ownerOf(place).endOf(place),
    isPast: (place, end) => ownerOf(place).isPast(place, end),
  };
}

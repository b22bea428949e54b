import { type Batch, type BatchHandler, BatchLost } from '../task-source.ts';
import { Gathering } from './gathering.ts';

/** Deliveries of one partition. */
export interface Part extends Batch {
  /** They were given back before: whoever is to blame for it, the others are spared the next time. */
  readonly isSuspect: boolean;
}

/** Deliveries in one batch at the most: kafkajs may fetch thousands, and each batch has its heartbeats and its commit. */
export const BATCH = 500;

/**
 * What one fetch brought of several partitions is one batch. Of a dozen partitions with a task or two each, the handler
 * would else make a dozen statements and scripts, one after the other.
 * @param isOver no new batch is to be begun; those that wait are given back
 */
export function mergedBatches(handler: BatchHandler, isOver: () => boolean): Gathering<Part> {
  return new Gathering({
    fits: (part, others) => ![part, ...others].some((one) => one.isSuspect) && sizeOf([part, ...others]) <= BATCH,
    work: async (parts) => {
      if (isOver()) throw new BatchLost('the source is ending, or the group is rebalancing');
      const renew = async () => {
        for (const { lease } of parts) await lease.renew();
      };
      await handler({ deliveries: parts.flatMap((part) => part.deliveries), lease: { renew } });
    },
  });
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((size, part) => size + part.deliveries.length, 0);
}

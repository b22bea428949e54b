import type { EachBatchPayload } from 'kafkajs';
import { Gathering } from './gathering.ts';

export interface Commit {
  readonly partition: number;
  /** The next one to be delivered. */
  readonly offset: string;
  readonly payload: Pick<EachBatchPayload, 'commitOffsetsIfNecessary'>;
  /** Aborted when the partition is not ours any more. */
  readonly signal: AbortSignal;
}

/** The offsets of partitions that were worked on together are committed by one request. */
export function mergedCommits(topic: string): Gathering<Commit> {
  return new Gathering({
    fits: () => true,
    work: async (commits) => {
      const held = commits.filter(({ signal }) => !signal.aborted);
      const partitions = held.map(({ partition, offset }) => ({ partition, offset }));
      await held[0]?.payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
    },
  });
}

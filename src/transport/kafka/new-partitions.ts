import type { Cluster, PartitionAssigner } from 'kafkajs';
import type { Logger } from 'pino';
import { pause } from '../../timing/loop.ts';

/** How often the leader of a group looks, ms: one small request, of one member of the group. */
const LOOK_MS = 3_000;

/**
 * Notices partitions that were added to the topic. Kafka tells nobody, and kafkajs asks every five minutes. Only the leader of the
 * group has to know: when it joins again, so do all others, and they learn the partitions from their assignments.
 */
export class NewPartitions {
  readonly #logger: Logger;
  #cluster: Cluster | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Passes the consumer's cluster on to here; kafkajs has no other way to it. */
  watched(assigner: PartitionAssigner): PartitionAssigner {
    return (config) => {
      this.#cluster = config.cluster;
      return assigner(config);
    };
  }

  /** Looks until aborted. kafkajs compares what it knows with what it has joined with at every fetch. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(LOOK_MS, signal);
      if (signal.aborted) return;
      await this.#cluster?.refreshMetadata().catch((error: unknown) => {
        this.#logger.debug({ err: error }, 'the partitions of the topic were not looked up; retrying');
      });
    }
  }
}

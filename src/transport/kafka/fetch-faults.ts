import type { Consumer } from 'kafkajs';
import type { Logger } from 'pino';
import type { Loss } from '../task-source.ts';
import type { Assignment, OwnedPartition } from './assignment.ts';
import { brokerFault, OUT_OF_RANGE } from './fetch-response.ts';
import { gapBefore } from './losses.ts';
import { markOf } from './marks.ts';
import type { TopicAdmin } from './topic-admin.ts';

interface FetchFaultsOptions {
  readonly topic: string;
  readonly group: string;
  readonly admin: Pick<TopicAdmin, 'offsets'>;
  readonly consumer: Pick<Consumer, 'commitOffsets'>;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
}

/** Looks after every fetch at what the brokers have refused, of the partitions of an assignment. */
export class FetchFaults {
  readonly #options: FetchFaultsOptions;
  #assignment: Assignment | undefined;
  /** The error of each partition, as it was last seen. */
  readonly #seen = new Map<number, number | undefined>();

  constructor(options: FetchFaultsOptions) {
    this.#options = options;
  }

  /** A partition that its broker cannot read is logged: nothing here can fix that, and the others go on. */
  look(assignment: Assignment | undefined): void {
    const { topic, logger } = this.#options;
    if (this.#assignment !== assignment) this.#seen.clear();
    this.#assignment = assignment;
    for (const owned of assignment?.partitions.values() ?? []) {
      const { partition } = owned;
      const errorCode = brokerFault(topic, partition);
      const before = this.#seen.get(partition);
      if (errorCode === before) continue;
      this.#seen.set(partition, errorCode);
      if (errorCode === OUT_OF_RANGE) this.#lookForGap(owned, assignment as Assignment);
      else if (errorCode !== undefined)
        logger.error({ topic, partition, errorCode }, 'the broker cannot read a partition; retrying');
      else if (before !== OUT_OF_RANGE) logger.info({ topic, partition }, 'the broker can read the partition again');
    }
  }

  /** What the group has not read was removed. That is known here before the next message comes, if one ever does. */
  #lookForGap(owned: OwnedPartition, { signal }: Assignment): void {
    const { partition } = owned;
    if (owned.next === undefined || owned.looking !== undefined) return;
    owned.looking = reportGap(owned, signal, this.#options)
      .catch((error: unknown) => {
        this.#seen.delete(partition); // looked at again at the next sign of it
        this.#options.logger.warn({ err: error, partition }, 'a gap was not reported; it will be reported again');
      })
      .finally(() => {
        owned.looking = undefined;
      });
  }
}

/**
 * Reports what was removed from a partition before the group had read it, and moves the group behind it, so that the same gap is
 * not found again. kafkajs does the latter by itself, without our mark.
 * @throws what kafkajs throws, what `onLoss` throws
 */
async function reportGap(owned: OwnedPartition, signal: AbortSignal, options: FetchFaultsOptions): Promise<void> {
  const { topic, group, admin, consumer, onLoss } = options;
  const { partition, next } = owned;
  const low = (await admin.offsets(group)).find((one) => one.partition === partition)?.low;
  const loss = low === undefined || next === undefined ? undefined : gapBefore(partition, next, low);
  if (loss === undefined || low === undefined || signal.aborted) return;
  await onLoss(loss);
  if (signal.aborted || owned.next !== next) return;
  owned.next = low;
  await consumer.commitOffsets([{ topic, partition, offset: low.toString(), metadata: markOf(low) }]);
}
